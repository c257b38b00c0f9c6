"""What the stores need of the points of a vector engine."""

import re
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from tools.errors import EmbedderMismatch
from tools.messages import Message, Text
from wenmai.stores.vectors.conditions import Filter

DENSE = "dense"
SPARSE = "sparse"

PAGE_ROWS = 1_000
WRITE_ROWS = 500
TIE_ROWS = 4_096  # rows read at most to order equal scores at the cut

# Words of a text that are no stop words; BM25 normalises lengths with it.
PASSAGE_WORDS = 280  # measured: 450 characters of 三国演义
CHUNK_WORDS = 280
MEMORY_WORDS = 20

# Below this size of a segment's vectors every search is exact, and nothing needs building: 20,000 vectors of 384
# dimensions are compared in 4 ms. Above it, the engine builds a graph.
EXACT_KILOBYTES = 40_000
GRAPH_LINKS = 16
GRAPH_EFFORT = 64  # recall@50 0.999 at 20,000 points, as with 100, in two thirds of the time
SCAN_KILOBYTES = 40_000  # a filter that leaves fewer vectors than this is answered exactly
NO_GLOBAL_LINKS = 0  # where no search is without its tenant, links over all tenants' vectors would never be walked
# Measured at 200,000 points (benchmarks/growth.py): recall@10 is 0.99 without a filter and with filters that leave 15,
# 20, 33, 50 and 80 % of the rows; an effort of 256 finds no more in twice the time. At 30,000 points the engine's
# defaults gave a recall@50 of 0.28 under a filter on a sixth of them; walked without ACORN it is 0.74 here.
SEARCH_EFFORT = 128
SEARCH_SELECTIVITY = 0.7

IndexKind = Literal["keyword", "tenant", "integer", "datetime"]
PASSAGE_INDEXES: Mapping[str, IndexKind] = {
    "library": "tenant",
    "task_id": "keyword",
    "entities": "keyword",
    "characters": "keyword",
    "series_name": "keyword",
    "veiled": "keyword",
    "known_as": "keyword",
    "chapter": "integer",
    "event_order": "integer",
    "part": "integer",
}
DOCUMENT_INDEXES: Mapping[str, IndexKind] = {
    "user_id": "tenant",
    "visibility": "keyword",
    "session_id": "keyword",
    "document_id": "keyword",
    "filename": "keyword",
    "mime_type": "keyword",
    "chunk_index": "integer",
}
MEMORY_INDEXES: Mapping[str, IndexKind] = {
    "user_id": "tenant",
    "state": "keyword",
    "memory_key": "keyword",
    "memory_type": "keyword",
    "thread_id": "keyword",
    "superseded_by": "keyword",
    "created_at": "datetime",
}


@dataclass(frozen=True, slots=True)
class CollectionPlan:
    """What a collection is.

    Attributes:
        label: what it holds, as messages name it.
        fields: what is indexed.
        remedy: what to do about another embedder, instead of going back to the old one.
    """

    label: Message
    fields: Mapping[str, IndexKind]
    remedy: Message

    def require_same(self, built: tuple[str, int] | None, embedder: str, dimension: int) -> None:
        if built is not None and built != (embedder, dimension):
            raise EmbedderMismatch(other_embedder(self.label, built, (embedder, dimension), self.remedy))


def other_embedder(label: Message, built: tuple[str, int], now: tuple[str, int], remedy: Text) -> Message:
    """Return the message about a collection that another embedder built; both with their dimensions."""
    old, new = (Message("embedder.with_dimension", name=name, dimension=dimension) for name, dimension in (built, now))
    return Message("store.other_embedder", label=label, built=old, now=new, remedy=remedy)


def collection_of(base: str, embedder: str) -> str:
    return f"{base}_{re.sub(r'[^0-9A-Za-z_.-]', '-', embedder)}"


UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class NewPoint:
    """A point to write: its dense vector, the text that is indexed by its words, and its payload."""

    id: str
    vector: Sequence[float]
    text: str
    payload: dict[str, Any]


class StoredPoint(Protocol):
    @property
    def id(self) -> object: ...

    @property
    def payload(self) -> Mapping[str, Any] | None: ...


class ScoredPoint(StoredPoint, Protocol):
    @property
    def score(self) -> float:
        """Its cosine, or BM25."""
        ...


class VectorPoint(StoredPoint, Protocol):
    @property
    def vector(self) -> object: ...


def point_ids(ids: Iterable[str]) -> list[str]:
    """Return the different ids that can be points, sorted; others are unknown ids, not errors."""
    return sorted({id for id in ids if UUID_TEXT.fullmatch(id)})


def dense_vector(point: VectorPoint) -> list[float]:
    """Return the dense vector of a point. Raises TypeError for one that was read without vectors."""
    named = point.vector
    if not isinstance(named, dict):
        raise TypeError(f"a point without named vectors: {point.id}")
    return [float(value) for value in named[DENSE]]


def event_order(point: StoredPoint) -> int:
    return int((point.payload or {})["event_order"])


def has_all_ties(rows: Sequence[ScoredPoint], asked: int, limit: int) -> bool:
    """Return True if a ranking holds every row that equals the last of `limit`, or `asked` is more than ties may cost.

    Args:
        rows: what the engine returned, best first.
        asked: how many rows it was asked for, more than `limit`.
        limit: where the ranking will be cut.
    """
    return len(rows) < asked or asked > TIE_ROWS or rows[limit - 1].score > rows[-1].score


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a payload are read: `only` these, where that is None all but `without`."""

    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()


ALL_FIELDS, NO_FIELDS = Fields(), Fields(only=())


class Collection(Protocol):
    async def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless it was built with the embedder in use, or is not there yet."""
        ...

    async def optimize(self) -> None:
        """Make searches fast at the end of bulk writes, where no server does by itself."""
        ...

    async def rewrite(self) -> None:
        """Let no deleted text stay in files, where no server does by itself. Raises StoreFull."""
        ...

    async def clean(self) -> bool:
        """Do so where any text was deleted since; return False on a full disk, where it is done later."""
        ...

    async def close(self) -> None: ...


class Points(Protocol):
    """The points of one collection. Every query gets its conditions, the tenant among them, from the caller."""

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points, the collection made if need be; the same id is replaced."""
        ...

    async def delete(self, condition: Filter) -> int:
        """Delete every row that matches and return how many there were."""
        ...

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> Sequence[VectorPoint]: ...

    def everything(self) -> AsyncIterator[VectorPoint]:
        """Yield every row with its vector, a page at a time."""
        ...

    async def count(self, condition: Filter) -> int: ...

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> Sequence[ScoredPoint]:
        """Return the rows nearest by cosine, with all that equal the last: the caller orders and cuts them."""
        ...

    async def compared(self, vector: Sequence[float], condition: Filter, limit: int) -> Sequence[ScoredPoint]:
        """Return what `nearest` does, every row compared."""
        ...

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter, fields: Fields = ALL_FIELDS
    ) -> Sequence[ScoredPoint]:
        """Return the rows that share most with the words of `text`, weighed by how rare they are among `counted`."""
        ...


class PassagePoints(Points, Protocol):
    """Points that have a place in a story."""

    async def in_story_order(self, condition: Filter, limit: int | None, fields: Fields) -> Sequence[VectorPoint]:
        """Return every row that matches, or the first `limit`, by event_order and id."""
        ...

    async def reorder(self, condition: Filter, orders: Mapping[str, int]) -> None:
        """Set `event_order` of those of these ids that match."""
        ...
