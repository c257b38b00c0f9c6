"""Take forgotten memories out of what threads keep: every checkpoint of a user's threads, and their pending writes."""

import asyncio
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wenmai.checkpoints.files import BUSY_MS, CHECKPOINTS_FILE
from wenmai.memories.quotes import Quotes
from wenmai.stores.files.folder import engine_errors

if TYPE_CHECKING:
    from wenmai.checkpoints.serde import CompressedSerializer

CHECKPOINTS = "SELECT rowid, thread_id, type, checkpoint FROM checkpoints ORDER BY thread_id, checkpoint_id"
WRITES = "SELECT rowid, thread_id, type, value FROM writes"


@dataclass(frozen=True, slots=True)
class ThreadCounts:
    """The user's threads, those among all threads, and how many of the user's were changed."""

    own: frozenset[str]
    every: frozenset[str]
    changed: frozenset[str]


@dataclass(frozen=True, slots=True)
class SqliteThreads:
    """The threads in the checkpoints of a data folder."""

    data_dir: Path

    async def __call__(self, user_id: str, quotes: Quotes) -> ThreadCounts:
        """Clean the threads that this user owns. Raises StoreError."""
        return await asyncio.to_thread(clean_threads, self.data_dir / CHECKPOINTS_FILE, user_id, quotes)


def clean_threads(file: Path, user_id: str, quotes: Quotes) -> ThreadCounts:
    """Clean the threads that this user owns; others are not read. Raises StoreError."""
    if not file.exists():
        return ThreadCounts(frozenset(), frozenset(), frozenset())
    from wenmai.checkpoints.serde import CompressedSerializer

    serde = CompressedSerializer()
    with engine_errors(file, sqlite3.Error, OSError), _opened(file) as database:
        owners = _owners(database, serde)
        own = frozenset(thread for thread, owner in owners.items() if owner == user_id)
        changed: set[str] = set()
        with database:
            for question, table, column in ((CHECKPOINTS, "checkpoints", "checkpoint"), (WRITES, "writes", "value")):
                for row, thread, value in _values(database, serde, question):
                    clean = quotes.without(value) if thread in own else value
                    if clean is not value:
                        kind, data = serde.dumps_typed(clean)
                        update = f"UPDATE {table} SET type = ?, {column} = ? WHERE rowid = ?"
                        database.execute(update, (kind, data, row))
                        changed.add(thread)
        if changed:  # pages and the log keep what was written over until the file is rewritten
            database.execute("VACUUM")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return ThreadCounts(own, frozenset(owners), frozenset(changed))


@contextmanager
def _opened(file: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        yield database


def _owners(database: sqlite3.Connection, serde: "CompressedSerializer") -> dict[str, str | None]:
    """Return the owner that each thread's newest checkpoint names."""
    values = ((thread, value["channel_values"]) for _, thread, value in _values(database, serde, CHECKPOINTS))
    return {thread: channels.get("owner") for thread, channels in values}


def _values(
    database: sqlite3.Connection, serde: "CompressedSerializer", question: str
) -> Iterator[tuple[int, str, Any]]:
    for row, thread, kind, data in database.execute(question).fetchall():
        yield row, thread, serde.loads_typed((kind, data))
