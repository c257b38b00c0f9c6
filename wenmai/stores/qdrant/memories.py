"""Memories of all users on a Qdrant server: one collection, the user inside every query."""

from collections.abc import AsyncIterator, Sequence

from qdrant_client import models

from tools.memory.records import Memory, MemoryFilter, RankedMemory, point_id
from tools.memory.text import searched_text
from wenmai.stores.edge.memory_query import KEYWORD_FIELDS
from wenmai.stores.edge.memory_rows import AVERAGE_TOKENS
from wenmai.stores.edge.points import question_words
from wenmai.stores.edge.query import DENSE
from wenmai.stores.qdrant.collection import DATETIME, KEYWORD, TENANT, Index, Plan, QdrantCollection
from wenmai.stores.qdrant.points import Condition, QdrantPoints, any_of, dense_of, equals, has_id
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.memory_payload import STATES, checked, newest_first, ranked, to_memory, to_payload

MEMORIES = "memories"
USER = "user_id"


class QdrantMemoryStore:
    """The MemoryStore port over a server."""

    def __init__(self, server: QdrantServer, embedder: str, name: str = MEMORIES) -> None:
        self._server = server
        indexes: dict[str, Index] = {
            USER: TENANT,
            **dict.fromkeys(KEYWORD_FIELDS, KEYWORD),
            "created_at": DATETIME,
        }
        plan = Plan(indexes, "记忆", "或先 wenmai memory export 再重新导入")
        self._points = QdrantPoints(QdrantCollection(server, name, embedder, plan), question_words(AVERAGE_TOKENS))

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced. Durable when it returns."""
        if memories:
            pairs = zip(memories, vectors, strict=True)
            points = [self._points.point(one.id, v, searched_text(one), to_payload(one)) for one, v in pairs]
            await self._points.write(points, len(vectors[0]))

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories, inactive ones too, in the order of `keys`; unknown keys are left out."""
        found = {memory.memory_key: memory for memory in map(to_memory, await self._records(user_id, keys))}
        return [found[key] for key in keys if key in found]

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        records = await self._records(user_id, keys, [DENSE])
        return {(record.payload or {})["memory_key"]: dense_of(record) for record in records}

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return all (or the first `limit`) matching memories, the newest first, then by key."""
        found = map(to_memory, await self._points.listed(memory_filter(user_id, where)))
        return sorted(found, key=newest_first)[:limit]

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine, best first, then as in `scroll`."""
        only = memory_filter(user_id, where)
        await self._points.collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, only, limit), limit)

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`."""
        rows = await self._points.wording(text, memory_filter(user_id, where), limit, owned_by(user_id))
        return ranked(rows, limit)

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        return await self._points.count(memory_filter(user_id, where))

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        known = [str(record.id) for record in await self._records(user_id, keys)]
        if known:
            await self._points.delete(owned_by(user_id, has_id(known)))
        return len(known)

    async def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless all of it was embedded by the embedder in use."""
        await self._points.collection.require_embedder(dimension)

    async def everything(self) -> AsyncIterator[tuple[Memory, list[float]]]:
        """Yield the memories of all users with their vectors: for moving them, never for an answer."""
        async for record in self._points.records(models.Filter(), vectors=[DENSE]):
            yield to_memory(record), dense_of(record)

    async def optimize(self) -> None:
        """Leave it to the server, which joins its segments by itself."""

    async def rewrite(self) -> None:
        """Leave it to the server: it drops deleted texts when it joins its segments, and nobody can tell it when."""

    async def expect_rewrite(self) -> None:
        """Note nothing: there are no files here."""

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _records(
        self, user_id: str, keys: Sequence[str], vectors: list[str] | None = None
    ) -> list[models.Record]:
        """Ask for points by their ids and by their user: an id alone is never enough (PLA-03)."""
        ids = sorted({point_id(user_id, key) for key in keys})
        only = owned_by(user_id, has_id(ids))
        return await self._points.listed(only, vectors=vectors) if ids else []


def owned_by(user_id: str, *more: Condition) -> models.Filter:
    """Return the condition that stands in every query. Raises InputError for a blank user."""
    return models.Filter(must=[equals(USER, checked(user_id)), *more])


def memory_filter(user_id: str, where: MemoryFilter) -> models.Filter:
    """Return the user and the conditions of `where` for the server."""
    must: list[Condition] = []
    if where.active is not None:
        must.append(equals("state", STATES[where.active]))
    if where.types:
        must.append(any_of("memory_type", where.types))
    if where.since is not None or where.until is not None:
        between = models.DatetimeRange(gte=where.since, lt=where.until)
        must.append(models.FieldCondition(key="created_at", range=between))
    if where.thread_id is not None:
        must.append(equals("thread_id", where.thread_id))
    if where.superseded_by is not None:
        must.append(equals("superseded_by", where.superseded_by))
    return owned_by(user_id, *must)
