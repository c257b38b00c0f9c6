"""The one ranking of a user's memories: filters, scores, order, limit. Neighbouring turns of a memory count, too."""

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from operator import mul
from statistics import median
from types import MappingProxyType
from typing import TYPE_CHECKING

from tools.language import is_chinese
from tools.memory.days import day_spans
from tools.memory.keywords import Segment, query_terms
from tools.memory.records import (
    FoundMemories,
    FoundMemory,
    Memory,
    MemoryFilter,
    MemoryQuery,
    RankedMemory,
    SearchMode,
    SemanticScale,
)
from tools.ports import Embedder, MemoryStore
from tools.probability import logistic
from tools.text.scripts import inverse_frequency

if TYPE_CHECKING:
    from tools.text.dates import DaySpan

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
ON_ASKED_DAY = 0.6  # relevance, at least, of what happened on the day, or in the month or year, that is asked for
TELLS_DAY = 0.1  # the question asks for a time, and the memory has one


def in_order(rows: Sequence[RankedMemory]) -> list[RankedMemory]:
    return sorted(rows, key=lambda row: (row.memory.thread_id or "", *turn_order(row.memory)))


def conversation_links(memories: Sequence[Memory]) -> list[bool]:
    """Return for each memory, in order, whether it goes on with the conversation of the one before it."""
    links = [
        one.thread_id is not None and one.thread_id == other.thread_id and other.created_at - one.created_at <= TALK_GAP
        for one, other in pairwise(memories)
    ]
    return [False, *links][: len(memories)]


def beside(own: Sequence[float], links: Sequence[bool]) -> tuple[list[float], list[float]]:
    """Return the scores of the turns before and after each memory, 0 at the ends of a conversation."""
    before = [score if linked else 0.0 for score, linked in zip([0.0, *own], links, strict=False)]
    after = [score if linked else 0.0 for score, linked in zip(own[1:], links[1:], strict=True)]
    return before, [*after, 0.0][: len(own)]


def usual_cosine(cosines: Sequence[float], unrelated: float) -> float:
    """Return the median, which stands for memories that have nothing to do with a question.

    Few memories have no such median: some with the cosine `unrelated` are added.
    """
    return median([*cosines, *[unrelated] * ADDED])


def meaning_scores(cosines: Sequence[float], links: Sequence[bool], low: float) -> list[float]:
    """Return scores 0..1 by cosine: the best memory has 1, those below `low` 0."""
    high = max(cosines, default=low)
    own = [max(0.0, (one - low) / (high - low)) if high > low else 0.0 for one in cosines]
    rows = zip(own, *beside(own, links), strict=True)
    return [score + PREVIOUS_MEANING * before + NEXT_MEANING * after for score, before, after in rows]


def word_shares(words: Sequence[Mapping[str, float]], keys: Sequence[str], links: Sequence[bool]) -> list[float]:
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
            before, after = beside(own, links)
            earlier, _ = beside(before, links)
            weights = (1.0, PREVIOUS_WORD, NEXT_WORD, BEFORE_PREVIOUS_WORD)
            totals = [
                total + max(map(mul, weights, row))
                for total, *row in zip(totals, own, before, after, earlier, strict=True)
            ]
    return [total / whole for total in totals] if whole else totals


def occasion_scores(memories: Sequence[Memory], question: str, now: datetime) -> list[float]:
    """Return the scores for speaker and date: the question names the memory's speaker, or its day in the zone of `now`.

    What all memories share, as their day where all were kept today, is no sign of any.
    """
    from tools.text.dates import ASKS_WHEN, TELLS_WHEN, spans  # its patterns cost a start 25 ms

    asked, asks_when = spans(question, now), ASKS_WHEN.search(question) is not None
    scores = [
        SPEAKER * (memory.speaker != "" and memory.speaker in question)
        + max((_on_day(memory, span, now) for span in asked), default=0.0)
        + TELLS_DAY * (asks_when and TELLS_WHEN.search(memory.content) is not None)
        for memory in memories
    ]
    shared = min(scores, default=0.0) if len(scores) > 1 else 0.0
    return [score - shared for score in scores]


def turn_order(memory: Memory) -> tuple[datetime, int, str]:
    order = memory.content_metadata.get(ORDER)
    return memory.created_at, order if isinstance(order, int) else 0, memory.memory_key


def days_asked(memories: Sequence[Memory], question: str, now: datetime) -> list[bool]:
    """Return which memories speak of a day, month or year that the question names."""
    from tools.text.dates import spans

    asked = spans(question, now)
    own = [[span for _, span in day_spans(one.content_metadata)] for one in memories]
    return [any(one.meets(span) for one in asked for span in held) for held in own]


def _on_day(memory: Memory, asked: "DaySpan", now: datetime) -> float:
    """Return what it is worth that a memory speaks of a day, or without days of its own was made on it."""
    if own := [span for _, span in day_spans(memory.content_metadata)]:
        return ASKED_DAY if any(asked.meets(span) for span in own) else 0.0
    late = asked.days_after(memory.created_at.astimezone(now.tzinfo).date())
    if late == 0:
        return ASKED_DAY
    return LATER_DAY if 0 < late <= TOLD_LATER_DAYS else 0.0


