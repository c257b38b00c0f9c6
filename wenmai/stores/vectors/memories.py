"""Memories of all users: one collection, the user inside every query."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import starmap

from tools.memory.records import Memory, MemoryFilter, RankedMemory, point_id
from wenmai.stores.records.conditions import Filter, has_id
from wenmai.stores.records.memories import memory_filter, newest_first, owned_by, ranked, to_memory, to_point
from wenmai.stores.records.points import (
    MEMORY_INDEXES,
    MEMORY_LABEL,
    REIMPORT,
    CollectionPlan,
    StoredPoint,
    dense_vector,
)
from wenmai.stores.vectors.points import Collection, Points

MEMORY_PLAN = CollectionPlan(MEMORY_LABEL, MEMORY_INDEXES, REIMPORT)


class VectorMemoryStore:
    """The MemoryStore port over a vector engine."""

    def __init__(self, points: Points) -> None:
        self._points = points

    @property
    def collection(self) -> Collection:
        return self._points.collection

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        if memories:
            await self._points.write(starmap(to_point, zip(memories, vectors, strict=True)), len(vectors[0]))

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        rows = await self._points.listed(_named(user_id, keys)) if keys else []
        found = {memory.memory_key: memory for memory in map(to_memory, rows)}
        return [found[key] for key in keys if key in found]

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        rows = await self._points.listed(_named(user_id, keys), vectors=True) if keys else []
        return {(row.payload or {})["memory_key"]: dense_vector(row) for row in rows}

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        rows = await self._points.listed(memory_filter(user_id, where))
        return (await asyncio.to_thread(_in_order, rows))[:limit]  # long, where a user has many

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        only = memory_filter(user_id, where)
        await self.collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, only, limit), limit)

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`.

        A word weighs by how rare it is among the user's memories; those of other users do not count.
        """
        rows = await self._points.wording(text, memory_filter(user_id, where), limit, owned_by(user_id))
        return ranked(rows, limit)

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        return await self._points.count(memory_filter(user_id, where))

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        return await self._points.delete(_named(user_id, keys)) if keys else 0

    async def everything(self) -> AsyncIterator[tuple[Memory, list[float]]]:
        """Yield the memories of all users with their vectors: for moving them, never for an answer."""
        async for row in self._points.everything():
            yield to_memory(row), dense_vector(row)

    async def close(self) -> None:
        await self.collection.close()


def _named(user_id: str, keys: Sequence[str]) -> Filter:
    """Return the condition on memories by their ids and by their user: an id alone is never enough."""
    return owned_by(user_id, has_id(point_id(user_id, key) for key in keys))


def _in_order(rows: Iterable[StoredPoint]) -> list[Memory]:
    return sorted(map(to_memory, rows), key=newest_first)
