"""A collection on a Qdrant server: settings, indexes, the embedder on record, and the requests for its points."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from qdrant_client import models
from qdrant_client.http.exceptions import UnexpectedResponse

from tools.errors import StoreGone
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.vectors.conditions import Condition, Dated, Equals, Filter, HasId, Nested, OneOf, Within
from wenmai.stores.vectors.points import (
    DENSE,
    EXACT_KILOBYTES,
    GRAPH_EFFORT,
    GRAPH_LINKS,
    NO_GLOBAL_LINKS,
    PAGE_ROWS,
    SCAN_KILOBYTES,
    SEARCH_EFFORT,
    SEARCH_SELECTIVITY,
    SPARSE,
    CollectionPlan,
    Fields,
    IndexKind,
)
from wenmai.stores.vectors.qdrant import Change, NearestTo, Ranking, SetFields, WeighedPoint
from wenmai.stores.vectors.words import SparseWords

CONFLICT = 409
Index = models.KeywordIndexParams | models.IntegerIndexParams | models.DatetimeIndexParams
INDEXES: dict[IndexKind, Index] = {
    "keyword": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False),
    "tenant": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True, enable_hnsw=True),
    "integer": models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    ),
    "datetime": models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, enable_hnsw=False),
}


GRAPH_WALK = models.SearchParams(
    hnsw_ef=SEARCH_EFFORT, acorn=models.AcornSearchParams(enable=True, max_selectivity=SEARCH_SELECTIVITY)
)
EXACT = models.SearchParams(exact=True)


def server_filter(filter: Filter) -> models.Filter:
    must, should, must_not = (
        [_condition(one) for one in group] or None for group in (filter.must, filter.should, filter.must_not)
    )
    return models.Filter(must=must, should=should, must_not=must_not)


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
        case Nested(field, filter):
            return models.NestedCondition(nested=models.Nested(key=field, filter=server_filter(filter)))


def _sparse(words: SparseWords) -> models.SparseVector:
    return models.SparseVector(indices=list(words.indices), values=list(words.values))


def _payload(fields: Fields) -> bool | list[str] | models.PayloadSelectorExclude:
    if fields.only is not None:
        return list(fields.only)
    return models.PayloadSelectorExclude(exclude=list(fields.without)) if fields.without else True


def _operation(change: Change) -> models.UpdateOperation:
    only = server_filter(change.condition)
    if isinstance(change, SetFields):
        return models.SetPayloadOperation(set_payload=models.SetPayload(payload=change.payload, filter=only))
    return models.DeleteOperation(delete=models.FilterSelector(filter=only))


class QdrantCollection:
    """The PointClient over a collection, made at its first write; several processes may do so at once."""

    def __init__(self, server: QdrantServer, name: str, embedder: str, plan: CollectionPlan) -> None:
        self.server = server
        self.name = name
        self._embedder = embedder
        self._plan = plan
        self._built: tuple[str, int] | None = None
        self._indexed = False

    async def exists(self) -> bool:
        return await self._recorded() is not None

    async def require_embedder(self, dimension: int) -> None:
        self._plan.require_same(await self._recorded(), self._embedder, dimension)

    async def require_made(self, dimension: int) -> None:
        """Make the collection with its indexes if need be. Raises EmbedderMismatch."""
        await self.require_embedder(dimension)
        if self._indexed:
            return
        with self.errors():
            if self._built is None:
                await self._create(dimension)
            known = (await self.server.client.get_collection(self.name)).payload_schema
            for field, kind in self._plan.fields.items():
                if field not in known:
                    await self.server.client.create_payload_index(self.name, field, INDEXES[kind], wait=True)
        await self.require_embedder(dimension)
        self._indexed = True

    async def upsert(self, points: Sequence[WeighedPoint], dimension: int) -> None:
        rows = [
            models.PointStruct(
                id=one.point.id,
                vector={DENSE: list(one.point.vector), SPARSE: _sparse(one.words)},
                payload=one.point.payload,
            )
            for one in points
        ]
        await self.require_made(dimension)
        await self.server.client.upsert(self.name, rows, wait=True)

    async def change(self, changes: Sequence[Change]) -> None:
        operations = [_operation(change) for change in changes]
        await self.server.client.batch_update_points(self.name, operations, wait=True)

    async def page(
        self, condition: Filter, fields: Fields, offset: Any, *, vectors: bool
    ) -> tuple[Sequence[models.Record], Any]:
        return await self.server.client.scroll(
            self.name,
            server_filter(condition),
            limit=PAGE_ROWS,
            offset=offset,
            with_payload=_payload(fields),
            with_vectors=[DENSE] if vectors else False,
        )

    async def story_page(self, condition: Filter, fields: Fields, start: int, size: int) -> Sequence[models.Record]:
        page, _ = await self.server.client.scroll(
            self.name,
            server_filter(condition),
            limit=size,
            order_by=models.OrderBy(key="event_order", direction=models.Direction.ASC, start_from=start),
            with_payload=_payload(fields),
        )
        return page

    async def count(self, condition: Filter) -> int:
        only = server_filter(condition)
        return (await self.server.client.count(self.name, only, exact=True)).count

    async def ranked(
        self, ranking: Ranking, condition: Filter, fields: Fields, size: int
    ) -> Sequence[models.ScoredPoint]:
        query: list[float] | models.SparseVector
        if isinstance(ranking, NearestTo):
            query, params = list(ranking.vector), EXACT if ranking.exact else GRAPH_WALK
        else:
            query, counted = _sparse(ranking.words), ranking.counted
            params = models.SearchParams(
                idf=None if counted is None else models.IdfCorpusParams(corpus=server_filter(counted))
            )
        answer = await self.server.client.query_points(
            self.name,
            query=query,
            using=ranking.using,
            query_filter=server_filter(condition),
            search_params=params,
            limit=size,
            with_payload=_payload(fields),
        )
        return answer.points

    async def optimize(self) -> None:
        """Leave it to the server, which joins its segments by itself."""

    async def rewrite(self) -> None:
        """Leave it to the server: it drops deleted texts when it joins its segments, at a time of its own."""

    async def clean(self) -> bool:
        """Leave that to the server, too."""
        return True

    async def close(self) -> None:
        await self.server.close()

    async def mark(self, name: str) -> Any:
        if not await self.exists():
            return None
        with self.errors():
            return ((await self.server.client.get_collection(self.name)).config.metadata or {}).get(name)

    async def set_mark(self, name: str, value: Any) -> None:
        """Set a mark of a collection that exists, None to take it away; the others stay as they are."""
        with self.errors():
            await self.server.client.update_collection(self.name, metadata={name: value})

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what the client raises into ours; a collection that was dropped is looked for again."""
        try:
            with self.server.errors():
                yield
        except StoreGone:
            self._built, self._indexed = None, False
            raise

    async def _recorded(self) -> tuple[str, int] | None:
        """Return the embedder and dimension that the collection was made with, None as long as there is none."""
        if self._built is None:
            with self.errors():
                if not await self.server.client.collection_exists(self.name):
                    return None
                config = (await self.server.client.get_collection(self.name)).config
            note = config.metadata or {}
            self._built = str(note.get("embedder", "?")), int(note.get("dimension", 0))
        return self._built

    async def _create(self, dimension: int) -> None:
        try:
            await self.server.client.create_collection(
                self.name,
                vectors_config={
                    DENSE: models.VectorParams(
                        size=dimension, distance=models.Distance.COSINE, memory=models.Memory.CACHED
                    )
                },
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                hnsw_config=models.HnswConfigDiff(
                    m=NO_GLOBAL_LINKS,
                    payload_m=GRAPH_LINKS,
                    ef_construct=GRAPH_EFFORT,
                    full_scan_threshold=SCAN_KILOBYTES,
                ),
                optimizers_config=models.OptimizersConfigDiff(indexing_threshold=EXACT_KILOBYTES),
                metadata={"embedder": self._embedder, "dimension": dimension},
            )
        except UnexpectedResponse as error:
            if error.status_code != CONFLICT:  # another process was first
                raise