TERM_WEIGHT = 0.3
TERM_COUNT = 0.2


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """The words of a search, lower case: `asked` are the given keywords, or the query's own words without any.

    `given` words filter: a memory must contain any of them. `added` ones come from the expander and only add score.
    """

    given: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    def allow(self, memory: Memory) -> bool:
        """Return True if a memory contains any of the given keywords, or none are given."""
        return not self.given or any(term in text for text in _texts(memory) for term in self.given)

    def share_of_given(self, memory: Memory) -> float:
        texts = _texts(memory)
        return sum(any(term in text for text in texts) for term in self.given) / max(1, len(self.given))

    def score(self, memory: Memory) -> float:
        texts = _texts(memory)
        matched = {term for term in (*self.asked, *self.added) if any(term in text for text in texts)}
        if not matched:
            return 0.0
        weights = [(one.keyword.casefold(), one.weight) for one in memory.keywords]
        weight = sum(max((own for word, own in weights if term in word), default=0.0) for term in matched)
        share = len(matched.intersection(self.asked)) / len(self.asked) if self.asked else 0.0
        return max(min(weight * TERM_WEIGHT + len(matched) * TERM_COUNT, 1.0), share)


def lower_words(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.strip().casefold() for word in words if word.strip()))


def _texts(memory: Memory) -> list[str]:
    words = [one.keyword for one in memory.keywords]
    return [text.casefold() for text in (*words, memory.summary or "", memory.content)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """How well a user's memories fit a question; the same for all memories of a search, so that order is kept.

    Attributes:
        nearest: the best cosine on the embedder's scale: 0 for unrelated texts, 1 for an answer; not clipped.
        spread: how far it lies above the user's usual cosine, on that scale.
        share: share of the question's words that the memory with most of them has, by weight.
    """

    nearest: float
    spread: float
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceWeights:
    """A logistic regression; `score` is positive, so that a better place has a higher probability.

    `best` is the weight of the best score of the search: what a memory lies behind it counts more than the score does.
    """

    base: float
    score: float
    best: float
    nearest: float
    spread: float
    share: float


WEIGHTS: Mapping[SearchMode, RelevanceWeights] = MappingProxyType(
    {
        "hybrid": RelevanceWeights(base=-7.98, score=7.92, best=-3.43, nearest=1.53, spread=1.92, share=2.00),
        "semantic": RelevanceWeights(base=-7.38, score=11.92, best=-7.12, nearest=2.88, spread=1.79, share=0.0),
    }
)
"""Fitted by `benchmarks/public/memory_calibration.py` on the users of even place; those of odd place were held out."""


def features(scores: Sequence[float], fit: Fit) -> list[tuple[float, ...]]:
    """Return what the relevance of each memory is computed from, in the order of RelevanceWeights."""
    best = max(scores, default=0.0)
    return [(1.0, score, best, fit.nearest, fit.spread, fit.share) for score in scores]


def probabilities(scores: Sequence[float], fit: Fit, mode: SearchMode) -> list[float]:
    weights = astuple(WEIGHTS[mode])
    return [logistic(sum(map(mul, weights, row))) for row in features(scores, fit)]


WORD = re.compile(r"\w+")
MOST_WORDS = 40  # of a question; each costs one query of the index


@dataclass(frozen=True, slots=True)
class RankedMemories:
    """Memories in the order of their conversations, the score of each, and how well the best ones fit the question.

    `dated` are those that speak of a day which the question names.
    """

    memories: list[Memory]
    scores: list[float]
    fit: Fit
    dated: list[bool]


@dataclass(frozen=True, slots=True)
class MemoryRanking:
    """Searches a user's memories, without a chat model."""

    store: MemoryStore
    embedder: Embedder
    segment: Segment
    scale: SemanticScale
    clock: Callable[[], datetime]

    async def find(self, user_id: str, query: MemoryQuery) -> FoundMemories:
        """Return the best memories for a checked query. Raises StoreError, ModelError.

        By keywords: the score of `Terms`. Else words and meaning together, time words as dates, and neighbouring
        turns; the relevance is a probability that falls with the place.
        """
        terms = self._terms(query)
        ranked = None if query.mode == "keyword" else await self.ranked(user_id, query)
        if ranked:
            found = related(ranked, query, terms)
        else:
            memories = await self.store.scroll(user_id, self._where(query))
            allowed = [(one, terms.score(one)) for one in memories if terms.allow(one) and query.permits(one)]
            found = [FoundMemory(memory=one, relevance=score, score=score) for one, score in allowed]
        passed = [one for one in found if 0 < one.relevance >= query.min_score]
        newest = sorted(passed, key=lambda one: (-one.memory.created_at.timestamp(), one.memory.memory_key))
        best = sorted(newest, key=lambda one: (-one.relevance, -one.score))
        return FoundMemories(len(passed), tuple(best[: query.limit]))

    async def ranked(self, user_id: str, query: MemoryQuery) -> RankedMemories:
        """Return every memory that passes the filters with its score. Raises StoreError, ModelError."""
        where, terms = self._where(query), self._terms(query)
        known = query.query.casefold()  # said again, a word of the query would only draw its meaning away
        added = [word for word in query.expanded if query.mode == "semantic" and word.casefold() not in known]
        vector = await self.embedder.embed_query(" ".join((query.query, *added)))
        count = await self.store.count(user_id, where)
        near = await self.store.dense(user_id, vector, where, count)
        rows = in_order([row for row in near if terms.allow(row.memory) and query.permits(row.memory)])
        memories, cosines = [row.memory for row in rows], [row.score for row in rows]
        links = conversation_links(memories)
        words = [] if query.mode == "semantic" else await self._word_hits(user_id, query, memories, where, count)
        shares = word_shares(words, [memory.memory_key for memory in memories], links)
        chinese = is_chinese(query.query)
        unrelated = self.scale.cosine(0.0, chinese=chinese)
        usual = usual_cosine(cosines, unrelated)
        meaning, best = meaning_scores(cosines, links, usual), max(shares, default=0.0)
        now = self.clock().astimezone(query.zone)
        occasions, dated = occasion_scores(memories, query.query, now), days_asked(memories, query.query, now)
        scores = [
            MEANING * near + WORDS * (share / best if best else share) + occasion
            for near, share, occasion in zip(meaning, shares, occasions, strict=True)
        ]
        nearest = self.scale.place(max(cosines, default=unrelated), chinese=chinese)
        spread = max(0.0, nearest - self.scale.place(usual, chinese=chinese))
        return RankedMemories(memories, scores, Fit(nearest=nearest, spread=spread, share=best), dated)

    def _terms(self, query: MemoryQuery) -> SearchTerms:
        given = lower_words(query.keywords)
        return SearchTerms(
            given=given,
            asked=given or lower_words(query_terms(query.query, self.segment)),
            added=lower_words(query.expanded),
        )

    def _where(self, query: MemoryQuery) -> MemoryFilter:
        since = None if query.days is None else self.clock() - timedelta(days=query.days)
        return MemoryFilter(active=None if query.past else True, types=query.types, since=since)

    async def _word_hits(
        self, user_id: str, query: MemoryQuery, memories: Sequence[Memory], where: MemoryFilter, limit: int
    ) -> list[dict[str, float]]:
        """Return, for each word of a search, the memories with it and their scores; {} for one that none has.

        Words without content are left out; those that a model added count where they are found.
        """
        question = query.query
        for name in {memory.speaker for memory in memories if memory.speaker}:  # a greeting by name is no content
            question = question.replace(f"{name}'s", " ").replace(name, " ")
        asked = self._words(question)
        added = [word for word in self._words(" ".join((*query.keywords, *query.expanded))) if word not in asked]
        words = [*asked, *added][:MOST_WORDS]
        found = await asyncio.gather(*(self.store.sparse(user_id, word, where, limit) for word in words))
        content = set(query_terms(query.query, self.segment))
        hits = [(word, with_keywords(word, rows, memories)) for word, rows in zip(words, found, strict=True)]
        return [scores for word, scores in hits if scores or (word in asked and word in content)]

    def _words(self, text: str) -> list[str]:
        return list(dict.fromkeys(word.casefold() for word in WORD.findall(" ".join(self.segment(text)))))


def with_keywords(word: str, rows: Sequence[RankedMemory], memories: Sequence[Memory]) -> dict[str, float]:
    """Return the scores of `memories` for a word; one that has it as a keyword counts by the keyword's weight."""
    scores = {row.memory.memory_key: row.score for row in rows}
    best = max((scores.get(memory.memory_key, 0.0) for memory in memories), default=0.0) or 1.0
    weights = {
        memory.memory_key: best * one.weight
        for memory in memories
        for one in memory.keywords
        if one.keyword.casefold() == word
    }
    keys = [memory.memory_key for memory in memories]
    both = {key: max(scores.get(key, 0.0), weights.get(key, 0.0)) for key in keys}
    return {key: score for key, score in both.items() if score > 0}


def related(ranked: RankedMemories, query: MemoryQuery, terms: SearchTerms) -> list[FoundMemory]:
    """Return memories with their relevance: a probability; by both, the share of the given keywords if it is higher.

    Where no memory has a word of the question, meaning alone decides.
    """
    by_both = query.mode == "hybrid"
    chances = probabilities(ranked.scores, ranked.fit, query.mode if ranked.fit.share else "semantic")
    given = [terms.share_of_given(memory) if by_both else 0.0 for memory in ranked.memories]
    least = [max(share, ON_ASKED_DAY * on_day) for share, on_day in zip(given, ranked.dated, strict=True)]
    return [
        FoundMemory(memory=memory, relevance=max(chance, share), score=score)
        for memory, score, chance, share in zip(ranked.memories, ranked.scores, chances, least, strict=True)
    ]
