"""What models answered about pieces of a library's texts, in SQLite beside the catalog: nothing is paid for twice."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TypeVar

from wenmai.stores.folder import LibraryFolders, engine_errors

ANSWERS_FILE = "answers.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT NOT NULL, task_id TEXT NOT NULL, content TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (key, task_id)) WITHOUT ROWID;
"""
INSERT = "INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)"
BATCH = 500
T = TypeVar("T")


class SqliteAnswers:
    """The AnswerStore port. Calls run in threads; every answer is durable when `keep` returns."""

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir)
        self._files: dict[str, sqlite3.Connection] = {}
        self._guard = threading.RLock()

    async def kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the answers that are there, by key; writes nothing, not even a lock."""
        return await asyncio.to_thread(self._kept, library, keys)

    async def keep(self, library: str, key: str, task_id: str, content: str, answer: str) -> None:
        """Keep an answer about a piece of a task."""
        row = (key, task_id, content, answer)
        await asyncio.to_thread(self._changed, library, lambda file: file.execute(INSERT, row))

    async def prune(self, library: str, task_id: str, contents: Collection[str]) -> int:
        """Delete a task's answers about texts that it no longer holds; return how many there were."""
        return await asyncio.to_thread(self._pruned, library, task_id, set(contents))

    async def forget(self, library: str, task_id: str) -> int:
        """Delete a task's answers and return how many there were."""
        return await self.prune(library, task_id, ())

    async def count(self, library: str) -> int:
        """Return how many answers a library keeps."""
        return await asyncio.to_thread(self._count, library)

    async def close(self) -> None:
        """Close every file and let the folders go."""
        await asyncio.to_thread(self._close)

    def _kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        path = self._folders.path(library) / ANSWERS_FILE
        if not path.exists():
            return {}
        with self._errors(library), closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            batches = [list(keys[at : at + BATCH]) for at in range(0, len(keys), BATCH)]
            return {key: answer for batch in batches for key, answer in _rows(file, batch)}

    def _count(self, library: str) -> int:
        path = self._folders.path(library) / ANSWERS_FILE
        if not path.exists():
            return 0
        with self._errors(library), closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            return int(file.execute("SELECT count(*) FROM answer").fetchone()[0])

    def _changed(self, library: str, change: Callable[[sqlite3.Connection], T]) -> T:
        with self._guard, self._errors(library):
            file = self._opened(library)
            with file:
                return change(file)

    def _pruned(self, library: str, task_id: str, contents: set[str]) -> int:
        if not (self._folders.path(library) / ANSWERS_FILE).exists():
            return 0
        return self._changed(library, lambda file: _prune(file, task_id, contents))

    def _opened(self, library: str) -> sqlite3.Connection:
        if library not in self._files:
            file = sqlite3.connect(self._folders.existing(library) / ANSWERS_FILE, check_same_thread=False)
            self._files[library] = file
            file.executescript(SCHEMA)
        return self._files[library]

    def _close(self) -> None:
        with self._guard:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._folders.close()

    @contextmanager
    def _errors(self, library: str) -> Iterator[None]:
        with engine_errors(self._folders.path(library) / ANSWERS_FILE, sqlite3.Error, OSError):
            yield


def _rows(file: sqlite3.Connection, keys: list[str]) -> list[tuple[str, str]]:
    marks = ", ".join("?" * len(keys))
    return file.execute(f"SELECT key, answer FROM answer WHERE key IN ({marks})", keys).fetchall()


def _prune(file: sqlite3.Connection, task_id: str, contents: set[str]) -> int:
    rows = file.execute("SELECT DISTINCT content FROM answer WHERE task_id = ?", (task_id,)).fetchall()
    gone = [(task_id, content) for (content,) in rows if content not in contents]
    before = file.total_changes
    file.executemany("DELETE FROM answer WHERE task_id = ? AND content = ?", gone)
    return file.total_changes - before
