"""The catalog of a library in SQLite: title, embedder, chapters with their texts, passage ids, notes."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from tools.errors import LibraryNotFound
from tools.records import Chapter, LibraryInfo
from wenmai.stores import catalog_rows as rows
from wenmai.stores.folder import LibraryFolders, engine_errors

CATALOG_FILE = "catalog.sqlite"
T = TypeVar("T")


class SqliteCatalog:
    """The Catalog port and the writes of ingestion, one SQLite file per library. Calls run in threads."""

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir)
        self._files: dict[str, sqlite3.Connection] = {}
        self._guard = threading.RLock()

    async def libraries(self) -> list[LibraryInfo]:
        """Return every library, by name, also those that another process holds: nothing is held for it."""
        return await asyncio.to_thread(self._libraries)

    async def info(self, library: str) -> LibraryInfo:
        """Return one library. Raises LibraryNotFound."""
        return await asyncio.to_thread(self._info, library)

    async def chapters(self, library: str, task_id: str | None = None) -> list[Chapter]:
        """Return the stored chapters in reading order."""
        return await self._read(library, lambda file: rows.chapters(file, library, task_id))

    async def create(
        self, library: str, title: str, embedder: str, dimension: int, language: Literal["zh", "en"]
    ) -> LibraryInfo:
        """Make a library, or open it: its title and language are set anew. Raises EmbedderMismatch (PLA-10)."""
        return await asyncio.to_thread(self._create, library, title, embedder, dimension, language)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        """Return the library. Raises EmbedderMismatch unless it was built with this embedder (PLA-10)."""
        info = await self.info(library)
        rows.check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        """Replace a chapter and the ids of its passages, both or neither."""
        await self._write(chapter.library, lambda file: rows.put_chapter(file, chapter, passage_ids))

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        """Delete a chapter and the ids of its passages."""
        await self._write(library, lambda file: rows.delete_chapter(file, task_id, part, number))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        """Set the order of chapters given as (task_id, part, number, order)."""
        await self._write(library, lambda file: rows.reorder(file, orders))

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        """Return the ids of passages in reading order: of all, of a source, or with `part` of one chapter."""
        return await self._read(library, lambda file: rows.passage_ids(file, task_id, part, number))

    async def digests(self, library: str) -> dict[tuple[str, int, int | None], str]:
        """Return the digest of every stored chapter by (task_id, part, number)."""
        return await self._read(library, rows.digests)

    async def delete_source(self, library: str, task_id: str) -> int:
        """Delete a source's chapters and return how many there were."""
        return await self._write(
            library, lambda file: file.execute("DELETE FROM chapter WHERE task_id = ?", (task_id,)).rowcount
        )

    async def note(self, library: str, key: str) -> Any:
        """Return the JSON value kept under `key`, None if there is none."""
        return await self._read(library, lambda file: rows.note(file, key))

    async def put_note(self, library: str, key: str, value: Any) -> None:
        """Keep a small JSON value under `key`; None removes it."""
        await self._write(library, lambda file: rows.put_note(file, key, value))

    async def close(self) -> None:
        """Close every file and let the folders go."""
        await asyncio.to_thread(self._close)

    async def _read(self, library: str, question: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._answer, library, question)

    async def _write(self, library: str, change: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._change, library, change)

    def _answer(self, library: str, question: Callable[[sqlite3.Connection], T]) -> T:
        with self._guard, self._errors(library):
            return question(self._existing(library))

    def _change(self, library: str, change: Callable[[sqlite3.Connection], T]) -> T:
        with self._guard, self._errors(library):
            file = self._existing(library)
            with file:
                return change(file)

    def _libraries(self) -> list[LibraryInfo]:
        built = [name for name in self._folders.names() if (self._folders.path(name) / CATALOG_FILE).exists()]
        return [self._peek(name) for name in built]

    def _peek(self, library: str) -> LibraryInfo:
        path = self._folders.path(library) / CATALOG_FILE
        with self._errors(library), closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            return rows.info(file, library)

    def _info(self, library: str) -> LibraryInfo:
        return self._answer(library, lambda file: rows.info(file, library))

    def _create(
        self, library: str, title: str, embedder: str, dimension: int, language: Literal["zh", "en"]
    ) -> LibraryInfo:
        path = self._folders.created(library) / CATALOG_FILE
        with self._guard, self._errors(library):
            file = self._opened(library, path)
            with file:
                file.execute(
                    "INSERT INTO library VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                    (library, title, embedder, dimension, language),
                )
                rows.check_embedder(rows.info(file, library), embedder, dimension)
                file.execute("UPDATE library SET title = ?, language = ?", (title, language))
            return rows.info(file, library)

    def _existing(self, library: str) -> sqlite3.Connection:
        path = self._folders.existing(library) / CATALOG_FILE
        if not path.exists():
            raise LibraryNotFound(f"资料库 {library} 尚未建成：请先用 wenmai ingest 建立")
        return self._opened(library, path)

    def _opened(self, library: str, path: Path) -> sqlite3.Connection:
        if library not in self._files:
            file = sqlite3.connect(path, check_same_thread=False)
            self._files[library] = file
            file.execute("PRAGMA journal_mode = WAL")
            file.execute("PRAGMA foreign_keys = ON")
            file.executescript(rows.SCHEMA)
        return self._files[library]

    def _close(self) -> None:
        with self._guard:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self._folders.close()

    @contextmanager
    def _errors(self, library: str) -> Iterator[None]:
        with engine_errors(self._folders.path(library) / CATALOG_FILE, sqlite3.Error, OSError):
            yield
