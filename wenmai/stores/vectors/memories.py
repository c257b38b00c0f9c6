"""Memories of all users: one collection, the user inside every query."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import starmap
from typing import Any

from tools.errors import InputError
from tools.memory.keywords import searched_text
from tools.memory.records import Memory, MemoryFilter, MemoryKeyword, RankedMemory, point_id
from tools.messages import Message
from wenmai.stores.vectors.conditions import Condition, Dated, Equals, Filter, all_of, has_id, one_of
from wenmai.stores.vectors.points import (
    MEMORY_INDEXES,
    Collection,
    CollectionPlan,
    NewPoint,
    Points,
    ScoredPoint,
    StoredPoint,
    dense_vector,
)


def owned_by(user_id: str, *more: Condition) -> Filter:
    """Return the condition that every query holds. Raises InputError for a blank user."""
    return all_of(Equals("user_id", require_user(user_id)), *more)


def memory_filter(user_id: str, where: MemoryFilter) -> Filter:
    """Return the user and the conditions of `where`. Raises InputError for a blank user."""
    must: list[Condition] = []
    if where.active is not None:
        must.append(Equals("state", STATES[where.active]))
    if where.types:
        must.append(one_of("memory_type", where.types))
    if where.since is not None or where.until is not None:
        must.append(Dated("created_at", where.since, where.until))
    if where.thread_id is not None:
        must.append(Equals("thread_id", where.thread_id))
    if where.superseded_by is not None:
        must.append(Equals("superseded_by", where.superseded_by))
    return owned_by(user_id, *must)


# The engine compares a truth value as a number and finds none: a state is a word.
STATES = {True: "active", False: "inactive"}


def require_user(user_id: str) -> str:
    """Return a user_id that is not blank. Raises InputError."""
    if not user_id.strip():
        raise InputError(Message("memory.user_needed"))
    return user_id


def to_payload(memory: Memory) -> dict[str, Any]:
    """Return a memory as the engine stores it.

    Its metadata is one text: no query filters by it, and numbers and nested values come back as they were.
    """
    return {
        "user_id": require_user(memory.user_id),
        "memory_key": memory.memory_key,
        "memory_type": memory.memory_type,
        "summary": memory.summary,
        "content": memory.content,
        "content_metadata": json.dumps(dict(memory.content_metadata), ensure_ascii=False),
        "keywords": [[one.keyword, one.weight] for one in memory.keywords],
        "created_at": memory.created_at.isoformat(),
        "agent_id": memory.agent_id,
        "thread_id": memory.thread_id,
        "state": STATES[memory.is_active],
        "superseded_by": memory.superseded_by,
        "valid_until": None if memory.valid_until is None else memory.valid_until.isoformat(),
    }


def to_point(memory: Memory, vector: Sequence[float]) -> NewPoint:
    return NewPoint(memory.id, vector, searched_text(memory), to_payload(memory))


def to_memory(record: StoredPoint) -> Memory:
    payload = dict(record.payload or {})
    payload["content_metadata"] = json.loads(payload["content_metadata"])
    payload["keywords"] = tuple(MemoryKeyword(word, weight) for word, weight in payload["keywords"])
    payload["created_at"] = datetime.fromisoformat(payload["created_at"])
    payload["is_active"] = payload.pop("state") == STATES[True]
    until = payload["valid_until"]
    payload["valid_until"] = datetime.fromisoformat(until) if until else None
    return Memory(**payload)


def ranked(rows: Iterable[ScoredPoint], limit: int) -> list[RankedMemory]:
    known = [RankedMemory(to_memory(row), row.score) for row in rows]
    return sorted(known, key=lambda row: (-row.score, *newest_first(row.memory)))[:limit]


def newest_first(memory: Memory) -> tuple[float, str]:
    return -memory.created_at.timestamp(), memory.memory_key


MEMORY_PLAN = CollectionPlan(Message("count.memories"), MEMORY_INDEXES, Message("store.or_export_and_import"))


class VectorMemoryStore:
    """The MemoryStore port over a vector engine."""

    def __init__(self, points: Points, collection: Collection) -> None:
        self.collection = collection
        self._points = points

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
        ordered = partial(sorted, map(to_memory, rows), key=newest_first)
        return (await asyncio.to_thread(ordered))[:limit]  # long, where a user has many

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
