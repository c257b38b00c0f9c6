"""Checkpoints of threads in PostgreSQL: as strict and as pruned as in SQLite, for any number of processes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any, LiteralString
from weakref import WeakValueDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow, TupleRow, dict_row
from psycopg_pool import AsyncConnectionPool

from tools.errors import InputError, StoreError, StoreLocked
from wenmai.stores.catalog.postgres import address_of, bounded, postgres_errors, postgres_pool

POLL_S = 0.05
RELEASE_S = 2.0  # for letting a thread go, which the server does at once
SETUP = "wenmai checkpoints"
MARK = "\x1a"  # SUBSTITUTE: what stands for a character that cannot be written
TRY = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"
APPLIED = "SELECT coalesce(max(v), -1) AS version FROM checkpoint_migrations"
TABLE = "SELECT to_regclass('checkpoint_migrations') IS NOT NULL AS there"
# Checkpoint ids are UUIDv6 texts: their order is the order of time.
KEPT = """
SELECT checkpoint_id FROM checkpoints WHERE thread_id = %(thread)s AND checkpoint_ns = ''
ORDER BY checkpoint_id DESC LIMIT %(keep)s
"""
PRUNE = """
DELETE FROM {table} WHERE thread_id = %(thread)s AND checkpoint_ns = '' AND NOT checkpoint_id = ANY(%(kept)s)
"""
# A value is stored once for all checkpoints that have its version.
PRUNE_VALUES = """
DELETE FROM checkpoint_blobs b WHERE thread_id = %(thread)s AND checkpoint_ns = '' AND NOT EXISTS (
  SELECT 1 FROM checkpoints c WHERE c.thread_id = b.thread_id AND c.checkpoint_ns = ''
  AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)
