"""Verbatim quotations from a chapter: clauses around a place, direct speech; and the relations that they state."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from tools.records import Passage, Relation
from wenmai.ingestion.contracts import TaggedChapter

_CLAUSE_END = re.compile(r"[，。；！？、：,;!?:\n“”「」]")
_OPEN, _CLOSE = "“「『", "”」』"


@dataclass(frozen=True, slots=True)
class Quotation:
    text: str
    start: int


def quoted_mask(text: str) -> bytearray:
    """Mark every character inside a quotation with 1; a paragraph's end closes what was left open."""
    marks, depth = bytearray(len(text)), 0
    for at, char in enumerate(text):
        if char in _CLOSE:
            depth = max(0, depth - 1)
        elif char == "\n":
            depth = 0
        marks[at] = depth > 0
        if char in _OPEN:
            depth += 1
    return marks


def quote_clauses(text: str, start: int, end: int, lower: int, upper: int, limit: int) -> Quotation:
    """Return the clauses that hold `[start:end]` inside `[lower:upper]`, at most `limit` characters, ends trimmed."""
    left = max((m.end() for m in _CLAUSE_END.finditer(text, lower, start)), default=lower)
    right = next((m.start() for m in _CLAUSE_END.finditer(text, end, upper)), upper)
    while left > lower and text[left - 1] not in _OPEN + _CLOSE:
        further = max((m.end() for m in _CLAUSE_END.finditer(text, lower, left - 1)), default=lower)
        if right - further > limit:
            break
        left = further
    if right - left > limit:
        left = max(left, min(start, end - limit))
        right = min(right, left + limit)
        # No English word is cut; Chinese has no borders of words.
        while left < start and _is_within_word(text, left):
            left += 1
        while right > end and _is_within_word(text, right):
            right -= 1
    body = text[left:right]
    left += len(body) - len(body.lstrip(" \u3000\n，。；！？、：”’」』"))
    return Quotation(text[left:right].rstrip(" \u3000\n，、：“‘「『"), left)


def _is_within_word(text: str, at: int) -> bool:
    return text[at - 1 : at].isascii() and text[at - 1 : at + 1].isalnum()


def utterance(text: str, start: int, limit: int) -> Quotation:
    """Return what is said from a speaker's name on: up to the end of the quotation, or whole clauses of it."""
    body = text[start : start + limit].split("\n")[0]
    closed = next((at for at, char in enumerate(body) if char in _CLOSE), None)
    if closed is not None:
        return Quotation(body[: closed + 1], start)
    ends = [m.end() for m in _CLAUSE_END.finditer(body) if m[0] not in _OPEN]
    return Quotation(body[: ends[-1]] if ends else body, start)


EVIDENCE = 80  # characters of a quotation at most


def relation_record(
    tagged: TaggedChapter, source: str, target: str, *, type: str, description: str, piece: Quotation, at: int
) -> Relation:
    """Return the relation of two entities that `piece` quotes; the relation is stated at the offset `at`."""
    chapter = tagged.chapter
    return Relation(
        source=source,
        type=type,
        target=target,
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, at),
        evidence=piece.text,
        description=description,
        start=piece.start,
        source_kind=tagged.kinds.get(source, "Character"),
        target_kind=tagged.kinds.get(target, "Character"),
    )


def order_at(passages: Sequence[Passage], at: int) -> int | None:
    place = bisect_right(passages, at, key=lambda passage: passage.start) - 1
    return passages[place].event_order if place >= 0 and at < passages[place].end else None
