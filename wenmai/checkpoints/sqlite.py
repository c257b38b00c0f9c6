"""Checkpoints of threads in SQLite, strict about what they hold, pruned to a number a thread."""

import asyncio
import json
import logging
import os
import sqlite3
from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Union
from weakref import WeakValueDictionary

import aiosqlite
from langgraph.checkpoint.serde.base import SerializerProtocol
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from tools.errors import StoreCorrupt, StoreError, StoreFull, StoreUnavailable
from tools.messages import Message
from wenmai.checkpoints import BUSY_MS, CHECKPOINTS_FILE, spoilt_error
from wenmai.checkpoints.deletion import DeletingSaver
from wenmai.checkpoints.serde import CompressedSerializer
from wenmai.settings.settings import Settings
from wenmai.stores.files.folder import store_error
from wenmai.stores.files.sqlite import CHECK, EMPTY_LOG, require_sound
from wenmai.stores.files.threads import to_its_end

if TYPE_CHECKING:
    from wenmai.checkpoints.postgres import PrunedPostgresSaver

log = logging.getLogger("wenmai.checkpoints")
Saver = Union["PrunedSqliteSaver", "PrunedPostgresSaver"]  # the latter's driver is imported only where it is used
RUN = "json_extract(CAST(metadata AS TEXT), '$.run_id')"
# Checkpoint ids are UUIDv6 texts: their order is the order of time. A turn is one run.
PRUNE = f"""
WITH points AS (
  SELECT checkpoint_id, coalesce({RUN}, checkpoint_id) AS run FROM checkpoints
  WHERE thread_id = :thread AND checkpoint_ns = ''
), turns AS (
  SELECT run, max(checkpoint_id) AS last, row_number() OVER (ORDER BY max(checkpoint_id) DESC) AS age
  FROM points GROUP BY run
)
DELETE FROM {{table}} WHERE thread_id = :thread AND checkpoint_ns = '' AND checkpoint_id NOT IN (
  SELECT checkpoint_id FROM points JOIN turns USING (run)
  WHERE age <= :steps OR (age <= :keep AND checkpoint_id = last))
"""
KEEP_LATEST = """
DELETE FROM {table} WHERE thread_id = ? AND checkpoint_id < (
  SELECT max(checkpoint_id) FROM checkpoints AS latest
  WHERE latest.thread_id = {table}.thread_id AND latest.checkpoint_ns = {table}.checkpoint_ns)
"""
OF_THREADS = "DELETE FROM {table} WHERE thread_id IN (SELECT value FROM json_each(?))"
WRITES_OF_RUN = f"""
DELETE FROM writes WHERE (thread_id, checkpoint_ns, checkpoint_id) IN (
  SELECT thread_id, checkpoint_ns, checkpoint_id FROM checkpoints WHERE {RUN} = ?)
"""
OF_RUN = f"DELETE FROM checkpoints WHERE {RUN} = ?"
COPIED = {
    "checkpoints": "checkpoint_ns, checkpoint_id, parent_checkpoint_id, type, checkpoint, metadata",
    "writes": "checkpoint_ns, checkpoint_id, task_id, task_path, idx, channel, type, value",
}
RENAMED = "CAST(json_replace(CAST(metadata AS TEXT), '$.thread_id', :target) AS BLOB)"
CHECK_SECONDS = 2.0  # how long a start waits for it: a larger file is looked through behind it
COPY = """
INSERT OR REPLACE INTO {table} (thread_id, {columns}) SELECT :target, {values} FROM {table} WHERE thread_id = :source
"""


class WriteLock(asyncio.Lock):
    """The lock of a connection's statements: what is cut short between them, or refused, is undone.

    Else it would stay open, hold the file against other connections, and keep the log from being emptied. What SQLite
    says of the file is raised as StoreError, and nothing goes into one that is known to be spoilt.
    """

    def __init__(self, connection: aiosqlite.Connection, path: Path) -> None:
        super().__init__()
        self._connection = connection
        self._path = path

    async def __aenter__(self) -> None:
        require_well(self._path)
        await super().__aenter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is not None:
                with suppress(ValueError, sqlite3.DatabaseError):  # it is closed, or spoilt
                    await to_its_end(self._connection.rollback())
        finally:
            self.release()
        if isinstance(error, sqlite3.DatabaseError):
            with noted_errors(self._path):
                raise error


