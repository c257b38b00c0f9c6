"""Ranking of a user's memories for a question: neighbouring turns of a memory's conversation count, too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median
from typing import TYPE_CHECKING

from tools.documents.words import inverse_frequency
from tools.memory.records import Memory, RankedMemory

if TYPE_CHECKING:
    pass

ORDER = "order"  # key of content_metadata: the order of turns with equal time
TALK_GAP = timedelta(hours=6)  # a longer pause begins another conversation
# Chosen on conversations of two people over months, English and Chinese, with exchanges of memorybank as noise.
MEANING = 0.65
WORDS = 0.35
PREVIOUS_MEANING = 0.15
NEXT_MEANING = 0.1
PREVIOUS_WORD = 0.9  # an answer rarely repeats the words of its question
NEXT_WORD = 0.5
BEFORE_PREVIOUS_WORD = 0.4
SPEAKER = 0.2  # the question names the speaker
ASKED_DAY = 0.3  # created on the days that the question names
LATER_DAY = 0.18  # or shortly after
TOLD_LATER_DAYS = 10
ADDED = 10  # cosines of unrelated memories beside a user's own
TELLS_DAY = 0.1  # the question asks for a time, and the memory has one


@dataclass(frozen=True, slots=True)
class Links:
    """The indices of the turns before and after each memory, None at the ends of a conversation."""

    previous: list[int | None]
    following: list[int | None]


def in_order(rows: Sequence[RankedMemory]) -> list[RankedMemory]:
    return sorted(rows, key=lambda row: (row.memory.thread_id or "", *turn_order(row.memory)))


def linked(memories: Sequence[Memory]) -> Links:
    previous: list[int | None] = [None] * len(memories)
    following: list[int | None] = [None] * len(memories)
    for at in range(1, len(memories)):
        one, other = memories[at - 1], memories[at]
        is_close = other.created_at - one.created_at <= TALK_GAP
        if one.thread_id is not None and one.thread_id == other.thread_id and is_close:
            previous[at], following[at - 1] = at - 1, at
    return Links(previous, following)


def meaning_scores(cosines: Sequence[float], links: Links, unrelated: float) -> list[float]:
    """Return scores 0..1 by cosine: the best memory has 1, those below the median 0.

    Few memories have no median that could stand for unrelated ones: some with the cosine `unrelated` are added.
    """
    if not cosines:
        return []
    low, high = median([*cosines, *[unrelated] * ADDED]), max(cosines)
    own = [max(0.0, (one - low) / (high - low)) if high > low else 0.0 for one in cosines]
    return [
        score + PREVIOUS_MEANING * _at(own, links.previous[at]) + NEXT_MEANING * _at(own, links.following[at])
        for at, score in enumerate(own)
    ]


def word_shares(words: Sequence[Mapping[str, float]], keys: Sequence[str], links: Links) -> list[float]:
    """Return the share of a question's words that each memory has; each counts in it or in the turns beside it.

    A word weighs by how rare it is among `keys`; what else is stored has no influence.

    `words` has for each word of the question the BM25 scores by memory, {} for one that no memory has.
    """
    totals, whole = [0.0] * len(keys), 0.0
    for scores in words:
        own = [scores.get(key, 0.0) for key in keys]
        best, weight = max(own, default=0.0), inverse_frequency(sum(one > 0 for one in own), len(keys))
        whole += weight
        if best:
            own = [weight * one / best for one in own]
            totals = [total + _with_neighbours(own, at, links) for at, total in enumerate(totals)]
    return [total / whole for total in totals] if whole else totals


def occasion_scores(memories: Sequence[Memory], question: str, now: datetime) -> list[float]:
    """Return the scores for speaker and date: the question names the memory's speaker, or its day."""
    from tools.text.dates import ASKS_WHEN, TELLS_WHEN, spans  # its patterns cost a start 25 ms

    asked, asks_when = spans(question, now), ASKS_WHEN.search(question) is not None
    return [
        SPEAKER * (memory.speaker != "" and memory.speaker in question)
        + max((_on_day(span.days_after(memory.created_at)) for span in asked), default=0.0)
        + TELLS_DAY * (asks_when and TELLS_WHEN.search(memory.content) is not None)
        for memory in memories
    ]


def turn_order(memory: Memory) -> tuple[datetime, int, str]:
    order = memory.content_metadata.get(ORDER)
    return memory.created_at, order if isinstance(order, int) else 0, memory.memory_key


def _with_neighbours(own: Sequence[float], at: int, links: Links) -> float:
    before, after = links.previous[at], links.following[at]
    earlier = None if before is None else links.previous[before]
    return max(
        own[at],
        PREVIOUS_WORD * _at(own, before),
        NEXT_WORD * _at(own, after),
        BEFORE_PREVIOUS_WORD * _at(own, earlier),
    )


def _at(values: Sequence[float], at: int | None) -> float:
    return 0.0 if at is None else values[at]


def _on_day(late: int) -> float:
    if late == 0:
        return ASKED_DAY
    return LATER_DAY if 0 < late <= TOLD_LATER_DAYS else 0.0
