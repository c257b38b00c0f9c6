"""The hybrid search of every tool that finds text."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from tools.errors import ModelError
from tools.messages import say
from tools.notes import note
from tools.ports import Embedder, PassageStore
from tools.records import PassageFilter, Ranked, ScoredPassage

logger = logging.getLogger(__name__)

# Reciprocal rank fusion: Cormack, Clarke, Büttcher, SIGIR 2009, with their constant.
FUSION_CONSTANT = 60
MIN_CANDIDATES = 50
CANDIDATES_PER_ROW = 5
# Longer than any question; embedding models read about 512 tokens.
MAX_QUERY_CHARACTERS = 1_000


@dataclass(frozen=True, slots=True)
class Retriever:
    """Finds passages by meaning and by words."""

    passages: PassageStore
    embedder: Embedder

    async def search(self, library: str, query: str, where: PassageFilter, top_k: int) -> list[ScoredPassage]:
        """Return the `top_k` best passages with their cosine to the query; the store applies every filter."""
        text = _sane(query)
        vector = await self._vector(text)
        candidates = max(MIN_CANDIDATES, CANDIDATES_PER_ROW * top_k)
        searches = [self.passages.sparse(library, text, where, candidates)]
        if vector is not None:
            searches.insert(0, self.passages.dense(library, vector, where, candidates))
        best = fuse(await asyncio.gather(*searches))[:top_k]
        return await self.passages.fetch(library, [row.id for row in best], vector, where.horizon) if best else []

    async def _vector(self, text: str) -> list[float] | None:
        """Embed a query; None if the embedder's service fails: then the search uses words alone, without cosines."""
        try:
            return await self.embedder.embed_query(text)
        except ModelError as error:
            logger.warning("searched by words alone: %s", error)
            note(say("story.searched_by_words", error=error))
            return None


def fuse(rankings: Sequence[Sequence[Ranked]]) -> list[Ranked]:
    """Join rankings by the sum of 1/(60 + rank), ranks from 1; ties by story position, then id."""
    scores: dict[str, float] = {}
    orders: dict[str, int] = {}
    for ranking in rankings:
        for rank, row in enumerate(ranking, 1):
            scores[row.id] = scores.get(row.id, 0.0) + 1 / (FUSION_CONSTANT + rank)
            orders[row.id] = row.event_order
    rows = [Ranked(id, score, orders[id]) for id, score in scores.items()]
    return sorted(rows, key=lambda row: (-row.score, row.event_order, row.id))


def _sane(query: str) -> str:
    """Cut a query to the length that an embedder reads."""
    if len(query) > MAX_QUERY_CHARACTERS:
        logger.info("Cut a query of %d characters to %d", len(query), MAX_QUERY_CHARACTERS)
    return query[:MAX_QUERY_CHARACTERS]
