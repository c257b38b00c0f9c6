"""The context of a memory tool in a recall, no part of which comes from a model: identity, counters, cached reads."""

from collections import OrderedDict
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, tzinfo
from time import monotonic
from typing import Generic, TypeVar

from state.context import Language
from tools.formatting import RESULT_CHARACTERS
from tools.memory.ranking import MemoryRanking
from tools.memory.records import SENSITIVE_PERMISSION, FoundMemories, Memory, MemoryQuery, StoryGuard
from tools.ports import KeywordExpander, MemoryStore, MonotonicClock
from tools.recall.schemas import START_WINDOW, ExpandRequest, Expansion
from tools.records import Horizon

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

    async def get(self, user_id: str, memory_key: str, *, past: bool = False) -> Memory | None:
        """Return an active memory of the user, one of the `past` too if it may be; else None. Raises StoreError."""
        if (known := self.caches.contents.get(user_id, memory_key)) is not None:
            return known
        writes = self.caches.writes
        memory = next(iter(await self.store.get(user_id, [memory_key])), None)
        if memory is None or not memory.is_active:
            return memory if past else None
        if writes == self.caches.writes:
            self.caches.contents.put(user_id, memory_key, memory)
        return memory

    async def expand(self, user_id: str, expander: KeywordExpander, request: ExpandRequest) -> Expansion:
        if (known := self.caches.expansions.get(user_id, request)) is not None:
            return known
        found = await expander.expand(request)
        self.caches.expansions.put(user_id, request, found)
        return found


MAX_ITERATIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """The iteration of a recall: its number 1..most, the window that the model sees, the number of messages."""

    number: int = 1
    most: int = MAX_ITERATIONS
    window: int = START_WINDOW
    available: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContext:
    """Identity, services and counters of one call.

    Attributes:
        model: expands keywords, unless the call is the code's own (`expands`).
        seen: keys of this recall with their best score, 0..1.
        leads: keys of memories around a search's results; a handoff may name them as well.
        horizon: the spoiler guard of the run, on its library.
        zone: of the clock by which the user says yesterday.
        searches_in_row: searches since the last other call; `searches` counts all of the recall.
    """

    user_id: str
    store: MemoryReader
    model: KeywordExpander
    expands: bool = True
    iteration: Iteration = Iteration()
    permissions: frozenset[str] = frozenset()
    seen: Mapping[str, float] = field(default_factory=dict[str, float])
    leads: frozenset[str] = frozenset()
    searches_in_row: int = 0
    searches: int = 0
    library: str = ""
    horizon: Horizon | None = None
    budget: int = RESULT_CHARACTERS
    language: Language = "zh"
    zone: tzinfo = UTC

    @property
    def sees_sensitive(self) -> bool:
        return SENSITIVE_PERMISSION in self.permissions

    @property
    def guard(self) -> StoryGuard | None:
        """The guard that hides memories that reveal more of the story than a reader at the horizon knows."""
        return StoryGuard(self.library, self.horizon) if self.horizon else None
