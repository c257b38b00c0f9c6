"""Reads and writes of one collection's points on a Qdrant server, whatever they stand for."""

from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import qdrant_edge as edge
from qdrant_client import models

from tools.errors import StoreGone
from wenmai.stores.edge.query import DENSE, SEARCH_EFFORT, SEARCH_SELECTIVITY, SPARSE
from wenmai.stores.edge.read import PAGE_ROWS, TIE_ROWS
from wenmai.stores.edge.write import WRITE_ROWS
from wenmai.stores.qdrant.collection import QdrantCollection

WRITE_FLOATS = 200_000  # 4 MB of JSON: far below the server's limit of 32 MB for a request
GRAPH_WALK = models.SearchParams(
    hnsw_ef=SEARCH_EFFORT, acorn=models.AcornSearchParams(enable=True, max_selectivity=SEARCH_SELECTIVITY)
)
EXACT = models.SearchParams(exact=True)
Condition = models.Condition


@dataclass(frozen=True, slots=True)
class QdrantPoints:
    """The points of one collection. Every query gets its conditions, the tenant among them, from the caller."""

    collection: QdrantCollection
    words: edge.Bm25

    def point(self, id: str, vector: Sequence[float], text: str, payload: dict[str, object]) -> models.PointStruct:
        """Return a point with both vectors; the words are weighed as for the embedded engine."""
        try:
            words = self.words.embed_document(text)
        except UnicodeEncodeError:
            with self.collection.errors():
                raise
        sparse = models.SparseVector(indices=list(words.indices), values=list(words.values))
        return models.PointStruct(id=id, vector={DENSE: list(vector), SPARSE: sparse}, payload=payload)

    async def write(self, points: Iterable[models.PointStruct], dimension: int) -> None:
        """Write points in batches, the collection made if need be; the same id is replaced.

        Raises StoreGone where the collection is dropped between two batches: the first one went with it.
        """
        rows, size = iter(points), max(1, min(WRITE_ROWS, WRITE_FLOATS // dimension))
        first = list(islice(rows, size))
        try:
            await self._write(first, dimension)
        except StoreGone:  # dropped since the last call: it is made anew
            await self._write(first, dimension)
        while batch := list(islice(rows, size)):
            await self._write(batch, dimension)

    async def _write(self, batch: list[models.PointStruct], dimension: int) -> None:
        await self.collection.require_made(dimension)
        with self.collection.errors():
            await self.collection.server.client.upsert(self.collection.name, batch, wait=True)

    async def change(self, *operations: models.UpdateOperation) -> None:
        """Carry out operations one after the other, in one request."""
        if operations and await self.collection.exists():
            with self.collection.errors():
                await self.collection.server.client.batch_update_points(
                    self.collection.name, list(operations), wait=True
                )

    async def delete(self, condition: models.Filter) -> None:
        """Delete every row that matches."""
        await self.change(models.DeleteOperation(delete=models.FilterSelector(filter=condition)))

    async def records(
        self, condition: models.Filter, fields: bool | list[str] = True, vectors: list[str] | None = None
    ) -> AsyncIterator[models.Record]:
        """Yield every row that matches, a page at a time."""
        if not await self.collection.exists():
            return
        offset: Any = None
        while True:
            with self.collection.errors():
                page, offset = await self.collection.server.client.scroll(
                    self.collection.name,
                    condition,
                    limit=PAGE_ROWS,
                    offset=offset,
                    with_payload=fields,
                    with_vectors=vectors or False,
                )
            for record in page:
                yield record
            if offset is None:
                return

    async def listed(
        self, condition: models.Filter, fields: bool | list[str] = True, vectors: list[str] | None = None
    ) -> list[models.Record]:
        """Return every row that matches."""
        return [record async for record in self.records(condition, fields, vectors)]

    async def count(self, condition: models.Filter) -> int:
        """Return how many rows match."""
        if not await self.collection.exists():
            return 0
        with self.collection.errors():
            return (await self.collection.server.client.count(self.collection.name, condition, exact=True)).count

    async def nearest(
        self,
        vector: Sequence[float],
        condition: models.Filter,
        limit: int,
        params: models.SearchParams = GRAPH_WALK,
        fields: bool | list[str] = True,
    ) -> list[models.ScoredPoint]:
        """Return the rows nearest by cosine, as `_ranked`."""
        return await self._ranked(list(vector), DENSE, condition, limit, params, fields)

    async def wording(
        self,
        text: str,
        condition: models.Filter,
        limit: int,
        counted: models.Filter,
        fields: bool | list[str] = True,
    ) -> list[models.ScoredPoint]:
        """Return the rows that share most with the words of `text`, weighed by how rare they are among `counted`."""
        with self.collection.errors():
            words = self.words.embed_query(text)
        if not words.indices:
            return []
        query = models.SparseVector(indices=list(words.indices), values=list(words.values))
        params = models.SearchParams(idf=models.IdfCorpusParams(corpus=counted))
        return await self._ranked(query, SPARSE, condition, limit, params, fields)

    async def _ranked(
        self,
        query: list[float] | models.SparseVector,
        using: str,
        condition: models.Filter,
        limit: int,
        params: models.SearchParams,
        fields: bool | list[str],
    ) -> list[models.ScoredPoint]:
        """Return at least `limit` rows, best first, with all that equal the last: the caller cuts ties in his order."""
        if limit < 1 or not await self.collection.exists():
            return []
        size = limit + 1
        while True:
            with self.collection.errors():
                answer = await self.collection.server.client.query_points(
                    self.collection.name,
                    query=query,
                    using=using,
                    query_filter=condition,
                    search_params=params,
                    limit=size,
                    with_payload=fields,
                )
            rows = answer.points
            if len(rows) < size or size > TIE_ROWS or rows[limit - 1].score > rows[-1].score:
                return rows
            size *= 2


def dense_of(record: models.Record) -> list[float]:
    """Return the dense vector of a row that was read with it."""
    named = record.vector
    if not isinstance(named, dict):
        raise TypeError(f"a point without named vectors: {record.id}")
    return [float(value) for value in named[DENSE]]  # type: ignore[arg-type]  # dense by its name


def equals(field: str, value: str | int) -> models.FieldCondition:
    """Return the condition that a field has this value as a whole."""
    return models.FieldCondition(key=field, match=models.MatchValue(value=value))


def any_of(field: str, values: Sequence[str]) -> models.FieldCondition:
    """Return the condition that a field has one of these values."""
    return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))


def within(
    field: str, *, gt: float | None = None, gte: float | None = None, lt: float | None = None, lte: float | None = None
) -> models.FieldCondition:
    """Return the condition that a number lies between bounds."""
    return models.FieldCondition(key=field, range=models.Range(gt=gt, gte=gte, lt=lt, lte=lte))


def has_id(ids: Sequence[str]) -> models.HasIdCondition:
    """Return the condition that a point is one of these."""
    return models.HasIdCondition(has_id=list(ids))
