"""A follow-up with names in the place of what refers to the talk."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import is_chinese
from wenmai.minds.offline.follow_ups.mentions import PATTERNS, Referent, is_possessive, kind_of

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
    edits = [(one.start, one.end, _in_place(question, one)) for one in replaced]
    said = {one.name for one in replaced}
    beside = [one for one in substitutions if one not in replaced and one.name not in question and one.name not in said]
    names = _apart([one.name for one in beside])
    if names and is_chinese(question):
        opening = PATTERNS["opening"].match(question)
        at = max(opening.end() if opening else 0, min(one.start for one in beside))
        edits.append((at, at, "、".join(names)))
    shown = question
    for start, end, text in sorted(edits, reverse=True):
        shown = shown[:start] + text + shown[end:]
    return shown if not names or is_chinese(question) else f"{shown.rstrip()} ({', '.join(names)})"


def is_bare(question: str) -> bool:
    """Return True for a question without a word of its own: 为什么？, And then?"""
    return bool(PATTERNS["bare"].match(question.strip()))


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


def _in_place(question: str, one: Substitution) -> str:
    if is_possessive(question, (one.start, one.end)):
        return f"{one.name}'s"
    return f"{one.name}的" if question[one.start : one.end] == "其" else one.name
