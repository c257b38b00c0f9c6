"""Memories of all users in Qdrant Edge: one shard, the user inside every query."""

import asyncio
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from tools.errors import EmbedderMismatch
from tools.memories import Memory, MemoryFilter, RankedMemory
from wenmai.stores.edge_memory_query import memory_config, memory_indexes
from wenmai.stores.edge_memory_rows import MemoryRows
from wenmai.stores.edge_shards import Schema, Shards
from wenmai.stores.gate import Gate

P = ParamSpec("P")
T = TypeVar("T")
COLLECTIONS = ".collections"  # no name that a library may have
MEMORIES = "memories"
EMBEDDER_FILE = "embedder.json"
SCHEMA = Schema("points", memory_config, memory_indexes, "或先 wenmai memory export 再重新导入")


class EdgeMemoryStore:
    """The MemoryStore port over Qdrant Edge. The shard opens at first use; calls run in threads."""

    def __init__(self, data_dir: Path, embedder: str) -> None:
        self._embedder = embedder
        self._shards = Shards(data_dir / COLLECTIONS, SCHEMA)
        self._gate = Gate()
        self._rows = MemoryRows(self._shards, MEMORIES)

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced. Durable when it returns."""
        await self._shared(self._put, memories, vectors)

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories, inactive ones too, in the order of `keys`; unknown keys are left out."""
        return await self._shared(self._rows.get, user_id, keys)

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        return await self._shared(self._rows.vectors, user_id, keys)

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return all (or the first `limit`) matching memories, the newest first, then by key."""
        return await self._shared(self._rows.scroll, user_id, where, limit)

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine, best first, then as in `scroll`."""
        return await self._shared(self._dense, user_id, vector, where, limit)

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`."""
        return await self._shared(self._rows.sparse, user_id, text, where, limit)

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        return await self._shared(self._rows.count, user_id, where)

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        return await self._shared(self._rows.delete, user_id, keys)

    async def optimize(self) -> None:
        """Join the segments and drop what was deleted: call it once at the end of bulk writes and of deletions."""
        await self._shared(self._rows.optimize)

    async def rewrite(self) -> None:
        """Write every remaining memory into new files and remove the old ones, which keep what was deleted."""
        await asyncio.to_thread(self._rewrite)

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await asyncio.to_thread(self._shards.close)

    async def _shared(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread, beside others, but not while the files are written anew."""

        def run() -> T:
            with self._gate.shared():
                return call(*args, **named)

        return await asyncio.to_thread(run)

    def _rewrite(self) -> None:
        if self._embedder_file.exists():
            built = json.loads(self._embedder_file.read_text(encoding="utf-8"))
            with self._gate.alone():
                self._rows.rewrite(built["dimension"])

    def _put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        if memories:
            self._require_embedder(len(vectors[0]))
            self._rows.put(memories, vectors)
            self._record_embedder(len(vectors[0]))

    def _dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        self._require_embedder(len(vector))
        return self._rows.dense(user_id, vector, where, limit)

    def _record_embedder(self, dimension: int) -> None:
        file = self._embedder_file
        if not file.exists():
            file.write_text(json.dumps({"embedder": self._embedder, "dimension": dimension}), encoding="utf-8")

    def _require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless the collection was built with this embedder (PLA-10)."""
        if not self._embedder_file.exists():
            return
        built = json.loads(self._embedder_file.read_text(encoding="utf-8"))
        if (built["embedder"], built["dimension"]) != (self._embedder, dimension):
            raise EmbedderMismatch(
                f"记忆由嵌入模型 {built['embedder']}（{built['dimension']} 维）建立，"
                f"当前为 {self._embedder}（{dimension} 维）："
                "请换回原来的 EMBEDDING_MODEL，或先 wenmai memory export 再重新导入"
            )

    @property
    def _embedder_file(self) -> Path:
        return self._shards.path(MEMORIES) / EMBEDDER_FILE