"""


class PrunedPostgresSaver(AsyncPostgresSaver):
    """AsyncPostgresSaver that can forget old checkpoints of a thread, and gives a thread to one turn at a time."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], uri: str) -> None:
        super().__init__(pool, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        self.place = address_of(uri)
        self._pool = pool
        self._turns = Turns(uri)

    async def aprune_thread(self, thread_id: str, keep: int) -> None:
        """Delete all but the newest `keep` checkpoints of a thread, with their writes and values."""
        async with self._cursor() as cursor, cursor.connection.transaction():
            await cursor.execute(KEPT, {"thread": thread_id, "keep": keep})
            kept = [row["checkpoint_id"] for row in await cursor.fetchall()]
            for table in ("checkpoint_writes", "checkpoints"):
                await cursor.execute(PRUNE.format(table=table), {"thread": thread_id, "kept": kept})
            await cursor.execute(PRUNE_VALUES, {"thread": thread_id})

    @asynccontextmanager
    async def turn(self, thread_id: str) -> AsyncIterator[None]:
        """Wait until no process is at a turn of this thread, and have it alone. Raises StoreLocked, StoreUnavailable.

        Turns at once would each go on from the same checkpoint, and the later one would hide the other.
        """
        async with self._turns.alone(thread_id):
            yield

    async def close(self) -> None:
        """Let every turn go."""
        await self._turns.close()

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint. Plain texts stand in a JSONB column, which refuses NUL: it is written as a mark."""
        values = {name: marked(value) for name, value in checkpoint["channel_values"].items()}
        return await super().aput(config, {**checkpoint, "channel_values": values}, metadata, new_versions)

    async def _load_checkpoint_tuple(self, value: DictRow) -> CheckpointTuple:
        point = value["checkpoint"]
        values = {name: unmarked(one) for name, one in (point.get("channel_values") or {}).items()}
        return await super()._load_checkpoint_tuple({**value, "checkpoint": {**point, "channel_values": values}})

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """Give a cursor; every access goes through here.

        The library's own takes one lock for all connections of the pool: behind a server that is down, callers would
        wait in vain one after the other.
        """
        with postgres_errors(self.place):
            async with self._pool.connection() as connection:
                if pipeline:
                    async with connection.pipeline(), connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor
                else:
                    async with connection.cursor(binary=True, row_factory=dict_row) as cursor:
                        yield cursor


def marked(value: Any) -> Any:
    """Return a text without NUL, from which `unmarked` makes the same again; anything else as it is."""
    return value.replace(MARK, f"{MARK}1").replace("\0", f"{MARK}0") if isinstance(value, str) else value


def unmarked(value: Any) -> Any:
    """Return what `marked` was given."""
    return value.replace(f"{MARK}0", "\0").replace(f"{MARK}1", MARK) if isinstance(value, str) else value


class Turns:
    """Who is at which thread: advisory locks of one connection, which end with it, however the process ends.

    A server that is restarted forgets them; a turn that is under way then is no longer alone.
    """

    def __init__(self, uri: str, wait_s: float = 300.0) -> None:
        self._uri = uri
        self._place = address_of(uri)
        self._wait_s = wait_s
        self._connection: AsyncConnection[TupleRow] | None = None
        self._connecting = asyncio.Lock()
        self._here: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._releasing: set[asyncio.Task[None]] = set()  # the loop itself keeps no task

    @asynccontextmanager
    async def alone(self, thread_id: str) -> AsyncIterator[None]:
        """Have a thread alone. Raises StoreLocked after `wait_s`, StoreUnavailable."""
        here = self._here.setdefault(thread_id, asyncio.Lock())  # a connection is given its own lock twice
        limit = asyncio.timeout(self._wait_s)
        try:
            async with limit:
                await here.acquire()
                try:
                    while not await self._tried(thread_id):
                        await asyncio.sleep(POLL_S)
                    limit.reschedule(None)
                    yield
                finally:
                    await self._let_go(thread_id, here)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise StoreLocked(f"会话 {thread_id} 正在别处回答：请等它结束后重试") from error

    async def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            await self._connection.close()

    async def _let_go(self, thread_id: str, here: asyncio.Lock) -> None:
        """Release the lock, and only then let the next one here try: who is cancelled meanwhile does not stop it.

        A try that was cancelled may have been granted all the same: it is taken back, too.
        """
        releasing = asyncio.create_task(self._release(thread_id))
        self._releasing.add(releasing)
        releasing.add_done_callback(self._releasing.discard)
        releasing.add_done_callback(lambda _: here.release())
        await asyncio.shield(releasing)

    async def _release(self, thread_id: str) -> None:
        """Let a thread go; of a server that is silent the whole connection, with every thread that it holds."""
        connection = self._connection
        if connection is None or connection.closed:  # one that broke has let go by itself
            return
        try:
            with suppress(StoreError, InputError), postgres_errors(self._place):  # what is no text was never taken
                async with asyncio.timeout(RELEASE_S):
                    await connection.execute(RELEASE, (thread_id,))
        except TimeoutError:  # the driver has given the server ten seconds more to end the statement
            await connection.close()

    async def _tried(self, thread_id: str) -> bool:
        """Take the lock if it is free, and tell whether it was."""
        with postgres_errors(self._place):
            connection = await self._connected()
            row = await (await connection.execute(TRY, (thread_id,))).fetchone()
        return bool(row and row[0])

    async def _connected(self) -> AsyncConnection[TupleRow]:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                self._connection = await AsyncConnection.connect(bounded(self._uri), autocommit=True)
            return self._connection


@asynccontextmanager
async def open_postgres_checkpoints(uri: str) -> AsyncIterator[PrunedPostgresSaver]:
    """Open the checkpoints of POSTGRES_URI, with their tables made. Raises StoreUnavailable, StoreError."""
    async with postgres_pool(uri) as pool:
        saver = PrunedPostgresSaver(pool, uri)
        try:
            await made(saver)
            yield saver
        finally:
            await saver.close()


async def made(saver: PrunedPostgresSaver) -> None:
    """Make the tables, or bring them up to date, while no other process does."""
    if await _is_current(saver):
        return
    # Tried again and again, not waited for: an index is made CONCURRENTLY, which waits for everybody who waits.
    async with saver.turn(SETUP):
        if not await _is_current(saver):
            await saver.setup()


async def _is_current(saver: PrunedPostgresSaver) -> bool:
    async with saver._cursor() as cursor:
        if not (await _row(cursor, TABLE))["there"]:
            return False
        version: int = (await _row(cursor, APPLIED))["version"]
        return version == len(saver.MIGRATIONS) - 1


async def _row(cursor: AsyncCursor[DictRow], question: LiteralString) -> dict[str, Any]:
    await cursor.execute(question)
    row = await cursor.fetchone()
    assert row is not None
    return row
