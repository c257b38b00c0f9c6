"""The search of semantic_search and rag mode: by meaning and by words, in the documents that a run may see."""

import asyncio
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass

from tools.base import Scope
from tools.documents.ports import DocumentStore
from tools.documents.records import Chunk, DocumentScope, RankedChunk, place_of
from tools.documents.scores import WEIGHTS, Asked, SearchWeights, scores
from tools.errors import ModelError
from tools.messages import say
from tools.notes import note
from tools.ports import Embedder
from tools.story.retrieval import MAX_QUERY_CHARACTERS
from tools.story.windows import nearest

CANDIDATES = 50  # rows of each ranking

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FoundChunk:
    """A chunk with its cosine to the query, clipped to 0..1; None if nothing was compared."""

    chunk: Chunk
    score: float | None


@dataclass(frozen=True, slots=True)
class DocumentSearch:
    """Finds chunks; isolation is a condition inside each of the store's queries."""

    documents: DocumentStore
    embedder: Embedder
    weights: SearchWeights = WEIGHTS

    async def search(self, query: str, scope: Scope, top_k: int) -> list[FoundChunk]:
        """Return the `top_k` best chunks, ties by filename and chunk_index. Raises StoreError.

        Two rankings give the candidates; `tools.documents.scores` orders them.
        """
        seen, asked = seen_by(scope), Asked.of(query[:MAX_QUERY_CHARACTERS], scope.earlier)
        vector = await self._vector(asked)
        searches = [self.documents.sparse(seen, asked.words[:MAX_QUERY_CHARACTERS], CANDIDATES)]
        if vector is not None:
            searches.append(self.documents.dense(seen, vector, CANDIDATES))
        found = candidates(await asyncio.gather(*searches))
        rows = await self.documents.fetch(seen, [one.chunk_id for one in found], vector) if found else []
        cosines = [row.score if vector is not None else 0.0 for row in rows]
        points = scores(asked, [row.chunk for row in rows], near(rows, vector, self.weights.part), self.weights)
        order = sorted(range(len(rows)), key=lambda at: (-points[at], place_of(rows[at].chunk)))
        clipped = [None if vector is None else min(1.0, max(0.0, cosine)) for cosine in cosines]
        return [FoundChunk(rows[at].chunk, clipped[at]) for at in order[:top_k]]

    async def get_context_chunks(self, question: str, scope: Scope, top_k: int = 5) -> list[str]:
        """Return the chunks for rag mode, best first."""
        return [one.chunk.content for one in await self.search(question, scope, top_k)]

    async def _vector(self, asked: Asked) -> list[float] | None:
        """Embed a query, pulled towards the last question of its conversation.

        None if the embedder's service fails: then the search uses words alone.
        """
        try:
            own = await self.embedder.embed_query(asked.query)
            last = await self.embedder.embed_query(asked.behind.last) if asked.behind.last else own
            return pulled(own, last, asked.behind.direction)
        except ModelError as error:
            logger.warning("searched by words alone: %s", type(error).__name__)
            note(say("story.searched_by_words", error=error))
            return None


def seen_by(scope: Scope) -> DocumentScope:
    """Return the documents that a run may see; user and thread never come from arguments."""
    return DocumentScope(scope.user_id, scope.thread_id)


def pulled(own: Sequence[float], last: Sequence[float], share: float) -> list[float]:
    """Return the direction of one vector with a share of another, as a unit vector."""
    mixed = [a + share * b for a, b in zip(own, last, strict=True)]
    length = math.hypot(*mixed) or 1.0
    return [value / length for value in mixed]


def near(rows: Sequence[RankedChunk], vector: Sequence[float] | None, share: float) -> list[float]:
    """Return the cosine of each chunk, mixed with that of its nearest window if it has several.

    The mean of the windows stands for the topic, a window for a statement on it (`tools.story.windows`).
    """
    if vector is None:
        return [0.0] * len(rows)
    parts = [nearest(row.chunk.windows, vector) for row in rows]
    return [
        row.score if part is None else (1 - share) * row.score + share * part
        for row, part in zip(rows, parts, strict=True)
    ]


def candidates(rankings: Sequence[Sequence[RankedChunk]]) -> list[Chunk]:
    """Return the chunks of all rankings, each once."""
    return list({row.chunk.chunk_id: row.chunk for ranking in rankings for row in ranking}.values())
