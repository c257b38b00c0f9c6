"""What a LangGraph server knows of its threads beside their checkpoints, kept in the checkpoints' database.

The runtime of `langgraph dev` holds threads in memory and writes them to a file every few seconds. A thread's record
is written with the first checkpoint of each turn, so that a turn is never there without the thread that it belongs to.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wenmai.checkpoints.sqlite import Saver

TABLE = "wenmai_server_threads"
CREATE = """
CREATE TABLE IF NOT EXISTS wenmai_server_threads (
  thread_id TEXT PRIMARY KEY, record TEXT, changed_at TEXT NOT NULL)
"""
PUT = """
INSERT INTO wenmai_server_threads (thread_id, record, changed_at) VALUES ({0}, {0}, {0})
ON CONFLICT (thread_id) DO UPDATE SET record = excluded.record, changed_at = excluded.changed_at
"""
DELETE = "UPDATE wenmai_server_threads SET record = NULL, changed_at = {0} WHERE thread_id = {0}"
ALL = "SELECT thread_id, record, changed_at FROM wenmai_server_threads"
ONE = f"{ALL} WHERE thread_id = {{0}}"
UNRECORDED = """
SELECT DISTINCT thread_id FROM checkpoints
WHERE thread_id NOT IN (SELECT thread_id FROM wenmai_server_threads WHERE record IS NOT NULL)
"""
FORGET = "DELETE FROM wenmai_server_threads WHERE record IS NULL AND changed_at < {0}"


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """A thread of a server: its record as plain data, None once it was deleted, and when that was written."""

    thread_id: str
    record: Mapping[str, Any] | None
    changed_at: datetime


@dataclass(frozen=True, slots=True)
class ThreadRecords:
    database: Saver

    async def setup(self) -> None:
        await self.database.create(TABLE, CREATE)

    async def put(self, thread_id: str, record: Mapping[str, Any], changed_at: datetime | None = None) -> None:
        """Write a thread's record, in place of the one before. PostgreSQL keeps no NUL in a text: JSON escapes it."""
        text = json.dumps(record, default=str)
        await self._execute(PUT, thread_id, text, as_text(changed_at or datetime.now(UTC)))

    async def delete(self, thread_id: str) -> None:
        await self._execute(DELETE, as_text(datetime.now(UTC)), thread_id)

    async def forget_deleted(self, before: datetime) -> None:
        await self._execute(FORGET, as_text(before))

    async def all(self) -> list[ThreadRecord]:
        """Return every record, those of deleted threads among them."""
        return [record_of(row) for row in await self.database.rows(ALL)]

    async def size(self, threads: Collection[str]) -> int:
        """Return the bytes that the checkpoints of these threads take."""
        [(size,)] = await self.database.rows(self.database.size, json.dumps([*threads]))
        return int(size)

    async def unrecorded(self) -> list[str]:
        """Return the threads with checkpoints and without a record: a graph or an agent of a program made them."""
        return [thread for (thread,) in await self.database.rows(UNRECORDED)]

    async def find(self, thread_id: str) -> ThreadRecord | None:
        """Return the record of a thread, also that of a deleted one; None where it never had one."""
        rows = await self.database.rows(ONE.format(self.database.placeholder), thread_id)
        return record_of(rows[0]) if rows else None

    async def _execute(self, statement: str, *values: str) -> None:
        await self.database.execute(statement.format(self.database.placeholder), *values)


def record_of(row: tuple[Any, ...]) -> ThreadRecord:
    thread, record, changed_at = row
    return ThreadRecord(thread, None if record is None else json.loads(record), datetime.fromisoformat(changed_at))


def as_text(time: datetime) -> str:
    """Return a time in UTC as it is written: the order of the texts is that of the times."""
    return time.astimezone(UTC).isoformat(timespec="microseconds")
