"""What the stores need of the points of a vector engine."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from wenmai.stores.records.conditions import Filter
from wenmai.stores.records.points import NewPoint, ScoredPoint, VectorPoint


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
        """Let no deleted text stay in files, where no server does by itself."""
        ...

    async def expect_rewrite(self) -> None:
        """Note that deleted texts must leave the files, where there are any."""
        ...

    async def close(self) -> None:
        """Close files or connections."""
        ...


class Points(Protocol):
    """The points of one collection. Every query gets its conditions, the tenant among them, from the caller."""

    @property
    def collection(self) -> Collection:
        """Where they are."""
        ...

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points, the collection made if need be; the same id is replaced."""
        ...

    async def delete(self, condition: Filter) -> int:
        """Delete every row that matches and return how many there were."""
        ...

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> Sequence[VectorPoint]:
        """Return every row that matches."""
        ...

    def everything(self) -> AsyncIterator[VectorPoint]:
        """Yield every row with its vector, a page at a time."""
        ...

    async def count(self, condition: Filter) -> int:
        """Return how many rows match."""
        ...

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
