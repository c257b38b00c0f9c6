"""Answers of models about pieces of a library's texts, in SQLite beside the catalog: none is paid for twice."""

from collections.abc import Collection, Sequence
from pathlib import Path

from wenmai.stores.catalog.sqlite_files import SqliteFiles
from wenmai.stores.files.threads import in_thread

ANSWERS_FILE = "answers.sqlite"
SCHEMA = """
CREATE TABLE IF NOT EXISTS answer (
    key TEXT NOT NULL, task_id TEXT NOT NULL, content TEXT NOT NULL, answer TEXT NOT NULL,
    PRIMARY KEY (key, task_id)) WITHOUT ROWID;
"""
BATCH = 500


class SqliteAnswers:
    """The AnswerStore port. Calls run in threads; every answer is durable when `keep` returns."""

    def __init__(self, data_dir: Path, *, shared: bool = False) -> None:
        self._files = SqliteFiles(data_dir, ANSWERS_FILE, SCHEMA, shared=shared)

    @in_thread
    async def kept(self, library: str, keys: Sequence[str]) -> dict[str, str]:
        """Return the answers that are there, by key; writes nothing, not even a lock."""
        found: dict[str, str] = {}
        if self._files.path(library).exists():
            with self._files.peeked(library) as file:
                for at in range(0, len(keys), BATCH):
                    batch = list(keys[at : at + BATCH])
                    marks = ", ".join("?" * len(batch))
                    found.update(file.execute(f"SELECT key, answer FROM answer WHERE key IN ({marks})", batch))
        return found

    @in_thread
    async def keep(self, library: str, key: str, task_id: str, content: str, answer: str) -> None:
        self._files.folders.created(library)  # with all other stores on servers, it is made here
        with self._files.opened(library) as file, file:
            file.execute("INSERT OR REPLACE INTO answer VALUES (?, ?, ?, ?)", (key, task_id, content, answer))

    @in_thread
    async def prune(self, library: str, task_id: str, contents: Collection[str]) -> int:
        if not self._files.path(library).exists():
            return 0
        with self._files.opened(library) as file, file:
            rows = file.execute("SELECT DISTINCT content FROM answer WHERE task_id = ?", (task_id,)).fetchall()
            kept, before = set(contents), file.total_changes
            gone = [(task_id, content) for (content,) in rows if content not in kept]
            file.executemany("DELETE FROM answer WHERE task_id = ? AND content = ?", gone)
            return file.total_changes - before

    async def forget(self, library: str, task_id: str) -> int:
        return await self.prune(library, task_id, ())

    @in_thread
    async def count(self, library: str) -> int:
        if not self._files.path(library).exists():
            return 0
        with self._files.peeked(library) as file:
            return int(file.execute("SELECT count(*) FROM answer").fetchone()[0])

    @in_thread
    async def close(self) -> None:
        self._files.close()

    @in_thread
    async def release(self, library: str) -> None:
        self._files.release(library)
