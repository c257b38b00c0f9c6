"""Cached reads of a user's memories."""

from dataclasses import dataclass

from tools.memory.ports import MemoryStore
from tools.memory.ranking import MemoryRanking
from tools.memory.records import FoundMemories, Memory, MemoryQuery
from tools.ports import KeywordExpander
from tools.recall.caches import MemoryCaches
from tools.recall.keywords import ExpandRequest, Expansion


@dataclass(frozen=True, slots=True)
class MemoryReader:
    """Reads memories through caches; a value that was read while memories changed is not cached."""

    store: MemoryStore
    ranking: MemoryRanking
    caches: MemoryCaches

    async def find(self, user_id: str, query: MemoryQuery) -> FoundMemories:
        """Return the best memories for a query. Raises StoreError, ModelError."""
        if (known := self.caches.searches.get(user_id, query)) is not None:
            return known
        writes = self.caches.writes
        found = await self.ranking.find(user_id, query)
        if writes == self.caches.writes:
            self.caches.searches.put(user_id, query, found)
        return found

    async def get(self, user_id: str, memory_key: str) -> Memory | None:
        """Return an active memory of the user; None for an unknown, inactive or foreign key. Raises StoreError."""
        if (known := self.caches.contents.get(user_id, memory_key)) is not None:
            return known
        writes = self.caches.writes
        memory = next(iter(await self.store.get(user_id, [memory_key])), None)
        if memory is None or not memory.is_active:
            return None
        if writes == self.caches.writes:
            self.caches.contents.put(user_id, memory_key, memory)
        return memory

    async def expand(self, user_id: str, expander: KeywordExpander, request: ExpandRequest) -> Expansion:
        """Return the keywords of a query. Raises ModelError."""
        if (known := self.caches.expansions.get(user_id, request)) is not None:
            return known
        found = await expander.expand(request)
        self.caches.expansions.put(user_id, request, found)
        return found
