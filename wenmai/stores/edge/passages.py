"""Passages in Qdrant Edge, Qdrant's engine inside this process: one shard per library."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from tools.records import Horizon, Passage, PassageFilter, Ranked, ScoredPassage
from wenmai.stores.edge.moving import EdgeMove
from wenmai.stores.edge.points import Points
from wenmai.stores.edge.query import passage_text
from wenmai.stores.edge.read import PassageReader
from wenmai.stores.edge.shards import Shards
from wenmai.stores.edge.write import PassageWriter

T = TypeVar("T")
Rest = ParamSpec("Rest")


class EdgePassageStore:
    """The PassageStore port over Qdrant Edge. Shards open at first use; calls run in threads."""

    def __init__(self, data_dir: Path) -> None:
        self._shards = Shards(data_dir)
        self._reader = PassageReader(self._shards)
        self._writer = PassageWriter(self._shards, self._reader.words)

    async def open(self, library: str) -> None:
        """Open a library's shard before it is asked. Raises LibraryNotFound, StoreLocked, StoreCorrupt."""
        if not self._shards.has_open(library):
            await asyncio.to_thread(self._shards.existing, library)

    async def dense(self, library: str, vector: Sequence[float], where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows nearest to `vector` by cosine, best first."""
        return await asyncio.to_thread(self._reader.dense, library, vector, where, limit)

    async def sparse(self, library: str, text: str, where: PassageFilter, limit: int) -> list[Ranked]:
        """Return the rows that share most with the words of `text` by BM25, best first."""
        return await asyncio.to_thread(self._reader.sparse, library, text, where, limit)

    async def fetch(
        self,
        library: str,
        ids: Sequence[str],
        vector: Sequence[float] | None = None,
        horizon: Horizon | None = None,
    ) -> list[ScoredPassage]:
        """Return these passages in the order of `ids` (unknown ids are left out), scored against `vector` if given."""
        return await asyncio.to_thread(self._reader.fetch, library, ids, vector, horizon)

    async def scroll(self, library: str, where: PassageFilter, limit: int | None = None) -> list[Passage]:
        """Return all (or the first `limit`) matching passages in ascending story position (event_order)."""
        return await asyncio.to_thread(self._reader.scroll, library, where, limit)

    async def count(self, library: str, where: PassageFilter) -> int:
        """Return how many passages match."""
        return await asyncio.to_thread(self._reader.count, library, where)

    async def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write passages; the same id is replaced. Durable when it returns."""
        await self._changed(library, self._writer.upsert, passages, vectors)

    async def vectors(self, library: str, passages: Sequence[Passage]) -> dict[str, list[float]]:
        """Return the stored dense vectors, by id, of those passages that are stored with the same text."""
        return await asyncio.to_thread(self._reader.vectors, library, passages)

    async def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids and change nothing else."""
        await self._changed(library, self._writer.reorder, orders)

    async def delete(self, library: str, ids: Iterable[str]) -> int:
        """Delete these ids and return how many there were."""
        return await self._changed(library, self._writer.delete, list(ids))

    async def optimize(self, library: str) -> None:
        """Build the indexes that fast search needs: call it once at the end of bulk writes."""
        await asyncio.to_thread(self._writer.optimize, library)

    def moving(self, library: str) -> EdgeMove:
        """Return the library's passages as what can move to another embedder."""
        points = Points(self._shards, library, self._reader.words)
        return EdgeMove(points, embedded=passage_text, worded=passage_text)

    async def close(self) -> None:
        """Flush and close every shard and let the folders go."""
        await asyncio.to_thread(self._close)

    async def _changed(
        self, library: str, change: Callable[Concatenate[str, Rest], T], *args: Rest.args, **named: Rest.kwargs
    ) -> T:
        def changed() -> T:  # both in the thread: who waits for it may be cancelled
            try:
                return change(library, *args, **named)
            finally:
                self._reader.orders.forget(library)

        return await asyncio.to_thread(changed)

    def _close(self) -> None:
        self._shards.close()
        self._reader.orders.clear()