class PrunedSqliteSaver(DeletingSaver, AsyncSqliteSaver):
    """AsyncSqliteSaver that can forget old checkpoints of a thread."""

    placeholder = "?"
    size = """
    WITH own AS (SELECT value AS thread_id FROM json_each(?))
    SELECT coalesce(sum(size), 0) FROM (
      SELECT length(checkpoint) AS size FROM checkpoints WHERE thread_id IN (SELECT thread_id FROM own)
      UNION ALL SELECT length(value) FROM writes WHERE thread_id IN (SELECT thread_id FROM own))
    """

    def __init__(self, conn: aiosqlite.Connection, path: Path, *, serde: SerializerProtocol | None = None) -> None:
        super().__init__(conn, serde=serde)
        self.lock = WriteLock(conn, path)
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def execute(self, statement: str, *values: str) -> None:
        async with self.lock:
            await self.conn.execute(statement, values)
            await self.conn.commit()

    async def create(self, table: str, statement: str) -> None:
        """Make a table unless it is there: SQLite lets one process do so at a time."""
        await self.execute(statement)

    async def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        async with self.lock, self.conn.execute(query, values) as cursor:
            return [tuple(row) async for row in cursor]

    @asynccontextmanager
    async def turn(self, thread_id: str) -> AsyncIterator[None]:
        """Wait until this process is at no turn of this thread: turns at once would hide each other."""
        async with self._turns.setdefault(thread_id, asyncio.Lock()):
            yield

    def is_taken(self, thread_id: str) -> bool:
        lock = self._turns.get(thread_id)
        return lock is not None and lock.locked()

    async def sync(self) -> bool:
        """Have the disk hold what is committed and empty the write-ahead log; return whether it is empty.

        A power cut takes its end along, and what was deleted still stands in it. While another process reads, it stays
        until the next deletion.
        """
        [(is_busy, *_)] = await self.rows(EMPTY_LOG)
        if is_busy:
            log.warning("the log of the conversations is not emptied: another process reads them")
        return not is_busy

    async def aprune_thread(self, thread_id: str, keep: int, steps: int = 0) -> None:
        """Delete all but the ends of the newest `keep` turns of a thread and every step of the newest `steps`."""
        async with self.lock:
            for table in ("writes", "checkpoints"):
                known = {"thread": thread_id, "keep": keep, "steps": steps}
                await self.conn.execute(PRUNE.format(table=table), known)
            await self.conn.commit()

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all but the newest checkpoint of threads (`keep_latest`), or every one (`delete`).

        Raises:
            ValueError: the strategy is another one.
        """
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"expected the strategy keep_latest or delete, got {strategy!r}")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                await self.adelete_thread(thread)
                continue
            async with self.lock:
                for table in ("writes", "checkpoints"):
                    await self.conn.execute(KEEP_LATEST.format(table=table), (thread,))
                await self.conn.commit()

    async def adelete_threads(self, thread_ids: Collection[str]) -> None:
        async with self.lock:
            for table in ("writes", "checkpoints"):
                await self.conn.execute(OF_THREADS.format(table=table), (json.dumps(list(thread_ids)),))
            await self.conn.commit()

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints that these runs of a LangGraph server wrote, with their writes."""
        async with self.lock:
            for run in map(str, run_ids):
                for statement in (WRITES_OF_RUN, OF_RUN):
                    await self.conn.execute(statement, (run,))
            await self.conn.commit()

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy every checkpoint of a thread to another, with their writes."""
        async with self.lock:
            for table, columns in COPIED.items():
                values = columns.replace("metadata", RENAMED)
                statement = COPY.format(table=table, columns=columns, values=values)
                await self.conn.execute(statement, {"source": source_thread_id, "target": target_thread_id})
            await self.conn.commit()


@asynccontextmanager
async def checkpoints_of(settings: Settings) -> AsyncIterator[Saver]:
    """Open the checkpoints of a deployment: in PostgreSQL by POSTGRES_URI, else in DATA_DIR. Raises StoreError."""
    if settings.postgres_uri is None:
        async with open_checkpoints(settings.data_dir) as saver:
            yield saver
        return
    from wenmai.checkpoints.postgres import open_postgres_checkpoints

    async with open_postgres_checkpoints(settings.postgres_uri.get_secret_value()) as shared:
        yield shared


@asynccontextmanager
async def connected(path: Path) -> AsyncIterator[aiosqlite.Connection]:
    """Open a database and close it, also where the caller is cancelled while it opens.

    A `connect` that is given up leaves its thread behind, which then answers into a closed event loop.
    """
    connection = aiosqlite.connect(path)
    opening = asyncio.ensure_future(opened(connection))
    try:
        await asyncio.shield(opening)
        yield connection
    finally:
        await opening
        await connection.close()


async def opened(connection: aiosqlite.Connection) -> None:
    await connection


_spoilt = set[Path]()
"""The files that this process has open and has found spoilt, until it closes them."""


def require_well(path: Path) -> None:
    """Raise StoreCorrupt for a file that is open here and was found spoilt."""
    if path in _spoilt:
        raise spoilt_error(path)


@contextmanager
def checkpoint_errors(path: Path) -> Iterator[None]:
    """Raise what SQLite says of the disk, of rights or of the file as StoreFull, StoreUnavailable, StoreCorrupt."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if type(error) is sqlite3.DatabaseError:  # its code says nothing else: no database, or a malformed one
            raise spoilt_error(path) from error
        if not isinstance(error, sqlite3.OperationalError):
            raise
        found = store_error(error, path)
        if isinstance(found, StoreFull):
            raise found from error
        raise StoreUnavailable(Message("conversation.file_not_opened", path=path, reason=error)) from error


