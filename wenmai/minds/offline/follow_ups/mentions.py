"""What kind of words refer, and which of them to put a name in the place of."""

import re
from collections.abc import Iterable, Mapping
from typing import Literal

from wenmai.language.spans import Span, meet
from wenmai.reader.inputs import GAP

Referent = Literal["person", "thing", "place", "several", "gap", "phrase"]
"""A `phrase` has a noun: it stays, with the name beside it."""
PRONOUN = re.compile(
    r"(?<![其吉])[他她它]俩|(?<![其吉])[他她它]们?(?!乡|人)"
    r"|\b(?:he|him|his|she|her|hers|it|its|they|them|their|theirs)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(
    r"[他她它](?:们|俩)|(?:这|那)?(?:两|二)个?人|双方|俩|they|them|theirs?|both(?: of them)?", re.IGNORECASE
)
_PERSON = re.compile(r"[他她]|其|[那这]一?个?人|此人|he|him|his|she|hers?|that (?:man|woman|person)", re.IGNORECASE)
_THING = re.compile(r"它|its?", re.IGNORECASE)
_PLACE = re.compile(r"[那这](?:里|儿|边)|there|here", re.IGNORECASE)
_KINDS: Mapping[Referent, re.Pattern[str]] = {"several": _SEVERAL, "person": _PERSON, "thing": _THING, "place": _PLACE}
POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
OBJECT = frozenset({"him", "them"})
"""Pronouns that mean another than the subject does."""
_TIME = re.compile(
    r"(?:那|这)(?:一)?(?:年|天|时候?|次|夜|晚|回|会儿)|that (?:day|night|time|year|evening|morning)", re.IGNORECASE
)


def kind_of(words: str) -> Referent:
    """Return the kind of words that refer; '' is something left out."""
    if not words:
        return "gap"
    kinds: list[Referent] = [kind for kind, pattern in _KINDS.items() if pattern.fullmatch(words)]
    return kinds[0] if kinds else "phrase"


def mentions(question: str, found: Iterable[Span], names: Iterable[Span]) -> list[Span]:
    """Return what refers, in order, each once.

    Args:
        question: as typed.
        found: half-open offsets that the reader found; tokens do not end where words do.
        names: those of the question's names, which refer to themselves.
    """
    names = list(names)
    spans = dict.fromkeys(span for one in found for span in _whole(question, one))
    return [
        span
        for span in spans
        if span == GAP or not (_TIME.fullmatch(question[slice(*span)]) or any(meet(span, name) for name in names))
    ]


def _whole(question: str, span: Span) -> list[Span]:
    """Return the pronouns that a span touches, else the span with the rest of its last word."""
    touching = [match.span() for match in PRONOUN.finditer(question) if meet(match.span(), span)]
    if touching or span == GAP:
        return touching or [span]
    start, end = span
    while end < len(question) and question[end - 1 : end + 1].isalnum() and question[end].isascii():
        end += 1
    return [(start, end)]
