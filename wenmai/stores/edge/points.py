"""Reads and writes of the points of one shard of Qdrant Edge, whatever they hold; every call blocks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import qdrant_edge as edge

from wenmai.stores.edge.schema import edge_filter
from wenmai.stores.edge.shards import Shards
from wenmai.stores.records.conditions import Filter
from wenmai.stores.records.points import DENSE, PAGE_ROWS, SPARSE, WRITE_ROWS, NewPoint, has_all_ties
from wenmai.stores.records.words import Words

Payload = bool | list[str] | edge.PayloadSelector


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one shard. Every query gets its conditions from the caller.

    Attributes:
        name: of the library or collection.
        must_exist: whether a missing one raises LibraryNotFound, or has no points.
    """

    shards: Shards
    name: str
    words: Words
    must_exist: bool = False

    def shard(self) -> edge.EdgeShard | None:
        """Return the open shard; None as long as nothing was written."""
        if not self.must_exist and not self.shards.path(self.name).is_dir():
            return None
        return self.shards.existing(self.name)

    def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        shard = self.shards.created(self.name, dimension)
        rows, count = iter(points), 0
        with self.shards.errors(self.name):
            while batch := [self._point(row) for row in islice(rows, WRITE_ROWS)]:
                self.shards.require_space(self.name)
                shard.update(edge.UpdateOperation.upsert_points(batch))
                count += len(batch)
            self.shards.keep(self.name, shard, count)

    def set_payload(self, condition: Filter, payload: dict[str, Any], rows: int) -> None:
        """Set these fields of every point that matches, about so many `rows`."""
        with self.shards.errors(self.name):
            self._change(edge.UpdateOperation.set_payload_by_filter(edge_filter(condition), payload), rows)

    def set_each(self, payloads: Mapping[str, dict[str, Any]]) -> None:
        """Set these fields of the points of these ids; unknown ids are left out."""
        known = self.by_id(list(payloads), fields=False)
        shard = self.shard()
        if shard is not None and known:
            with self.shards.errors(self.name):
                for row in known:
                    shard.update(edge.UpdateOperation.set_payload([row.id], payloads[str(row.id)]))
                self.shards.flush(self.name, shard)

    def delete(self, condition: Filter, rows: int) -> None:
        with self.shards.errors(self.name):
            self._change(edge.UpdateOperation.delete_points_by_filter(edge_filter(condition)), rows)

    def records(
        self, condition: Filter, fields: Payload = True, vectors: list[str] | None = None
    ) -> Iterator[edge.Record]:
        """Yield every row that matches, a page at a time."""
        shard = self.shard()
        offset = None
        while shard is not None:
            with self.shards.errors(self.name):
                only = edge_filter(condition)
                page, offset = shard.scroll(
                    edge.ScrollRequest(
                        offset=offset, limit=PAGE_ROWS, filter=only, with_payload=fields, with_vector=vectors or False
                    )
                )
            yield from page
            if offset is None:
                return

    def page_by(
        self, field: str, start: int, size: int, condition: Filter, fields: Payload = True
    ) -> list[edge.Record]:
        """Return up to `size` matching rows in ascending order of an integer field, from the value `start` on."""
        shard = self.shard()
        if shard is None:
            return []
        order = edge.OrderBy(field, edge.Direction.Asc, start_from=start)
        with self.shards.errors(self.name):
            request = edge.ScrollRequest(limit=size, filter=edge_filter(condition), with_payload=fields, order_by=order)
            return shard.scroll(request)[0]

    def by_id(self, ids: Sequence[str], fields: Payload = True, vectors: list[str] | None = None) -> list[edge.Record]:
        shard = self.shard()
        if shard is None or not ids:
            return []
        with self.shards.errors(self.name):
            return shard.retrieve(list(ids), fields, vectors or False)

    def count(self, condition: Filter) -> int:
        shard = self.shard()
        if shard is None:
            return 0
        with self.shards.errors(self.name):
            return shard.count(edge.CountRequest(exact=True, filter=edge_filter(condition)))

    def nearest(
        self,
        vector: Sequence[float],
        condition: Filter,
        limit: int,
        params: edge.SearchParams | None = None,
        fields: Payload = True,
    ) -> list[edge.ScoredPoint]:
        return self._ranked(edge.Query.Nearest(list(vector), using=DENSE), condition, limit, params, fields)

    def wording(
        self,
        text: str,
        condition: Filter,
        limit: int,
        counted: Filter | None = None,
        fields: Payload = True,
    ) -> list[edge.ScoredPoint]:
        """Return the rows that share most with the words of `text`, as `_ranked`.

        A word weighs by how rare it is among `counted`, without it in the whole shard.
        """
        with self.shards.errors(self.name):
            words = self.words.embed_query(text)
            params = None if counted is None else edge.SearchParams(idf=edge.IdfParams(edge_filter(counted)))
        if self.shard() is None or not words.indices:
            return []
        return self._ranked(edge.Query.Nearest(words, using=SPARSE), condition, limit, params, fields)

    def _ranked(
        self,
        query: edge.Query,
        condition: Filter,
        limit: int,
        params: edge.SearchParams | None,
        fields: Payload,
    ) -> list[edge.ScoredPoint]:
        """Return at least `limit` rows, best first, with all that equal the last: the caller cuts them in its order."""
        shard = self.shard()
        if shard is None or limit < 1:
            return []
        size = limit + 1
        while True:
            with self.shards.errors(self.name):
                only = edge_filter(condition)
                rows = shard.query(
                    edge.QueryRequest(limit=size, query=query, filter=only, with_payload=fields, params=params)
                )
            if has_all_ties(rows, size, limit):
                return rows
            size *= 2

    def optimize(self) -> None:
        """Join the segments, drop what was deleted, build the indexes that fast search needs."""
        shard = self.shard()
        if shard is not None:
            with self.shards.errors(self.name):
                self.shards.require_space(self.name, copied=True)
                shard.optimize()
                self.shards.flush(self.name, shard)

    def rewrite(self, dimension: int) -> None:
        """Copy every row into a new shard: the engine keeps deleted texts in its pages and its log.

        Rows go as they are, with both vectors: weighing the words of 1,000 characters again takes longer than writing
        them.
        """

        def copy(old: edge.EdgeShard, new: edge.EdgeShard) -> None:
            copy_rows(old, new, _as_stored, with_vectors=True)

        self.shards.renewed(self.name, copy, dimension)

    def _point(self, row: NewPoint) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(row.vector),
            SPARSE: self.words.embed_document(row.text),
        }
        return edge.Point(row.id, vectors, row.payload)

    def _change(self, operation: edge.UpdateOperation, rows: int) -> None:
        shard = self.shard()
        if shard is not None:
            shard.update(operation)
            self.shards.keep(self.name, shard, rows)


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


def _as_stored(record: edge.Record) -> edge.Point:
    """Return a row that was read with its vectors as a point to write."""
    if record.vector is None:
        raise TypeError(f"a point without vectors: {record.id}")
    return edge.Point(record.id, record.vector, record.payload or {})