@contextmanager
def noted_errors(path: Path) -> Iterator[None]:
    """Raise the same of a file that is open here, and have one that is spoilt refused from then on."""
    try:
        with checkpoint_errors(path):
            yield
    except StoreCorrupt as error:
        if path not in _spoilt:
            _spoilt.add(path)
            log.error("%s", error)
        raise


@asynccontextmanager
async def checked(path: Path) -> AsyncIterator[None]:
    """Look at each page of a file that is open here, and refuse one that is spoilt; a large one is used meanwhile."""

    async def look() -> None:
        with noted_errors(path):
            async with connected(path) as connection:
                try:
                    async with connection.execute(CHECK) as found:
                        require_sound(await found.fetchone())
                except asyncio.CancelledError:
                    await connection.interrupt()
                    raise

    looking = asyncio.create_task(look())
    try:
        await asyncio.wait({looking}, timeout=CHECK_SECONDS)
        yield
    finally:
        looking.cancel()
        with suppress(asyncio.CancelledError, StoreError):
            await looking


def require_openable(path: Path) -> None:
    """Raise StoreError where a database cannot be used; a connection that fails leaves its thread behind."""
    require_well(path)
    with checkpoint_errors(path):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA schema_version")
        if not os.access(path, os.W_OK):
            raise sqlite3.OperationalError("attempt to write a readonly database")


def is_spoilt(path: Path) -> bool:
    """Return True for a file that is no database or a malformed one; each page is looked at."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            require_sound(connection.execute(CHECK).fetchone())
    except sqlite3.OperationalError:  # locked, or not there
        return False
    except sqlite3.DatabaseError:
        return True
    return False


def emptied_log(data_dir: Path) -> bool:
    """Empty the write-ahead log beside who else has the file open; return whether it is empty. Raises StoreError."""
    path = data_dir / CHECKPOINTS_FILE
    if not path.exists():
        return True
    with checkpoint_errors(path), closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        return not connection.execute(EMPTY_LOG).fetchone()[0]


def put_aside(path: Path, at: datetime) -> Path | None:
    """Give a spoilt database another name, with the files beside it, and return that; None for one that is well."""
    if not path.exists() or not is_spoilt(path):
        return None
    aside = path.with_name(f"{path.name}.spoilt-{at:%Y%m%d-%H%M%S}")
    for end in ("", "-wal", "-shm"):
        with suppress(FileNotFoundError):
            path.with_name(path.name + end).rename(aside.with_name(aside.name + end))
    return aside


@asynccontextmanager
async def open_checkpoints(data_dir: Path) -> AsyncIterator[PrunedSqliteSaver]:
    """Open DATA_DIR/checkpoints.sqlite; only plain data and messages are accepted back."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / CHECKPOINTS_FILE
    await asyncio.to_thread(require_openable, path)
    try:
        async with connected(path) as connection:
            with checkpoint_errors(path):
                await connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
                # Enough with a write-ahead log: a crash loses nothing, a power cut the last turns, never the file.
                await connection.execute("PRAGMA synchronous=NORMAL")
                await connection.execute("PRAGMA secure_delete=ON")  # what was deleted is not left in free pages
            saver = PrunedSqliteSaver(connection, path, serde=CompressedSerializer())
            await saver.setup()
            yield saver
    finally:
        _spoilt.discard(path)
