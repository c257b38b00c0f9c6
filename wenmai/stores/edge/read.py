"""Reads of passages from Qdrant Edge; every call blocks."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import qdrant_edge as edge

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.edge.orders import StoryOrders
from wenmai.stores.edge.query import DENSE, SPARSE, search_params, typed_filter, word_model
from wenmai.stores.edge.shards import Shards
from wenmai.stores.records.passage_payload import to_passage

UUID_TEXT = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PAGE_ROWS = 1_000
TIE_ROWS = 4_096  # rows read at most to put equal scores at the cut in story order


@dataclass(frozen=True, slots=True)
class PassageReader:
    """Rankings, rows and counts of the open shards."""

    shards: Shards
    words: edge.Bm25 = field(default_factory=word_model)
    orders: StoryOrders = field(default_factory=StoryOrders)

    def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine."""
        return self._ranked(library, edge.Query.Nearest(list(vector), using=DENSE), where, limit)

    def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25."""
        with self.shards.errors(library):
            words = self.words.embed_query(text)
        if not words.indices:
            self.shards.existing(library)
            return []
        return self._ranked(library, edge.Query.Nearest(words, using=SPARSE), where, limit)

    def _ranked(self, library: str, query: edge.Query, where: PassageFilter, limit: int) -> list[Ranked]:
        shard = self.shards.existing(library)
        if shard is None or limit < 1:
            return []
        condition = self._condition(library, where)
        size = limit + 1
        while True:
            rows = self._rows(shard, library, query, condition, size)
            if len(rows) < size or size > TIE_ROWS or rows[limit - 1].score > rows[-1].score:
                break
            size *= 2
        scores = {str(row.id): row.score for row in rows}
        orders = self.orders.of(library, scores, lambda ids: self._orders(shard, library, ids))
        ranked = [Ranked(id, score, orders[id]) for id, score in scores.items() if id in orders]
        return sorted(ranked, key=lambda row: (-row.score, row.event_order, row.id))[:limit]

    def _condition(self, library: str, where: PassageFilter) -> edge.Filter:
        with self.shards.errors(library):
            return typed_filter(library, where)

    def _rows(
        self, shard: edge.EdgeShard, library: str, query: edge.Query, condition: edge.Filter, size: int
    ) -> list[edge.ScoredPoint]:
        with self.shards.errors(library):
            return shard.query(
                edge.QueryRequest(limit=size, query=query, filter=condition, with_payload=False, params=search_params())
            )

    def _orders(self, shard: edge.EdgeShard, library: str, ids: Sequence[str]) -> dict[str, int]:
        with self.shards.errors(library):
            return {str(row.id): order_of(row) for row in shard.retrieve(point_ids(ids), ["event_order"], False)}

    def fetch(
        self, library: str, ids: Sequence[str], vector: Sequence[float] | None, horizon: Horizon | None
    ) -> list[ScoredPassage]:
        """Return these passages in the order of `ids`, scored against `vector` if given."""
        shard = self.shards.existing(library)
        points = point_ids(ids)
        if shard is None or not points:
            return []
        with self.shards.errors(library):
            if vector is None:
                plain = [(row, None) for row in shard.retrieve(points, True, False)]
                found = {str(row.id): ScoredPassage(to_passage(row).as_of(horizon), score) for row, score in plain}
            else:
                query = edge.Query.Nearest(list(vector), using=DENSE)
                rows = shard.query(_compare(query, points))
                found = {
                    str(row.id): ScoredPassage(to_passage(row).as_of(horizon), min(1.0, max(0.0, row.score)))
                    for row in rows
                }
        return [found[id] for id in ids if id in found]

    def scroll(self, library: str, where: PassageFilter, limit: int | None) -> list[Passage]:
        """Return matching passages in story order."""
        shard = self.shards.existing(library)
        if shard is None:
            return []
        found: dict[str, edge.Record] = {}
        condition, start, size = self._condition(library, where), 0, PAGE_ROWS
        while True:
            page = self._page(shard, library, condition, start, size)
            found.update((str(record.id), record) for record in page)
            last = order_of(page[-1]) if page else start
            if len(page) < size or (limit is not None and sum(order_of(row) < last for row in found.values()) >= limit):
                break
            # A page begins at the last value of the one before: a value that fills a page needs a bigger one.
            start, size = last, size * 2 if last == start else PAGE_ROWS
        rows = sorted(found.values(), key=lambda row: (order_of(row), str(row.id)))
        return [to_passage(row).as_of(where.horizon) for row in rows[:limit]]

    def _page(
        self, shard: edge.EdgeShard, library: str, condition: edge.Filter, start: int, size: int
    ) -> list[edge.Record]:
        order = edge.OrderBy("event_order", edge.Direction.Asc, start_from=start)
        with self.shards.errors(library):
            records, _ = shard.scroll(
                edge.ScrollRequest(limit=size, filter=condition, with_payload=True, order_by=order)
            )
        return records

    def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        """Return the stored dense vectors, by id, of those passages that are stored with the same text."""
        shard = self.shards.existing(library)
        if shard is None or not passages:
            return {}
        with self.shards.errors(library):
            records = shard.retrieve([passage.id for passage in passages], True, [DENSE])
        texts = {passage.id: passage.text for passage in passages}
        same = (row for row in records if (row.payload or {})["text"] == texts[str(row.id)])
        return {str(row.id): dense_vector(row) for row in same}

    def count(self, library: str, where: PassageFilter) -> int:
        """Return how many passages match."""
        shard = self.shards.existing(library)
        if shard is None:
            return 0
        with self.shards.errors(library):
            return shard.count(edge.CountRequest(exact=True, filter=typed_filter(library, where)))


def dense_vector(record: edge.Record) -> list[float]:
    """Return the dense vector of a row that was read with it."""
    named = record.vector
    if not isinstance(named, dict):
        raise TypeError(f"a point without named vectors: {record.id}")
    return [float(value) for value in named[DENSE]]  # type: ignore[union-attr,arg-type]  # dense by its name


def order_of(record: edge.Record) -> int:
    """Return the story position of a row."""
    return int((record.payload or {})["event_order"])


def point_ids(ids: Iterable[str]) -> list[int | UUID | str]:
    """Return the ids that can be points (PLA-23); others are unknown ids, not errors."""
    return [id for id in ids if UUID_TEXT.fullmatch(id)]


def _compare(query: edge.Query, points: list[int | UUID | str]) -> edge.QueryRequest:
    """Ask for the exact cosine of these points with their payloads."""
    only = edge.Filter(must=[edge.HasIdCondition(set(points))])
    exact = edge.SearchParams(exact=True)
    return edge.QueryRequest(limit=len(points), query=query, filter=only, with_payload=True, params=exact)
