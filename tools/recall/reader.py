"""Cached reads of a user's memories."""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from time import monotonic
from typing import Generic, TypeVar

from tools.memory.ranking import MemoryRanking
from tools.memory.records import FoundMemories, Memory, MemoryQuery
from tools.ports import KeywordExpander, MemoryStore, MonotonicClock
from tools.recall.keywords import ExpandRequest, Expansion

# Lifetimes in seconds.
EXPANSION_S = 300.0
SEARCH_S = 60.0
CONTENT_S = 600.0
SIZE = 1_000  # entries of one cache; the oldest goes first

Value = TypeVar("Value")


class TimedCache(Generic[Value]):
    """Values by user and key, for `seconds`; beyond SIZE the oldest is dropped."""

    def __init__(self, seconds: float, clock: MonotonicClock) -> None:
        self._seconds = seconds
        self._clock = clock
        self._kept: OrderedDict[tuple[str, Hashable], tuple[float, Value]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._kept)

    def get(self, user_id: str, key: Hashable) -> Value | None:
        """Return a value that has not expired."""
        expires, value = self._kept.get((user_id, key), (0.0, None))
        if value is not None and self._clock() >= expires:
            del self._kept[user_id, key]
            return None
        return value

    def put(self, user_id: str, key: Hashable, value: Value) -> None:
        self._kept.pop((user_id, key), None)
        self._kept[user_id, key] = (self._clock() + self._seconds, value)
        while len(self._kept) > SIZE:
            self._kept.popitem(last=False)

    def keys_of(self, user_id: str) -> list[tuple[str, Hashable]]:
        return [key for key in self._kept if key[0] == user_id]

    def drop(self, user_id: str) -> None:
        for key in self.keys_of(user_id):
            del self._kept[key]


class MemoryCaches:
    """The three caches of a process; `writes` counts the changes of memories."""

    def __init__(self, clock: MonotonicClock = monotonic) -> None:
        self.writes = 0
        self.expansions = TimedCache[Expansion](EXPANSION_S, clock)
        self.searches = TimedCache[FoundMemories](SEARCH_S, clock)
        self.contents = TimedCache[Memory](CONTENT_S, clock)

    def count(self, user_id: str) -> int:
        """Return how many values of a user are kept."""
        return sum(len(cache.keys_of(user_id)) for cache in (self.expansions, self.searches, self.contents))

    def drop(self, user_id: str) -> None:
        """Drop all values of a user; to be called after every write.

        Reads that are under way may be older than the write: `MemoryReader` does not cache them.
        """
        self.writes += 1
        self.expansions.drop(user_id)
        self.searches.drop(user_id)
        self.contents.drop(user_id)


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
