"""Memories of all users in Qdrant Edge: one shard, the user inside every query."""

from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice, starmap
from pathlib import Path

import qdrant_edge as edge

from tools.memory.records import Memory, MemoryFilter, RankedMemory, point_id
from tools.memory.text import embedded_text, searched_text
from tools.wording import Words
from wenmai.stores.edge.moving import EdgeMove
from wenmai.stores.edge.schema import LINKED_TENANT, Schema, tenant_config
from wenmai.stores.edge.store import CollectionPlan, EdgeStore, shared
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.collections import MEMORY_LABEL, REIMPORT
from wenmai.stores.records.conditions import EVERYTHING, has_id
from wenmai.stores.records.memory_filter import memory_filter, owned_by
from wenmai.stores.records.memory_payload import newest_first, ranked, to_memory, to_point
from wenmai.stores.records.points import dense_vector
from wenmai.stores.records.vector_policy import DENSE, MEMORY_INDEXES, MEMORY_WORDS, PAGE_ROWS

MEMORIES = "memories"
UNREADABLE = Words(
    "请从备份恢复 DATA_DIR/.collections/memories，或删除它后用 wenmai memory import 重新导入",
    "restore DATA_DIR/.collections/memories from a backup, or delete it and wenmai memory import again",
)
SCHEMA = Schema(
    folder="points",
    config=tenant_config,
    fields=MEMORY_INDEXES,
    tenant=LINKED_TENANT,
    remedy=REIMPORT,
    content=Content(Words("记忆库", "the store of memories"), UNREADABLE),
)
PLAN = CollectionPlan(MEMORIES, MEMORY_LABEL, MEMORY_WORDS, SCHEMA)


class EdgeMemoryStore:
    """The MemoryStore port over Qdrant Edge. The shard opens at first use; calls run in threads."""

    def __init__(self, data_dir: Path, embedder: str) -> None:
        self.collection = EdgeStore(data_dir, PLAN, embedder)
        self._points = self.collection.points

    @shared
    def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced. Durable when it returns."""
        if memories:
            points = starmap(to_point, zip(memories, vectors, strict=True))
            with self.collection.writing(len(vectors[0])):
                self._points.write(points, len(vectors[0]))

    @shared
    def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories, inactive ones too, in the order of `keys`; unknown keys are left out."""
        found = {memory.memory_key: memory for memory in map(to_memory, self._records(user_id, keys))}
        return [found[key] for key in keys if key in found]

    @shared
    def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        records = self._records(user_id, keys, [DENSE])
        return {(record.payload or {})["memory_key"]: dense_vector(record) for record in records}

    @shared
    def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return all (or the first `limit`) matching memories, the newest first, then by key."""
        found = map(to_memory, self._points.records(memory_filter(user_id, where)))
        return sorted(found, key=newest_first)[:limit]

    @shared
    def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine, best first, then as in `scroll`."""
        self.collection.check_embedder(len(vector))
        return ranked(self._points.nearest(vector, memory_filter(user_id, where), limit), limit)

    @shared
    def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`.

        A word weighs by how rare it is among the user's memories; those of other users do not count.
        """
        rows = self._points.wording(text, memory_filter(user_id, where), limit, owned_by(user_id))
        return ranked(rows, limit)

    @shared
    def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        return self._points.count(memory_filter(user_id, where))

    @shared
    def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        known = [str(record.id) for record in self._records(user_id, keys)]
        if known:
            self._points.delete(owned_by(user_id, has_id(known)), rows=len(known))
        return len(known)

    async def everything(self) -> AsyncIterator[tuple[Memory, list[float]]]:
        """Yield the memories of all users with their vectors: for moving them, never for an answer."""
        rows = self._points.records(EVERYTHING, vectors=[DENSE])
        while page := await self._page(rows):
            for pair in page:
                yield pair

    def moving(self) -> EdgeMove:
        """Return all memories as what can move to another embedder."""
        return EdgeMove(
            self._points,
            embedded=lambda record: embedded_text(to_memory(record)),
            worded=lambda record: searched_text(to_memory(record)),
        )

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await self.collection.close()

    @shared
    def _page(self, rows: Iterator[edge.Record]) -> list[tuple[Memory, list[float]]]:
        return [(to_memory(row), dense_vector(row)) for row in islice(rows, PAGE_ROWS)]

    def _records(self, user_id: str, keys: Sequence[str], vectors: list[str] | None = None) -> list[edge.Record]:
        """Ask for points by their ids and by their user: an id alone is never enough."""
        only = owned_by(user_id, has_id(point_id(user_id, key) for key in keys))
        return list(self._points.records(only, vectors=vectors)) if keys else []
