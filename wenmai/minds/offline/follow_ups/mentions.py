"""What kind of words refer, and which of them to put a name in the place of."""

from collections.abc import Iterable, Mapping
from typing import Literal

from wenmai.language.patterns import patterns
from wenmai.language.spans import Span, meet
from wenmai.language.titles import Gender
from wenmai.reader.inputs import GAP

Referent = Literal["several", "person", "thing", "place", "gap", "phrase"]
"""A `phrase` has a noun: it stays, with the name beside it."""
PATTERNS = patterns("wenmai.minds.offline.follow_ups")
PRONOUN = PATTERNS["pronoun"]
_KINDS: tuple[Referent, ...] = ("several", "person", "thing", "place")
_POSSESSIVE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
OBJECT = frozenset({"him", "her", "them"})
"""Pronouns that mean another than the subject does."""
GENDERS: Mapping[str, Gender] = {"he": "m", "him": "m", "his": "m", "他": "m", "she": "f", "her": "f", "她": "f"}


def kind_of(words: str) -> Referent:
    """Return the kind of words that refer; '' is something left out."""
    if not words:
        return "gap"
    kinds: list[Referent] = [kind for kind in _KINDS if PATTERNS[kind].fullmatch(words)]
    return kinds[0] if kinds else "phrase"


def is_possessive(question: str, span: Span) -> bool:
    """Return True for his, and for her before what is hers."""
    words = question[slice(*span)].lower()
    return words in _POSSESSIVE and not (words == "her" and PATTERNS["no_noun"].match(question, span[1]))


def mentions(question: str, found: Iterable[Span], names: Iterable[Span]) -> list[Span]:
    """Return what refers, in order, each once.

    Args:
        question: as typed.
        found: half-open offsets that the reader found; tokens do not end where words do.
        names: those of the question's names, which refer to themselves.
    """
    topic, time = PATTERNS["topic"].match(question), PATTERNS["time"]
    own = [*names, *([(topic.end(), len(question))] if topic else [])]
    spans = dict.fromkeys(span for one in found for span in _whole(question, one))
    return [
        span
        for span in spans
        if span == GAP or not (time.fullmatch(question[slice(*span)]) or any(meet(span, one) for one in own))
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
