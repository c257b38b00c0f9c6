"""Memories of all users in Qdrant Edge: one shard, the user inside every query."""

import logging
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import ParamSpec, TypeVar

from tools.errors import StoreError
from tools.memory.records import Memory, MemoryFilter, RankedMemory
from tools.memory.text import embedded_text, searched_text
from wenmai.stores.edge.collection import Collection
from wenmai.stores.edge.memory_query import memory_config, memory_indexes
from wenmai.stores.edge.memory_rows import MemoryRows
from wenmai.stores.edge.moving import EdgeMove
from wenmai.stores.edge.read import PAGE_ROWS
from wenmai.stores.edge.shards import Schema
from wenmai.stores.files.folder import Content
from wenmai.stores.records.memory_payload import to_memory

P = ParamSpec("P")
T = TypeVar("T")
MEMORIES = "memories"
PENDING_FILE = "rewrite.pending"
UNREADABLE = "请从备份恢复 DATA_DIR/.collections/memories，或删除它后用 wenmai memory import 重新导入"
SCHEMA = Schema(
    "points", memory_config, memory_indexes, "或先 wenmai memory export 再重新导入", Content("记忆库", UNREADABLE)
)

log = logging.getLogger("wenmai.stores")


class EdgeMemoryStore:
    """The MemoryStore port over Qdrant Edge. The shard opens at first use; calls run in threads."""

    def __init__(self, data_dir: Path, embedder: str) -> None:
        self._files = Collection(data_dir, MEMORIES, embedder, SCHEMA, "记忆")
        self._rows = MemoryRows(self._files.shards, MEMORIES)
        self._settled = False

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

    async def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless all of it was embedded by the embedder in use."""
        await self._shared(self._files.require_embedder, dimension)

    async def everything(self) -> AsyncIterator[tuple[Memory, list[float]]]:
        """Yield the memories of all users with their vectors: for moving them, never for an answer."""
        rows = self._rows.everything()
        while page := await self._shared(lambda: list(islice(rows, PAGE_ROWS))):
            for pair in page:
                yield pair

    async def optimize(self) -> None:
        """Join the segments and drop what was deleted: call it once at the end of bulk writes and of deletions."""
        await self._shared(self._rows.points.optimize)

    async def rewrite(self) -> None:
        """Write every remaining memory into new files and remove the old ones, which keep what was deleted."""
        await self._files.alone(self._rewrite)

    async def expect_rewrite(self) -> None:
        """Note that deleted texts must leave the files: whoever opens them after a crash rewrites them first."""
        await self._shared(self._note)

    @property
    def made_by(self) -> tuple[str, int] | None:
        """Embedder and dimension of the stored vectors; None as long as there are none."""
        return self._files.made_by

    def moving(self) -> EdgeMove:
        """Return all memories as what can move to another embedder."""
        return EdgeMove(
            self._rows.points,
            embedded=lambda record: embedded_text(to_memory(record)),
            worded=lambda record: searched_text(to_memory(record)),
        )

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await self._files.close()

    async def _shared(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call beside others; before the first one a rewrite that a crash cut short is made up for."""
        if not self._settled:
            self._settled = True
            if self._pending.exists():
                await self._settle()
        return await self._files.shared(call, *args, **named)

    async def _settle(self) -> None:
        try:
            await self.rewrite()
        except StoreError as error:  # reading goes on, and the note stays for the next process
            log.warning("已删除的记忆还留在文件里，下次打开时再清除：%s", error)

    def _rewrite(self) -> None:
        if (dimension := self._files.dimension) is not None:
            self._rows.rewrite(dimension)
        self._pending.unlink(missing_ok=True)

    def _note(self) -> None:
        if self._pending.parent.is_dir():
            self._pending.touch()

    @property
    def _pending(self) -> Path:
        return self._files.shards.path(MEMORIES) / PENDING_FILE

    def _put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        if memories:
            with self._files.writing(len(vectors[0])):
                self._rows.put(memories, vectors)

    def _dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        self._files.require_embedder(len(vector))
        return self._rows.dense(user_id, vector, where, limit)
