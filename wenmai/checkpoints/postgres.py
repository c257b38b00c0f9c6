"""Checkpoints of threads in PostgreSQL: as strict and as pruned as in SQLite, for any number of processes."""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any
from weakref import WeakValueDictionary

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection, AsyncCursor
from psycopg.rows import DictRow, TupleRow, dict_row
from psycopg_pool import AsyncConnectionPool

from tools.errors import InputError, StoreError, StoreLocked
from tools.messages import Message
from wenmai.checkpoints.deletion import DeletingSaver
from wenmai.checkpoints.serde import CompressedSerializer
from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors, postgres_pool

POLL_S = 0.05
RELEASE_S = 2.0  # for letting a thread go, which the server does at once
TRY = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"
SETUP = "wenmai checkpoints"
MARK = "\x1a"  # SUBSTITUTE: what stands for a character that cannot be written
VERSIONS = "checkpoint_migrations"
# Checkpoint ids are UUIDv6 texts: their order is the order of time.
KEPT = """
WITH points AS (
  SELECT checkpoint_id, coalesce(metadata ->> 'run_id', checkpoint_id) AS run FROM checkpoints
  WHERE thread_id = %(thread)s AND checkpoint_ns = ''
), turns AS (
  SELECT run, max(checkpoint_id) AS last, row_number() OVER (ORDER BY max(checkpoint_id) DESC) AS age
  FROM points GROUP BY run
)
SELECT checkpoint_id FROM points JOIN turns USING (run)
WHERE age <= %(steps)s OR (age <= %(keep)s AND checkpoint_id = last)
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
OF_THREADS = "DELETE FROM {table} WHERE thread_id = ANY(%(threads)s)"
OF_RUNS = """
DELETE FROM {table} WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
  SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%(runs)s))
"""
THREADS_OF_RUNS = "SELECT DISTINCT thread_id FROM checkpoints WHERE metadata ->> 'run_id' = ANY(%(runs)s)"
COPY = """
INSERT INTO {table} ({columns}) SELECT {values} FROM {table} WHERE thread_id = %(source)s
ON CONFLICT DO NOTHING
"""
RENAMED = "jsonb_set(metadata, '{thread_id}', to_jsonb(%(target)s::text), false)"
COPIED = {
    "checkpoint_blobs": "checkpoint_ns, channel, version, type, blob",
    "checkpoint_writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, blob",
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
}


class Turns:
    """Locks of threads: advisory locks of one connection, which end with it, however the process ends.

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
            raise StoreLocked(Message("conversation.busy_elsewhere", thread=thread_id)) from error

    def is_taken(self, thread_id: str) -> bool:
        """Return True while this process has a thread, or waits for it."""
        lock = self._here.get(thread_id)
        return lock is not None and lock.locked()

    async def close(self) -> None:
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
        """Take the lock if it is free; return True if it was."""
        with postgres_errors(self._place):
            connection = await self._connected()
            row = await (await connection.execute(TRY, (thread_id,))).fetchone()
        return bool(row and row[0])

    async def _connected(self) -> AsyncConnection[TupleRow]:
        async with self._connecting:
            if self._connection is None or self._connection.closed:
                self._connection = await AsyncConnection.connect(bounded(self._uri), autocommit=True)
            return self._connection


class PrunedPostgresSaver(DeletingSaver, AsyncPostgresSaver):
    """AsyncPostgresSaver that can forget old checkpoints of a thread, and gives a thread to one turn at a time."""

    placeholder = "%s"
    size = """
    WITH own AS (SELECT json_array_elements_text(%s::json) AS thread_id)
    SELECT coalesce(sum(size), 0)::bigint FROM (
      SELECT pg_column_size(checkpoint)::bigint AS size FROM checkpoints JOIN own USING (thread_id)
      UNION ALL SELECT coalesce(length(blob), 0) FROM checkpoint_blobs JOIN own USING (thread_id)
      UNION ALL SELECT coalesce(length(blob), 0) FROM checkpoint_writes JOIN own USING (thread_id)) AS parts
    """

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection[DictRow]], uri: str) -> None:
        super().__init__(pool, serde=CompressedSerializer())
        self.place = address_of(uri)
        self._pool = pool
        turns = Turns(uri)  # at once they would each go on from the same checkpoint, and the later hide the other
        self.turn, self.is_taken, self.close = turns.alone, turns.is_taken, turns.close

    async def execute(self, statement: str, *values: str) -> None:
        async with self._cursor() as cursor:
            await cursor.execute(statement.encode(), values)

    async def create(self, table: str, statement: str) -> None:
        """Make a table unless it is there, while no other process makes one: PostgreSQL refuses one of two at once."""
        if not await self.has(table):
            async with self.turn(SETUP):
                await self.execute(statement)

    async def has(self, table: str) -> bool:
        [[is_there]] = await self.rows("SELECT to_regclass(%s) IS NOT NULL", table)
        return bool(is_there)

    async def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        async with self._cursor() as cursor:
            await cursor.execute(query.encode(), values)
            return [tuple(row.values()) for row in await cursor.fetchall()]

    async def sync(self) -> bool:
        """Have the disk hold what is committed: PostgreSQL sees to that with every commit."""
        return True

    async def aprune_thread(self, thread_id: str, keep: int, steps: int = 0) -> None:
        """Delete all but the ends of the newest `keep` turns of a thread and every step of the newest `steps`."""
        async with self._cursor() as cursor, cursor.connection.transaction():
            await cursor.execute(KEPT, {"thread": thread_id, "keep": keep, "steps": steps})
            kept = [row["checkpoint_id"] for row in await cursor.fetchall()]
            for table in ("checkpoint_writes", "checkpoints"):
                await cursor.execute(PRUNE.format(table=table), {"thread": thread_id, "kept": kept})
            await cursor.execute(PRUNE_VALUES, {"thread": thread_id})

    async def adelete_threads(self, thread_ids: Collection[str]) -> None:
        """Delete every checkpoint of threads, with their writes and values."""
        async with self._cursor() as cursor, cursor.connection.transaction():
            for table in COPIED:
                await cursor.execute(OF_THREADS.format(table=table).encode(), {"threads": list(thread_ids)})

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs of a LangGraph server wrote, with their writes and values."""
        runs = {"runs": [str(run) for run in run_ids]}
        async with self._cursor() as cursor, cursor.connection.transaction():
            await cursor.execute(THREADS_OF_RUNS, runs)
            threads = [row["thread_id"] for row in await cursor.fetchall()]
            for table in ("checkpoint_writes", "checkpoints"):
                await cursor.execute(OF_RUNS.format(table=table), runs)
            for thread in threads:
                await cursor.execute(PRUNE_VALUES, {"thread": thread})

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread to another, with their writes and values."""
        ids = {"source": source_thread_id, "target": target_thread_id}
        async with self._cursor() as cursor, cursor.connection.transaction():
            for table, columns in COPIED.items():
                values = columns.replace("metadata", RENAMED)
                query = COPY.format(table=table, columns=f"thread_id, {columns}", values=f"%(target)s, {values}")
                await cursor.execute(query.encode(), ids)

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
    return value.replace(f"{MARK}0", "\0").replace(f"{MARK}1", MARK) if isinstance(value, str) else value


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
    if not await saver.has(VERSIONS):
        return False
    [[version]] = await saver.rows(f"SELECT coalesce(max(v), -1) FROM {VERSIONS}")
    return bool(version == len(saver.MIGRATIONS) - 1)
