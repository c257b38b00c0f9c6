"""Reads and writes of the points of one collection on a Qdrant server, whatever they hold."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from qdrant_client import models

from tools.errors import StoreGone
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.records.conditions import (
    EVERYTHING,
    Condition,
    Dated,
    Equals,
    Filter,
    HasId,
    IsEmpty,
    Nested,
    OneOf,
    Within,
    all_of,
    has_id,
)
from wenmai.stores.records.points import (
    DENSE,
    PAGE_ROWS,
    SEARCH_EFFORT,
    SEARCH_SELECTIVITY,
    SPARSE,
    WRITE_ROWS,
    NewPoint,
    StoryScroll,
    has_all_ties,
)
from wenmai.stores.records.words import Words
from wenmai.stores.vectors.points import ALL_FIELDS, Fields


def server_filter(filter: Filter) -> models.Filter:
    return models.Filter(must=_each(filter.must), should=_each(filter.should), must_not=_each(filter.must_not))


def _each(conditions: Sequence[Condition]) -> list[models.Condition] | None:
    return [_condition(one) for one in conditions] or None


def _condition(condition: Condition) -> models.Condition:
    match condition:
        case Filter():
            return server_filter(condition)
        case Equals(field, value):
            return models.FieldCondition(key=field, match=models.MatchValue(value=value))
        case OneOf(field, values):
            return models.FieldCondition(key=field, match=models.MatchAny(any=list(values)))
        case Within(field, gt, gte, lt, lte):
            return models.FieldCondition(key=field, range=models.Range(gt=gt, gte=gte, lt=lt, lte=lte))
        case Dated(field, since, until):
            return models.FieldCondition(key=field, range=models.DatetimeRange(gte=since, lt=until))
        case HasId(ids):
            return models.HasIdCondition(has_id=list(ids))
        case IsEmpty(field):
            return models.IsEmptyCondition(is_empty=models.PayloadField(key=field))
        case Nested(field, filter):
            return models.NestedCondition(nested=models.Nested(key=field, filter=server_filter(filter)))


WRITE_FLOATS = 200_000  # 4 MB of JSON: far below the server's limit of 32 MB for a request
GRAPH_WALK = models.SearchParams(
    hnsw_ef=SEARCH_EFFORT, acorn=models.AcornSearchParams(enable=True, max_selectivity=SEARCH_SELECTIVITY)
)
EXACT = models.SearchParams(exact=True)


@dataclass(frozen=True, slots=True)
class QdrantPoints:
    """The points of one collection. Every query gets its conditions, the tenant among them, from the caller."""

    collection: QdrantCollection
    words: Words

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points in batches, the collection made if need be; the same id is replaced.

        Raises StoreGone where the collection is dropped between two batches: the first one went with it.
        """
        rows, size = map(self._point, points), max(1, min(WRITE_ROWS, WRITE_FLOATS // dimension))
        first = list(islice(rows, size))
        try:
            await self._write(first, dimension)
        except StoreGone:  # dropped since the last call: it is made again
            await self._write(first, dimension)
        while batch := list(islice(rows, size)):
            await self._write(batch, dimension)

    async def _write(self, batch: list[models.PointStruct], dimension: int) -> None:
        await self.collection.require_made(dimension)
        with self.collection.errors():
            await self.collection.server.client.upsert(self.collection.name, batch, wait=True)

    def _point(self, row: NewPoint) -> models.PointStruct:
        with self.collection.errors():
            words = self.words.embed_document(row.text)
        sparse = models.SparseVector(indices=list(words.indices), values=list(words.values))
        return models.PointStruct(id=row.id, vector={DENSE: list(row.vector), SPARSE: sparse}, payload=row.payload)

    async def change(self, *operations: models.UpdateOperation) -> None:
        """Carry out operations one after the other, in one request."""
        if operations and await self.collection.exists():
            with self.collection.errors():
                await self.collection.server.client.batch_update_points(
                    self.collection.name, list(operations), wait=True
                )

    async def delete(self, condition: Filter) -> int:
        if count := await self.count(condition):
            await self.change(deletion(condition))
        return count

    async def reorder(self, condition: Filter, orders: Mapping[str, int]) -> None:
        changes = (setting(all_of(condition, has_id([id])), {"event_order": orders[id]}) for id in orders)
        while batch := list(islice(changes, WRITE_ROWS)):
            await self.change(*batch)

    async def records(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> AsyncIterator[models.Record]:
        """Yield every row that matches, a page at a time."""
        if not await self.collection.exists():
            return
        only = server_filter(condition)
        offset: Any = None
        while True:
            with self.collection.errors():
                page, offset = await self.collection.server.client.scroll(
                    self.collection.name,
                    only,
                    limit=PAGE_ROWS,
                    offset=offset,
                    with_payload=selector(fields),
                    with_vectors=[DENSE] if vectors else False,
                )
            for record in page:
                yield record
            if offset is None:
                return

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> list[models.Record]:
        return [record async for record in self.records(condition, fields, vectors=vectors)]

    def everything(self) -> AsyncIterator[models.Record]:
        return self.records(EVERYTHING, vectors=True)

    async def in_story_order(self, condition: Filter, limit: int | None, fields: Fields) -> list[models.Record]:
        scroll: StoryScroll[models.Record] = StoryScroll(limit)
        while not scroll.is_complete and await self.collection.exists():
            order = models.OrderBy(key="event_order", direction=models.Direction.ASC, start_from=scroll.start)
            with self.collection.errors():
                page, _ = await self.collection.server.client.scroll(
                    self.collection.name,
                    server_filter(condition),
                    limit=scroll.size,
                    order_by=order,
                    with_payload=selector(fields),
                )
            scroll.add(page)
        return scroll.rows()

    async def count(self, condition: Filter) -> int:
        if not await self.collection.exists():
            return 0
        with self.collection.errors():
            client, only = self.collection.server.client, server_filter(condition)
            return (await client.count(self.collection.name, only, exact=True)).count

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> list[models.ScoredPoint]:
        return await self._ranked(list(vector), DENSE, condition, limit, GRAPH_WALK, fields)

    async def compared(self, vector: Sequence[float], condition: Filter, limit: int) -> list[models.ScoredPoint]:
        return await self._ranked(list(vector), DENSE, condition, limit, EXACT, ALL_FIELDS)

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter, fields: Fields = ALL_FIELDS
    ) -> list[models.ScoredPoint]:
        with self.collection.errors():
            words = self.words.embed_query(text)
        if not words.indices:
            return []
        query = models.SparseVector(indices=list(words.indices), values=list(words.values))
        params = models.SearchParams(idf=models.IdfCorpusParams(corpus=server_filter(counted)))
        return await self._ranked(query, SPARSE, condition, limit, params, fields)

    async def _ranked(
        self,
        query: list[float] | models.SparseVector,
        using: str,
        condition: Filter,
        limit: int,
        params: models.SearchParams,
        fields: Fields,
    ) -> list[models.ScoredPoint]:
        """Return at least `limit` rows, best first, with all that equal the last: the caller cuts them in its order."""
        if limit < 1 or not await self.collection.exists():
            return []
        size = limit + 1
        while True:
            with self.collection.errors():
                answer = await self.collection.server.client.query_points(
                    self.collection.name,
                    query=query,
                    using=using,
                    query_filter=server_filter(condition),
                    search_params=params,
                    limit=size,
                    with_payload=selector(fields),
                )
            rows = answer.points
            if has_all_ties(rows, size, limit):
                return rows
            size *= 2


def selector(fields: Fields) -> bool | list[str] | models.PayloadSelectorExclude:
    if fields.only is not None:
        return list(fields.only)
    return models.PayloadSelectorExclude(exclude=list(fields.without)) if fields.without else True


def setting(condition: Filter, payload: dict[str, Any]) -> models.UpdateOperation:
    """Return the operation that sets these fields of every row that matches."""
    return models.SetPayloadOperation(set_payload=models.SetPayload(payload=payload, filter=server_filter(condition)))


def deletion(condition: Filter) -> models.UpdateOperation:
    return models.DeleteOperation(delete=models.FilterSelector(filter=server_filter(condition)))
