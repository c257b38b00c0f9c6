"""The points of a collection in Qdrant Edge, each call in a thread beside others."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import qdrant_edge as edge

from wenmai.stores.edge.points import Payload
from wenmai.stores.edge.schema import EXACT
from wenmai.stores.edge.store import EdgeStore
from wenmai.stores.records.conditions import EVERYTHING, Filter
from wenmai.stores.records.points import NewPoint
from wenmai.stores.records.vector_policy import DENSE, PAGE_ROWS
from wenmai.stores.vectors.points import ALL_FIELDS, Fields


@dataclass(frozen=True, slots=True)
class CollectionPoints:
    """The points of one collection. Every query gets its conditions from the caller.

    Attributes:
        params: how a search by meaning walks the graph, None for the engine's own way.
    """

    collection: EdgeStore
    params: edge.SearchParams | None = None

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points; the same id is replaced."""
        await self.collection.shared(self._write, points, dimension)

    async def delete(self, condition: Filter) -> int:
        """Delete every row that matches and return how many there were."""
        return await self.collection.shared(self._delete, condition)

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> list[edge.Record]:
        """Return every row that matches."""
        rows = self.collection.points.records(condition, payload_of(fields), [DENSE] if vectors else None)
        return await self.collection.shared(list, rows)

    async def everything(self) -> AsyncIterator[edge.Record]:
        """Yield every row with its vector, a page at a time."""
        rows = self.collection.points.records(EVERYTHING, vectors=[DENSE])
        while page := await self.collection.shared(_page, rows):
            for row in page:
                yield row

    async def count(self, condition: Filter) -> int:
        """Return how many rows match."""
        return await self.collection.shared(self.collection.points.count, condition)

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> list[edge.ScoredPoint]:
        """Return the rows nearest by cosine, with all that equal the last: the caller orders and cuts them."""
        nearest = self.collection.points.nearest
        return await self.collection.shared(nearest, vector, condition, limit, self.params, payload_of(fields))

    async def compared(self, vector: Sequence[float], condition: Filter, limit: int) -> list[edge.ScoredPoint]:
        """Return what `nearest` does, every row compared."""
        return await self.collection.shared(self.collection.points.nearest, vector, condition, limit, EXACT)

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter, fields: Fields = ALL_FIELDS
    ) -> list[edge.ScoredPoint]:
        """Return the rows that share most with the words of `text`, weighed by how rare they are among `counted`."""
        wording = self.collection.points.wording
        return await self.collection.shared(wording, text, condition, limit, counted, payload_of(fields))

    def _write(self, points: Iterable[NewPoint], dimension: int) -> None:
        with self.collection.writing(dimension):
            self.collection.points.write(points, dimension)

    def _delete(self, condition: Filter) -> int:
        if count := self.collection.points.count(condition):
            self.collection.points.delete(condition, rows=count)
        return count


def payload_of(fields: Fields) -> Payload:
    """Return what the engine is asked for of the payload."""
    if fields.only is not None:
        return list(fields.only)
    return edge.PayloadSelector.Exclude(list(fields.without)) if fields.without else True


def _page(rows: Iterator[edge.Record]) -> list[edge.Record]:
    return list(islice(rows, PAGE_ROWS))
