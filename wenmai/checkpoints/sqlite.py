"""Checkpoints of threads in SQLite, strict about what they hold, pruned to a number a thread."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import aiosqlite
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from wenmai.checkpoints.files import BUSY_MS, CHECKPOINTS_FILE
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from wenmai.checkpoints.postgres import PrunedPostgresSaver

# Checkpoint ids are UUIDv6 texts: their order is the order of time.
PRUNE = """
DELETE FROM {table} WHERE thread_id = ? AND checkpoint_ns = '' AND checkpoint_id NOT IN (
  SELECT checkpoint_id FROM checkpoints WHERE thread_id = ? AND checkpoint_ns = ''
  ORDER BY checkpoint_id DESC LIMIT ?)
"""


class PrunedSqliteSaver(AsyncSqliteSaver):
    """AsyncSqliteSaver that can forget old checkpoints of a thread."""

    @asynccontextmanager
    async def turn(self, thread_id: str) -> AsyncIterator[None]:
        """Let a turn begin at once: a data folder is one user's desk, where nobody asks twice on a thread."""
        yield

    async def aprune_thread(self, thread_id: str, keep: int) -> None:
        """Delete all but the newest `keep` checkpoints of a thread, with their writes."""
        async with self.lock:
            for table in ("writes", "checkpoints"):
                await self.conn.execute(PRUNE.format(table=table), (thread_id, thread_id, keep))
            await self.conn.commit()


@asynccontextmanager
async def checkpoints_of(settings: Settings) -> AsyncIterator["PrunedSqliteSaver | PrunedPostgresSaver"]:
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
    """Wait for a connection to be open."""
    await connection


@asynccontextmanager
async def open_checkpoints(data_dir: Path) -> AsyncIterator[PrunedSqliteSaver]:
    """Open DATA_DIR/checkpoints.sqlite; only plain data and messages are accepted back (PLA-11)."""
    data_dir.mkdir(parents=True, exist_ok=True)
    async with connected(data_dir / CHECKPOINTS_FILE) as connection:
        await connection.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        # Enough with a write-ahead log: a crash loses nothing, a power cut at most the last turns, never the file.
        await connection.execute("PRAGMA synchronous=NORMAL")
        saver = PrunedSqliteSaver(connection, serde=JsonPlusSerializer(allowed_msgpack_modules=None))
        await saver.setup()
        yield saver
