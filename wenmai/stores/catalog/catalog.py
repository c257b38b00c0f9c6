"""The catalog of a library in SQLite: title, embedder, chapters with their texts, passage ids, notes."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from state.context import Language
from tools.errors import LibraryNotFound, StoreError
from tools.records import Chapter, ChapterOutline, LibraryInfo
from wenmai.stores.catalog import catalog_rows as rows
from wenmai.stores.catalog.identity import owner_at
from wenmai.stores.catalog.sqlite_files import SqliteFiles
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.moving import CATALOG_FILE
from wenmai.stores.files.owners import Owner
from wenmai.stores.files.refusals import NOT_MADE

PRAGMAS = "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;"
T = TypeVar("T")


class SqliteCatalog:
    """The Catalog port and the writes of ingestion, one SQLite file per library. Calls run in threads."""

    def __init__(self, data_dir: Path, *, shared: bool = False) -> None:
        self._files = SqliteFiles(data_dir, CATALOG_FILE, PRAGMAS + rows.SCHEMA, shared=shared)
        self._data_dir = data_dir
        self._owner: Owner | None = None

    async def owner(self) -> Owner:
        """Return the identity of this catalog, as it is marked on servers. Raises StoreError."""
        if self._owner is None:
            self._owner = await asyncio.to_thread(owner_at, self._data_dir)
        return self._owner

    async def libraries(self) -> list[LibraryInfo]:
        return await asyncio.to_thread(self._libraries)

    async def info(self, library: str) -> LibraryInfo:
        return await asyncio.to_thread(self._info, library)

    async def chapters(self, library: str, task_id: str | None = None) -> list[Chapter]:
        return await self._read(library, lambda file: rows.chapters(file, library, task_id))

    async def outline(self, library: str) -> list[ChapterOutline]:
        return await self._read(library, rows.outline)

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        return await asyncio.to_thread(self._create, library, title, embedder, dimension, language)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        rows.check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        await self._write(chapter.library, lambda file: rows.put_chapter(file, chapter, passage_ids))

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        await self._write(library, lambda file: rows.delete_chapter(file, task_id, part, number))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        await self._write(library, lambda file: rows.reorder(file, orders))

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        return await self._read(library, lambda file: rows.passage_ids(file, task_id, part, number))

    async def delete_source(self, library: str, task_id: str) -> int:
        return await self._write(
            library, lambda file: file.execute("DELETE FROM chapter WHERE task_id = ?", (task_id,)).rowcount
        )

    async def notes(self, library: str) -> dict[str, Any]:
        return await self._read(library, rows.notes)

    async def note(self, library: str, key: str) -> Any:
        return await self._read(library, lambda file: rows.note(file, key))

    async def put_note(self, library: str, key: str, value: Any) -> None:
        await self._write(library, lambda file: rows.put_note(file, key, value))

    async def close(self) -> None:
        await asyncio.to_thread(self._files.close)

    async def release(self, library: str) -> None:
        await asyncio.to_thread(self._files.release, library)

    async def _read(self, library: str, question: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._answer, library, question)

    async def _write(self, library: str, change: Callable[[sqlite3.Connection], T]) -> T:
        return await asyncio.to_thread(self._change, library, change)

    def _answer(self, library: str, question: Callable[[sqlite3.Connection], T]) -> T:
        with self._existing(library) as file:
            return question(file)

    def _change(self, library: str, change: Callable[[sqlite3.Connection], T]) -> T:
        with self._existing(library) as file, file:
            return change(file)

    def _libraries(self) -> list[LibraryInfo]:
        found: list[LibraryInfo] = []
        for name in self._files.folders.names():
            path = self._files.path(name)
            try:
                with engine_errors(path, OSError):  # a folder that may not be entered
                    if path.exists():
                        found.append(self._peek(name))
            except LibraryNotFound:  # it has gone since
                continue
            except StoreError as error:
                known = {"chapters": 0, "passages": 0}
                found.append(
                    LibraryInfo(name=name, title=name, embedder="", dimension=0, counts=known, problem=error.args[0])
                )
        return found

    def _peek(self, library: str) -> LibraryInfo:
        with self._files.peeked(library) as file:
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'library'").fetchone():
                raise LibraryNotFound(NOT_MADE.of(library=library))  # a process of an older version was killed there
            return rows.info(file, library)

    def _info(self, library: str) -> LibraryInfo:
        return self._answer(library, lambda file: rows.info(file, library))

    def _create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        self._files.folders.created(library)
        with self._files.opened(library) as file:
            with file:
                file.execute(
                    "INSERT INTO library VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                    (library, title, embedder, dimension, language),
                )
                rows.check_embedder(rows.info(file, library), embedder, dimension)
                file.execute("UPDATE library SET title = ?, language = ?", (title, language))
            return rows.info(file, library)

    @contextmanager
    def _existing(self, library: str) -> Iterator[sqlite3.Connection]:
        self._files.folders.existing(library)
        if not self._files.path(library).exists():
            raise LibraryNotFound(NOT_MADE.of(library=library))
        with self._files.opened(library) as file:
            yield file
