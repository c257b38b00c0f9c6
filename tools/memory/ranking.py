"""The ranking of `search_memories`: filters, scores, order, limit."""

import asyncio
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from tools.language import is_chinese
from tools.memory.conversations import (
    LEAST_SHARE,
    fused,
    in_order,
    linked,
    meaning_scores,
    occasion_scores,
    without_speakers,
    word_scores,
)
from tools.memory.keywords import Segment, query_terms
from tools.memory.ports import MemoryStore
from tools.memory.records import (
    FoundMemories,
    FoundMemory,
    Memory,
    MemoryFilter,
    MemoryQuery,
    RankedMemory,
    SemanticScale,
)
from tools.memory.scores import Terms, best_first, lowered, relevance
from tools.ports import Embedder

WORD = re.compile(r"\w+")
MOST_WORDS = 40  # of a question; each costs one query of the index


@dataclass(frozen=True, slots=True)
class MemoryRanking:
    """Searches a user's active memories, without a chat model."""

    store: MemoryStore
    embedder: Embedder
    segment: Segment
    scale: SemanticScale
    clock: Callable[[], datetime]

    async def find(self, user_id: str, query: MemoryQuery) -> FoundMemories:
        """Return the best memories for a checked query. Raises StoreError, ModelError."""
        terms = self._terms(query)
        rows = await self._rows(user_id, query)
        scored = [self._scored(row, query, terms) for row in rows if allowed(row.memory, query, terms)]
        kept = sorted((one for one in scored if 0 < one.relevance >= query.min_score), key=best_first)
        return FoundMemories(len(kept), tuple(kept[: query.limit]))

    def _terms(self, query: MemoryQuery) -> Terms:
        given = lowered(query.keywords)
        return Terms(
            given=given,
            asked=given or lowered(query_terms(query.query, self.segment)),
            added=lowered(query.expanded),
        )

    async def _rows(self, user_id: str, query: MemoryQuery) -> list[RankedMemory]:
        """Return every memory that passes the filters, with its cosine: the total is counted before the limit."""
        where = self._where(query)
        if query.mode == "keyword":
            return [RankedMemory(memory, 0.0) for memory in await self.store.scroll(user_id, where)]
        text = " ".join((query.query, *query.expanded)) if query.mode == "semantic" else query.query
        vector = await self.embedder.embed_query(text)
        return await self.store.dense(user_id, vector, where, await self.store.count(user_id, where))

    def _where(self, query: MemoryQuery) -> MemoryFilter:
        since = None if query.days is None else self.clock() - timedelta(days=query.days)
        return MemoryFilter(types=query.types, since=since)

    def _scored(self, row: RankedMemory, query: MemoryQuery, terms: Terms) -> FoundMemory:
        chinese = is_chinese(query.query)
        semantic = 0.0 if query.mode == "keyword" else self.scale.score(row.score, chinese=chinese)
        keyword = 0.0 if query.mode == "semantic" else terms.score(row.memory)
        return FoundMemory(
            memory=row.memory,
            relevance=relevance(query.mode, semantic, keyword),
            semantic=semantic,
            keyword=keyword,
        )

    async def recall(self, user_id: str, query: MemoryQuery) -> FoundMemories:
        """Return the memories for a question of a conversation, best first; the filters of `query` apply.

        Unlike `find` it fuses words and meaning, resolves time words to dates, and counts neighbouring turns.
        The relevance of each is that of a hybrid search; the order is that of the fused scores.
        """
        question, terms = query.query, self._terms(query)
        rows = in_order([row for row in await self._rows(user_id, query) if allowed(row.memory, query, terms)])
        memories = [row.memory for row in rows]
        links = linked(memories)
        words = await self._word_hits(user_id, without_speakers(question, memories), self._where(query), len(rows))
        scores = fused(
            meaning_scores([row.score for row in rows], links),
            word_scores(words, [memory.memory_key for memory in memories], links),
            occasion_scores(memories, question, self.clock()),
        )
        least = LEAST_SHARE * max(scores, default=0.0)
        best = sorted(range(len(rows)), key=lambda at: (-scores[at], memories[at].memory_key))
        kept = [at for at in best if scores[at] >= least]
        return FoundMemories(len(kept), tuple(self._scored(rows[at], query, terms) for at in kept[: query.limit]))

    async def _word_hits(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[dict[str, float]]:
        """Return, for each word of a text, the memories with it and their scores."""
        asked = list(dict.fromkeys(word.casefold() for word in WORD.findall(" ".join(self.segment(text)))))
        searches = [self.store.sparse(user_id, word, where, limit) for word in asked[:MOST_WORDS]]
        return [{row.memory.memory_key: row.score for row in rows} for rows in await asyncio.gather(*searches)]


def allowed(memory: Memory, query: MemoryQuery, terms: Terms) -> bool:
    """Return True if a memory has the given keywords and the run's guard permits it."""
    return terms.allow(memory) and query.permits(memory)
