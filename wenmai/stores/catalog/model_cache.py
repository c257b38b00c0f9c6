"""Answers of models about pieces of a library's texts, in SQLite beside the catalog: none is paid for twice."""

import asyncio
import sqlite3
from collections.abc import Collection, Sequence
from pathlib import Path

from wenmai.stores.catalog.sqlite_files import SqliteFiles

ANSWERS_FILE = "answers.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT NOT NULL, task_id TEXT NOT NULL, content TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (key, task_id)) WITHOUT ROWID;
"""
INSERT = "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)"
BATCH = 500


class SqliteAnswers:
    """The AnswerStore port. Calls run in threads; every answer is durable when `keep` returns."""

    def __init__(self, data_dir: Path, *, shared: bool = False) -> None:
        self._files = SqliteFiles(data_dir, ANSWERS_FILE, SCHEMA, shared=shared)

    async def kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the answers that are there, by key; writes nothing, not even a lock."""
        return await asyncio.to_thread(self._kept, library, keys)

    async def keep(self, library: str, key: str, task_id: str, content: str, answer: str) -> None:
        await asyncio.to_thread(self._keep, library, (key, task_id, content, answer))

    async def prune(self, library: str, task_id: str, contents: Collection[str]) -> int:
        return await asyncio.to_thread(self._pruned, library, task_id, set(contents))

    async def forget(self, library: str, task_id: str) -> int:
        return await self.prune(library, task_id, ())

    async def count(self, library: str) -> int:
        return await asyncio.to_thread(self._count, library)

    async def close(self) -> None:
        await asyncio.to_thread(self._files.close)

    async def release(self, library: str) -> None:
        await asyncio.to_thread(self._files.release, library)

    def _kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        if not self._files.path(library).exists():
            return {}
        with self._files.peeked(library) as file:
            batches = [list(keys[at : at + BATCH]) for at in range(0, len(keys), BATCH)]
            return {key: answer for batch in batches for key, answer in _rows(file, batch)}

    def _count(self, library: str) -> int:
        if not self._files.path(library).exists():
            return 0
        with self._files.peeked(library) as file:
            return int(file.execute("SELECT count(*) FROM answer").fetchone()[0])

    def _keep(self, library: str, row: tuple[str, str, str, str]) -> None:
        self._files.folders.created(library)  # with all other stores on servers, it is made here
        with self._files.opened(library) as file, file:
            file.execute(INSERT, row)

    def _pruned(self, library: str, task_id: str, contents: set[str]) -> int:
        if not self._files.path(library).exists():
            return 0
        with self._files.opened(library) as file, file:
            return _prune(file, task_id, contents)


def _rows(file: sqlite3.Connection, keys: list[str]) -> list[tuple[str, str]]:
    marks = ", ".join("?" * len(keys))
    return file.execute(f"SELECT key, answer FROM answer WHERE key IN ({marks})", keys).fetchall()


def _prune(file: sqlite3.Connection, task_id: str, contents: set[str]) -> int:
    rows = file.execute("SELECT DISTINCT content FROM answer WHERE task_id = ?", (task_id,)).fetchall()
    gone = [(task_id, content) for (content,) in rows if content not in contents]
    before = file.total_changes
    file.executemany("DELETE FROM answer WHERE task_id = ? AND content = ?", gone)
    return file.total_changes - before
