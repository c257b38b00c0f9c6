"""Reads and writes of memories in Qdrant Edge; every call blocks, and every query names its user."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import qdrant_edge as edge

from tools.memories import Memory, MemoryFilter, RankedMemory, point_id
from tools.memory_text import searched_text
from wenmai.stores.edge_memory_query import memory_filter, owned_by, to_memory, to_payload
from wenmai.stores.edge_query import DENSE, SPARSE
from wenmai.stores.edge_read import TIE_ROWS, dense_vector
from wenmai.stores.edge_shards import Shards
from wenmai.stores.edge_write import WRITE_ROWS

PAGE_ROWS = 1_000
AVERAGE_TOKENS = 20  # words of a turn that are no stop words; Bm25 normalises lengths with it
CHINESE_STOP_WORDS: set[str] = set("的 了 是 在 我 你 他 她 什么 哪里 哪 吗 呢 啊 吧 谁 怎么 怎样 多少 几".split())  # noqa: SIM905


def memory_words() -> edge.Bm25:
    """Return the tokenizer and the term weights of memories: questions ask in other forms than talks tell."""
    stop_words = edge.StopwordsSet(languages={edge.Language.English, edge.Language.Chinese}, custom=CHINESE_STOP_WORDS)
    return edge.Bm25(
        edge.Bm25Config(
            tokenizer=edge.TokenizerType.Multilingual,
            avg_len=AVERAGE_TOKENS,
            stemmer=edge.SnowballParams(edge.SnowballLanguage.English),
            stopwords=stop_words,
        )
    )


@dataclass(frozen=True, slots=True)
class MemoryRows:
    """Rankings, rows and writes of the one shard."""

    shards: Shards
    name: str
    words: edge.Bm25 = field(default_factory=memory_words)

    def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced."""
        shard = self.shards.created(self.name, len(vectors[0]))
        pairs = list(zip(memories, vectors, strict=True))
        with self.shards.errors(self.name):
            for begin in range(0, len(pairs), WRITE_ROWS):
                self.shards.require_space(self.name)
                points = [self._point(memory, vector) for memory, vector in pairs[begin : begin + WRITE_ROWS]]
                shard.update(edge.UpdateOperation.upsert_points(points))
            self.shards.keep(self.name, shard, len(pairs))

    def _point(self, memory: Memory, vector: Sequence[float]) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(vector),
            SPARSE: self.words.embed_document(searched_text(memory)),
        }
        return edge.Point(memory.id, vectors, to_payload(memory))

    def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories in the order of `keys`."""
        found = {memory.memory_key: memory for memory in map(to_memory, self._records(user_id, keys, vectors=False))}
        return [found[key] for key in keys if key in found]

    def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        records = self._records(user_id, keys, vectors=True)
        return {(record.payload or {})["memory_key"]: dense_vector(record) for record in records}

    def _records(self, user_id: str, keys: Sequence[str], *, vectors: bool) -> list[edge.Record]:
        """Ask for points by their ids and by their user: an id alone is never enough (PLA-03)."""
        owner = owned_by(user_id)
        shard = self._shard()
        if shard is None or not keys:
            return []
        ids: set[int | UUID | str] = {point_id(user_id, key) for key in keys}
        only = edge.Filter(must=[edge.HasIdCondition(ids), owner])
        request = edge.ScrollRequest(
            limit=len(ids), filter=only, with_payload=True, with_vector=[DENSE] if vectors else False
        )
        with self.shards.errors(self.name):
            return shard.scroll(request)[0]

    def scroll(self, user_id: str, where: MemoryFilter, limit: int | None) -> list[Memory]:
        """Return matching memories, the newest first."""
        condition = memory_filter(user_id, where)
        shard = self._shard()
        found: list[Memory] = []
        offset = None
        while shard is not None:
            request = edge.ScrollRequest(offset=offset, limit=PAGE_ROWS, filter=condition, with_payload=True)
            with self.shards.errors(self.name):
                page, offset = shard.scroll(request)
            found += map(to_memory, page)
            if offset is None:
                break
        return sorted(found, key=newest_first)[:limit]

    def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine."""
        query = edge.Query.Nearest(list(vector), using=DENSE)
        return self._ranked(query, memory_filter(user_id, where), limit, None)

    def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text`, weighed by how rare the user's talk has them.

        The words of other users have no say in it.
        """
        condition = memory_filter(user_id, where)
        with self.shards.errors(self.name):
            words = self.words.embed_query(text)
        if not words.indices:
            return []
        rarity = edge.SearchParams(idf=edge.IdfParams(owned_by(user_id)))
        return self._ranked(edge.Query.Nearest(words, using=SPARSE), condition, limit, rarity)

    def _ranked(
        self, query: edge.Query, condition: edge.Filter, limit: int, params: edge.SearchParams | None
    ) -> list[RankedMemory]:
        shard = self._shard()
        if shard is None or limit < 1:
            return []
        size = limit + 1
        while True:
            request = edge.QueryRequest(limit=size, query=query, filter=condition, with_payload=True, params=params)
            with self.shards.errors(self.name):
                rows = shard.query(request)
            if len(rows) < size or size > TIE_ROWS or rows[limit - 1].score > rows[-1].score:
                break
            size *= 2
        ranked = [RankedMemory(to_memory(row), row.score) for row in rows]
        return sorted(ranked, key=lambda row: (-row.score, *newest_first(row.memory)))[:limit]

    def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        condition = memory_filter(user_id, where)
        shard = self._shard()
        if shard is None:
            return 0
        with self.shards.errors(self.name):
            return shard.count(edge.CountRequest(exact=True, filter=condition))

    def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        known = [record.id for record in self._records(user_id, keys, vectors=False)]
        shard = self._shard()
        if shard is None or not known:
            return 0
        with self.shards.errors(self.name):
            shard.update(edge.UpdateOperation.delete_points(list(known)))
            self.shards.keep(self.name, shard, len(known))
        return len(known)

    def optimize(self) -> None:
        """Join the segments and drop what was deleted."""
        shard = self._shard()
        if shard is not None:
            with self.shards.errors(self.name):
                self.shards.require_space(self.name, copied=True)
                shard.optimize()
                self.shards.flush(self.name, shard)

    def rewrite(self, dimension: int) -> None:
        """Write every memory into a new shard: the engine keeps deleted texts in its pages and its log."""
        self.shards.renewed(self.name, self._copy, dimension)

    def _copy(self, old: edge.EdgeShard, new: edge.EdgeShard) -> None:
        offset = None
        while True:
            request = edge.ScrollRequest(offset=offset, limit=WRITE_ROWS, with_payload=True, with_vector=[DENSE])
            page, offset = old.scroll(request)
            points = [self._point(to_memory(record), dense_vector(record)) for record in page]
            if points:
                new.update(edge.UpdateOperation.upsert_points(points))
            if offset is None:
                return

    def _shard(self) -> edge.EdgeShard | None:
        """Return the open shard; None as long as nobody has a memory."""
        return self.shards.existing(self.name) if self.shards.path(self.name).is_dir() else None


def newest_first(memory: Memory) -> tuple[float, str]:
    """Return the sort key of a memory by its date."""
    return -memory.created_at.timestamp(), memory.memory_key
