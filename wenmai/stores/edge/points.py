"""The points of one shard of Qdrant Edge, Qdrant's engine inside this process; every call blocks."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from wenmai.stores.edge.shards import Shards
from wenmai.stores.vectors.conditions import (
    Condition,
    Dated,
    Equals,
    Filter,
    HasId,
    Nested,
    OneOf,
    Within,
)
from wenmai.stores.vectors.points import (
    ALL_FIELDS,
    DENSE,
    NO_FIELDS,
    PAGE_ROWS,
    SEARCH_EFFORT,
    SEARCH_SELECTIVITY,
    SPARSE,
    WRITE_ROWS,
    Fields,
)
from wenmai.stores.vectors.qdrant import Change, DeleteRows, NearestTo, Ranking, SetFields, WeighedPoint

# How a graph is walked; ACORN keeps its recall under a filter. Exact searches ignore them.
GRAPH_WALK = edge.SearchParams(hnsw_ef=SEARCH_EFFORT, acorn=edge.AcornSearchParams(True, SEARCH_SELECTIVITY))
EXACT = edge.SearchParams(exact=True)


def edge_filter(filter: Filter) -> edge.Filter:
    """Return a filter for the engine. Raises UnicodeEncodeError for a text that is none."""
    must, should, must_not = (
        [_condition(one) for one in group] or None for group in (filter.must, filter.should, filter.must_not)
    )
    return edge.Filter(must=must, should=should, must_not=must_not)


def _condition(condition: Condition) -> "edge.ConditionType":
    match condition:
        case Filter():
            return edge_filter(condition)
        case Equals(field, value):
            return edge.FieldCondition(field, match=edge.MatchValue(value))
        case OneOf(field, values):
            return edge.FieldCondition(field, match=edge.MatchAny(list(values)))
        case Within(field, gt, gte, lt, lte):
            return edge.FieldCondition(field, range=edge.RangeFloat(gt=gt, gte=gte, lt=lt, lte=lte))
        case Dated(field, since, until):
            return edge.FieldCondition(field, range=edge.RangeDateTime(gte=_iso(since), lt=_iso(until)))
        case HasId(ids):
            return edge.HasIdCondition(set(ids))
        case Nested(field, filter):
            return edge.NestedCondition(field, edge_filter(filter))


def _iso(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _payload(fields: Fields) -> bool | list[str] | edge.PayloadSelector:
    if fields in (ALL_FIELDS, NO_FIELDS):
        return fields == ALL_FIELDS
    return edge.PayloadSelector.Exclude(list(fields.without)) if fields.only is None else list(fields.only)


@dataclass(frozen=True, slots=True)
class ShardClient:
    """The PointClient over one shard. No coroutine suspends.

    Attributes:
        name: of the library or collection.
        walk: how a search by meaning walks the graph, None for the engine's own way.
        must_exist: whether a missing one raises LibraryNotFound, or has no points.
        note: the file that is made before rows are deleted, whose texts then stay in the files until `rewrite`.
    """

    shards: Shards
    name: str
    walk: edge.SearchParams | None = None
    must_exist: bool = False
    note: Path | None = None

    def shard(self) -> edge.EdgeShard | None:
        """Return the open shard; None as long as nothing was written."""
        if not self.must_exist and not self.shards.path(self.name).is_dir():
            return None
        return self.shards.existing(self.name)

    def errors(self) -> AbstractContextManager[None]:
        return self.shards.errors(self.name)

    async def exists(self) -> bool:
        return self.shard() is not None

    async def upsert(self, points: Sequence[WeighedPoint], dimension: int) -> None:
        shard = self.shards.created(self.name, dimension)
        self.shards.require_space(self.name)
        rows = [
            edge.Point(one.point.id, {DENSE: list(one.point.vector), SPARSE: one.words}, one.point.payload)
            for one in points
        ]
        shard.update(edge.UpdateOperation.upsert_points(rows))
        self.shards.keep(self.name, shard, len(rows))

    async def change(self, changes: Sequence[Change]) -> None:
        if self.note is not None and any(isinstance(one, DeleteRows) for one in changes):
            self.note.touch()
        for change in changes:
            only = edge_filter(change.condition)
            if isinstance(change, SetFields):
                self._open.update(edge.UpdateOperation.set_payload_by_filter(only, change.payload))
            else:
                self._open.update(edge.UpdateOperation.delete_points_by_filter(only))
        self.shards.keep(self.name, self._open, len(changes))

    async def page(
        self, condition: Filter, fields: Fields, offset: Any, *, vectors: bool
    ) -> tuple[Sequence[edge.Record], Any]:
        return self._open.scroll(
            edge.ScrollRequest(
                offset=offset,
                limit=PAGE_ROWS,
                filter=edge_filter(condition),
                with_payload=_payload(fields),
                with_vector=[DENSE] if vectors else False,
            )
        )

    async def story_page(self, condition: Filter, fields: Fields, start: int, size: int) -> Sequence[edge.Record]:
        order = edge.OrderBy("event_order", edge.Direction.Asc, start_from=start)
        only = edge_filter(condition)
        request = edge.ScrollRequest(limit=size, filter=only, with_payload=_payload(fields), order_by=order)
        return self._open.scroll(request)[0]

    async def count(self, condition: Filter) -> int:
        return self._open.count(edge.CountRequest(exact=True, filter=edge_filter(condition)))

    async def ranked(
        self, ranking: Ranking, condition: Filter, fields: Fields, size: int
    ) -> Sequence[edge.ScoredPoint]:
        if isinstance(ranking, NearestTo):
            query = edge.Query.Nearest(list(ranking.vector), using=DENSE)
            params = EXACT if ranking.exact else self.walk
        else:
            query = edge.Query.Nearest(ranking.words, using=SPARSE)
            counted = ranking.counted
            params = None if counted is None else edge.SearchParams(idf=edge.IdfParams(edge_filter(counted)))
        only = edge_filter(condition)
        return self._open.query(
            edge.QueryRequest(limit=size, query=query, filter=only, with_payload=_payload(fields), params=params)
        )

    def by_id(self, ids: Sequence[str], fields: Fields, vectors: list[str] | None = None) -> list[edge.Record]:
        """Return the rows of these ids, in any order: faster than by a condition."""
        shard = self.shard()
        if shard is None or not ids:
            return []
        with self.errors():
            return shard.retrieve(list(ids), _payload(fields), vectors or False)

    def set_each(self, payloads: Mapping[str, dict[str, Any]]) -> None:
        """Set these fields of the points of these ids, in half the time of conditions; unknown ids are left out."""
        known = self.by_id(list(payloads), NO_FIELDS)
        with self.errors():
            for row in known:
                self._open.update(edge.UpdateOperation.set_payload([row.id], payloads[str(row.id)]))
            if known:
                self.shards.keep(self.name, self._open, len(known))

    def optimize(self) -> None:
        """Join the segments, drop what was deleted, build the indexes that fast search needs."""
        shard = self.shard()
        if shard is not None:
            with self.errors():
                self.shards.require_space(self.name, copied=True)
                shard.optimize()
                self.shards.flush(self.name, shard)

    def rewrite(self) -> None:
        """Copy every row into a new shard: the engine keeps deleted texts in its pages and its log.

        Rows go as they are, with both vectors: weighing the words of 1,000 characters again takes longer than writing
        them.
        """

        def as_stored(record: edge.Record) -> edge.Point:
            if record.vector is None:
                raise TypeError(f"a point without vectors: {record.id}")
            return edge.Point(record.id, record.vector, record.payload or {})

        if (dimension := self.shards.dimension(self.name)) is not None:
            self.shards.renewed(
                self.name, lambda old, new: copy_rows(old, new, as_stored, with_vectors=True), dimension
            )
        if self.note is not None:
            self.note.unlink(missing_ok=True)

    @property
    def _open(self) -> edge.EdgeShard:
        shard = self.shard()
        assert shard is not None, "`exists` is asked first"
        return shard


def copy_rows(
    old: edge.EdgeShard, new: edge.EdgeShard, to_point: Callable[[edge.Record], edge.Point], *, with_vectors: bool
) -> None:
    offset = None
    while True:
        request = edge.ScrollRequest(offset=offset, limit=WRITE_ROWS, with_payload=True, with_vector=with_vectors)
        page, offset = old.scroll(request)
        if page:
            new.update(edge.UpdateOperation.upsert_points([to_point(record) for record in page]))
        if offset is None:
            return
