"""The ranking of `search_memories` (memory.md §3): filters, scores, order, limit."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from tools.memories import FoundMemories, MemoryQuery, SemanticScale
from tools.memory_terms import Segment
from tools.ports import Embedder, MemoryStore


@dataclass(frozen=True, slots=True)
class MemoryRanking:
    """Searches a user's active memories; takes no decisions and calls no chat model."""

    store: MemoryStore
    embedder: Embedder
    segment: Segment
    scale: SemanticScale
    clock: Callable[[], datetime]

    async def find(self, user_id: str, query: MemoryQuery) -> FoundMemories:
        """Return the best memories for a query that was checked before. Raises StoreError, ModelError."""
        raise NotImplementedError

    async def recall(self, user_id: str, question: str, limit: int = 10) -> FoundMemories:
        """Return the memories that a question of a conversation leans on, best first.

        Beyond `find`: words and meaning are fused, time words become dates, neighbours in a talk speak for each other.
        """
        raise NotImplementedError
