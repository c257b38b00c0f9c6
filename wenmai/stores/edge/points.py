"""Reads and writes of one collection's points in Qdrant Edge, whatever they stand for; every call blocks."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import qdrant_edge as edge

from wenmai.stores.edge.query import DENSE, SPARSE
from wenmai.stores.edge.read import PAGE_ROWS, TIE_ROWS
from wenmai.stores.edge.shards import Shards
from wenmai.stores.edge.write import WRITE_ROWS

CHINESE_STOP_WORDS: set[str] = set("的 了 是 在 我 你 他 她 什么 哪里 哪 吗 呢 啊 吧 谁 怎么 怎样 多少 几".split())  # noqa: SIM905


def question_words(average_tokens: int) -> edge.Bm25:
    """Return a tokenizer with term weights for texts that are asked in other forms than they tell.

    Args:
        average_tokens: words of a text that are no stop words; Bm25 normalises lengths with it.
    """
    stop_words = edge.StopwordsSet(languages={edge.Language.English, edge.Language.Chinese}, custom=CHINESE_STOP_WORDS)
    return edge.Bm25(
        edge.Bm25Config(
            tokenizer=edge.TokenizerType.Multilingual,
            avg_len=average_tokens,
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
            stopwords=stop_words,
        )
    )


@dataclass(frozen=True, slots=True)
class Points:
    """The points of one shard. Every query gets its conditions from the caller."""

    shards: Shards
    name: str
    words: edge.Bm25

    def shard(self) -> edge.EdgeShard | None:
        """Return the open shard; None as long as nothing was written."""
        return self.shards.existing(self.name) if self.shards.path(self.name).is_dir() else None

    def write(self, points: Iterable[edge.Point], dimension: int) -> None:
        """Write points in batches; the same id is replaced."""
        shard = self.shards.created(self.name, dimension)
        rows, count = iter(points), 0
        with self.shards.errors(self.name):
            while batch := list(islice(rows, WRITE_ROWS)):
                self.shards.require_space(self.name)
                shard.update(edge.UpdateOperation.upsert_points(batch))
                count += len(batch)
            self.shards.keep(self.name, shard, count)

    def change(self, *operations: edge.UpdateOperation, rows: int) -> None:
        """Carry out operations that touch so many rows, one after the other."""
        shard = self.shard()
        if shard is not None:
            with self.shards.errors(self.name):
                for operation in operations:
                    shard.update(operation)
                self.shards.keep(self.name, shard, rows)

    def records(
        self, condition: edge.Filter, fields: bool | list[str] = True, vectors: list[str] | None = None
    ) -> Iterator[edge.Record]:
        """Yield every row that matches, a page at a time."""
        shard = self.shard()
        offset = None
        while shard is not None:
            request = edge.ScrollRequest(
                offset=offset, limit=PAGE_ROWS, filter=condition, with_payload=fields, with_vector=vectors or False
            )
            with self.shards.errors(self.name):
                page, offset = shard.scroll(request)
            yield from page
            if offset is None:
                return

    def count(self, condition: edge.Filter) -> int:
        """Return how many rows match."""
        shard = self.shard()
        if shard is None:
            return 0
        with self.shards.errors(self.name):
            return shard.count(edge.CountRequest(exact=True, filter=condition))

    def nearest(
        self,
        vector: Sequence[float],
        condition: edge.Filter,
        limit: int,
        params: edge.SearchParams | None = None,
        fields: bool | list[str] = True,
    ) -> list[edge.ScoredPoint]:
        """Return the rows nearest by cosine, as `_ranked`."""
        return self._ranked(edge.Query.Nearest(list(vector), using=DENSE), condition, limit, params, fields)

    def wording(
        self,
        text: str,
        condition: edge.Filter,
        limit: int,
        counted: edge.Filter,
        fields: bool | list[str] = True,
    ) -> list[edge.ScoredPoint]:
        """Return the rows that share most with the words of `text`, weighed by how rare they are among `counted`."""
        with self.shards.errors(self.name):
            words = self.words.embed_query(text)
        if not words.indices:
            return []
        params = edge.SearchParams(idf=edge.IdfParams(counted))
        return self._ranked(edge.Query.Nearest(words, using=SPARSE), condition, limit, params, fields)

    def _ranked(
        self,
        query: edge.Query,
        condition: edge.Filter,
        limit: int,
        params: edge.SearchParams | None,
        fields: bool | list[str],
    ) -> list[edge.ScoredPoint]:
        """Return at least `limit` rows, best first, with all that equal the last: the caller cuts ties in his order."""
        shard = self.shard()
        if shard is None or limit < 1:
            return []
        size = limit + 1
        while True:
            request = edge.QueryRequest(limit=size, query=query, filter=condition, with_payload=fields, params=params)
            with self.shards.errors(self.name):
                rows = shard.query(request)
            if len(rows) < size or size > TIE_ROWS or rows[limit - 1].score > rows[-1].score:
                return rows
            size *= 2

    def optimize(self) -> None:
        """Join the segments and drop what was deleted."""
        shard = self.shard()
        if shard is not None:
            with self.shards.errors(self.name):
                self.shards.require_space(self.name, copied=True)
                shard.optimize()
                self.shards.flush(self.name, shard)

    def rewrite(self, dimension: int) -> None:
        """Copy every row into a new shard: the engine keeps deleted texts in its pages and its log.

        Rows go as they are, with both vectors: reckoning the words of 1,000 characters anew takes longer than to write
        them.
        """

        def copy(old: edge.EdgeShard, new: edge.EdgeShard) -> None:
            offset = None
            while True:
                request = edge.ScrollRequest(offset=offset, limit=WRITE_ROWS, with_payload=True, with_vector=True)
                page, offset = old.scroll(request)
                if page:
                    new.update(edge.UpdateOperation.upsert_points([copied(record) for record in page]))
                if offset is None:
                    return

        self.shards.renewed(self.name, copy, dimension)


def copied(record: edge.Record) -> edge.Point:
    """Return a row that was read with its vectors as a point to write."""
    if record.vector is None:
        raise TypeError(f"a point without vectors: {record.id}")
    return edge.Point(record.id, record.vector, record.payload or {})
