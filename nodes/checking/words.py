"""The words of a clause: what may be left out, what an ending adds, where a clause ends."""

import re
from collections.abc import Callable, Sequence

from tools.language import HAN
from tools.text.scripts import simplified

Segment = Callable[[str], Sequence[str]]
"""Cuts Chinese text into words."""
LIGHT = frozenset("的了着之呢吧啊呀嘛个是") | {"the", "a", "an"}
"""Words that may be added or left out."""
CLAUSE_END = re.compile(r"[，,。.;；！!？?：:\n](?!\d)")
_CONTRACTED = re.compile(r"n['’]t\b")
_RUN = re.compile(rf"(?P<chinese>(?:{HAN.pattern})+)|(?:(?!{HAN.pattern})[^\W_])+")
_ENDINGS = re.compile(r"(?:ies|ied|ing|ed|es|s|y)$")


def stem(word: str) -> str:
    """Return a word without its ending; one that is nothing else stays."""
    return _ENDINGS.sub("", word) or word


def heavy(text: str) -> str:
    """Return Chinese text without its light words."""
    return "".join(char for char in text if char not in LIGHT)


def clauses(text: str, segment: Segment) -> list[tuple[str, ...]]:
    """Return the words of each clause, light ones left out: Chinese ones as they are segmented, others, figures."""
    plain = _CONTRACTED.sub(" not", simplified(text).casefold())
    found = (tuple(_words(part, segment)) for part in CLAUSE_END.split(plain))
    return [one for one in found if one]


def _words(text: str, segment: Segment) -> list[str]:
    found: list[str] = []
    for match in _RUN.finditer(text):
        found += map(heavy, segment(match[0])) if match["chinese"] else [match[0]]
    return [word for word in found if word and word not in LIGHT]
