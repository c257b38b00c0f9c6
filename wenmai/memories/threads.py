"""Take forgotten memories out of what threads keep: every checkpoint of a user's threads, and their pending writes."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wenmai.checkpoints import BUSY_MS, CHECKPOINTS_FILE
from wenmai.memories.forgetting import Quotes, ThreadCounts
from wenmai.stores.files.sqlite import EMPTY_LOG

if TYPE_CHECKING:
    from wenmai.checkpoints.serde import CompressedSerializer

CHECKPOINTS = "SELECT rowid, thread_id, type, checkpoint FROM checkpoints ORDER BY thread_id, checkpoint_id"
WRITES = "SELECT rowid, thread_id, type, value FROM writes"


def clean_threads(data_dir: Path, user_id: str, quotes: Quotes) -> ThreadCounts:
    """Clean the threads that this user owns; others are not changed. Raises StoreError."""
    file = data_dir / CHECKPOINTS_FILE
    if not file.exists():
        return ThreadCounts(frozenset(), frozenset(), frozenset())
    from wenmai.checkpoints.serde import CompressedSerializer
    from wenmai.checkpoints.sqlite import checkpoint_errors

    serde = CompressedSerializer()
    with checkpoint_errors(file), closing(sqlite3.connect(file)) as database:
        database.execute(f"PRAGMA busy_timeout={BUSY_MS}")
        values = _values(database, serde, CHECKPOINTS)  # the newest of a thread come last
        owners = {thread: value["channel_values"].get("owner") for _, thread, value in values}
        own = frozenset(thread for thread, owner in owners.items() if owner == user_id)
        changed: set[str] = set()
        with database:
            for query, table, column in ((CHECKPOINTS, "checkpoints", "checkpoint"), (WRITES, "writes", "value")):
                for row, thread, value in _values(database, serde, query):
                    clean = quotes.without(value) if thread in own else value
                    if clean is not value:  # `without` returns the same object where nothing was removed
                        kind, data = serde.dumps_typed(clean)
                        update = f"UPDATE {table} SET type = ?, {column} = ? WHERE rowid = ?"
                        database.execute(update, (kind, data, row))
                        changed.add(thread)
        if changed:  # pages and the log keep what was written over until the file is rewritten
            database.execute("VACUUM")
            database.execute(EMPTY_LOG)
    return ThreadCounts(own, frozenset(owners), frozenset(changed))


def _values(database: sqlite3.Connection, serde: "CompressedSerializer", query: str) -> Iterator[tuple[int, str, Any]]:
    for row, thread, kind, data in database.execute(query).fetchall():
        yield row, thread, serde.loads_typed((kind, data))
