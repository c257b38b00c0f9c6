"""A follow-up with names in the place of what refers to the talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import is_chinese

_POSSESSIVES = frozenset({"his", "her", "hers", "its", "their", "theirs"})
_OPENING = re.compile(
    r"^(?:那么?|所以|然后|可是|但是?|不过|还有|另外|请问|嗯|哦)[，,]?(?!个|位|些|里|儿|时|天|年|次|么)"
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
_NEXT = re.compile(
    r"^(?:那么?)?[，,]?(.{1,20}?)呢[？?]?$|^(?:and |what about |how about )(.{1,40}?)\?*$", re.IGNORECASE
)


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
    shown = question
    for one in sorted((one for one in substitutions if one.end), key=lambda one: -one.start):
        shown = shown[: one.start] + _in_place(question[one.start : one.end], one.name) + shown[one.end :]
    left_out = [one.name for one in substitutions if not one.end and one.name not in shown]
    return _completed(shown, left_out) if left_out else shown


def is_bare(question: str) -> bool:
    """Return True for a question without a word of its own: 为什么？, And then?"""
    return bool(_BARE.match(question.strip()) or _BARE_ENGLISH.match(question.strip()))


def joined(last: str, question: str) -> str:
    """Return a bare question behind the one that it goes on with."""
    if is_chinese(question) or is_chinese(last):
        return f"{last.rstrip('？?。.！! ')}，{question}"
    return f"{last.rstrip('?.! ')}? {question}"


def named_next(question: str) -> str | None:
    """Return what a question names that asks of another what the last one asked (那王五呢？), None for others."""
    match = _NEXT.match(question.strip())
    return (match[1] or match[2]).strip() if match else None


def _in_place(mention: str, name: str) -> str:
    if mention.lower() in _POSSESSIVES:
        return name if name.endswith("'s") else f"{name}'s"
    return f"{name}的" if mention in ("其",) else name


def _completed(question: str, names: Sequence[str]) -> str:
    """Return a question with what it leaves out: before it in Chinese, behind it in English."""
    if not is_chinese(question):
        return f"{question.rstrip()} ({', '.join(names)})"
    opening = _OPENING.match(question)
    at = opening.end() if opening else 0
    return question[:at] + "、".join(names) + question[at:]
