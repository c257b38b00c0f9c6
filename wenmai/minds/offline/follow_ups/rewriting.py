"""A follow-up with names in the place of what refers to the talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import is_chinese
from wenmai.minds.offline.follow_ups.mentions import POSSESSIVE, Referent, kind_of

_OPENING = re.compile(
    r"^(?:那么?|所以|然后|可是|但是?|不过|还有|另外|请问|嗯|哦)[，,]?(?![个位些里儿边时天年次么座只条张件本家支把场顶批艘匹间口封门种样段句群人])"
)
_BARE = re.compile(
    r"^(?:那么?|所以|然后|可是|但是?|不过)?[，,]?(?:真的吗[，,]?)?(?:这?是)?(?:为(?:什么|何|啥)|怎么(?:会|回事|样)?|何时|什么时候|(?:在|是)?(?:哪里|哪儿|何处|什么地方)"
    r"|多少|几(?:岁|个|次|天|年)|(?:是)?谁|结果|后来|然后|原因|真的吗?|还有)(?:呢|吗|呀|啊)?[？?。！!]*$"
)
_BARE_ENGLISH = re.compile(
    r"^(?:and |but |so |really[,.?]? )?(?:why|how|when|where|who|what|how (?:many|much|old|long)|and then|then what"
    r"|what then|what else|what happened(?: (?:then|next|after))?|why not|is that so|who else)[\s?!.]*$",
    re.IGNORECASE,
)
BESIDE: frozenset[Referent] = frozenset({"gap", "phrase"})
"""Kinds of mentions that stay, with the name beside them."""


@dataclass(frozen=True, slots=True)
class Substitution:
    """What stands in the place of a mention; the span (0, 0) is something left out."""

    start: int
    end: int
    name: str


def rewritten(question: str, substitutions: Sequence[Substitution], last: str | None) -> str:
    """Return a question that stands by itself.

    Args:
        question: as typed.
        substitutions: what refers, with the names that it means.
        last: the question before, resolved; a bare "why?" goes on with it.
    """
    if last and is_bare(question):
        return joined(last, question)
    replaced = [one for one in substitutions if kind_of(question[one.start : one.end]) not in BESIDE]
    edits = [(one.start, one.end, _in_place(question[one.start : one.end], one.name)) for one in replaced]
    said = {one.name for one in replaced}
    beside = [one for one in substitutions if one not in replaced and one.name not in question and one.name not in said]
    names = _apart([one.name for one in beside])
    if names and is_chinese(question):
        at = max(_opening(question), min(one.start for one in beside))
        edits.append((at, at, "、".join(names)))
    shown = question
    for start, end, text in sorted(edits, reverse=True):
        shown = shown[:start] + text + shown[end:]
    return shown if not names or is_chinese(question) else f"{shown.rstrip()} ({', '.join(names)})"


def is_bare(question: str) -> bool:
    """Return True for a question without a word of its own: 为什么？, And then?"""
    return bool(_BARE.match(question.strip()) or _BARE_ENGLISH.match(question.strip()))


def joined(last: str, question: str) -> str:
    """Return a bare question behind the one that it goes on with."""
    if is_chinese(question) or is_chinese(last):
        return f"{last.rstrip('？?。.！! ')}，{question}"
    return f"{last.rstrip('?.! ')}? {question}"


def _apart(names: Sequence[str]) -> list[str]:
    """Return names without those that are a part of an earlier one, or that have it as a part."""
    kept: list[str] = []
    for name in names:
        if not any(name in other or other in name for other in kept):
            kept.append(name)
    return kept


def _in_place(mention: str, name: str) -> str:
    if mention.lower() in POSSESSIVE:
        return name if name.endswith("'s") else f"{name}'s"
    return f"{name}的" if mention in ("其",) else name


def _opening(question: str) -> int:
    """Return where a question begins behind words like 那 and 所以."""
    found = _OPENING.match(question)
    return found.end() if found else 0
