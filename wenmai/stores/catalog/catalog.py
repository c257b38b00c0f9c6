"""The catalog of a library in SQLite: title, embedder, chapters with their texts, passage ids, notes."""

import asyncio
import json
import socket
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from state.context import Language
from tools.errors import EmbedderMismatch, LibraryNotFound, StoreError
from tools.records import GRAPH_COUNTS, Chapter, ChapterOutline, LibraryInfo, number_of, slot_of
from tools.text.books import BOOKS, books_of
from tools.wording import Words
from wenmai.stores.catalog.sqlite_files import SqliteFiles
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.moving import CATALOG_FILE
from wenmai.stores.files.owners import Owner
from wenmai.stores.files.refusals import NOT_MADE

OTHER_EMBEDDER = Words(
    "资料库 {name} 由嵌入模型 {built}（{length} 维）建成，当前是 {embedder}（{dimension} 维）：请把 "
    "EMBEDDING_MODEL 改回 {built}（Gemini 另需 EMBEDDING_DIMENSION={length}），或用 wenmai reembed -l {name} "
    "换成当前的模型",
    "the embedding model {built} (dimension {length}) made library {name}, but {embedder} (dimension "
    "{dimension}) is set: set EMBEDDING_MODEL back to {built} (for Gemini also "
    "EMBEDDING_DIMENSION={length}), or move to the present model by wenmai reembed -l {name}",
)
NO_IDENTITY = Words(
    "无法读取或写入 {path}（{error}）：请把 DATA_DIR 设为可写的文件夹，或从备份恢复这个文件",
    "{path} cannot be read or written ({error}): set DATA_DIR to a folder that can be written, or restore the file "
    "from a backup",
)
IDENTITY_FILE = "identity.sqlite"
MAKE_IDENTITY = "CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)"
SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
CREATE TABLE IF NOT EXISTS library (
    name TEXT PRIMARY KEY, title TEXT NOT NULL, embedder TEXT NOT NULL,
    dimension INTEGER NOT NULL, language TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS chapter (
    id INTEGER PRIMARY KEY, task_id TEXT NOT NULL, part INTEGER NOT NULL, number INTEGER,
    title TEXT NOT NULL, text TEXT NOT NULL, digest TEXT NOT NULL,
    position INTEGER NOT NULL, source_file TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS chapter_key ON chapter (task_id, part, coalesce(number, -1));
CREATE TABLE IF NOT EXISTS passage (
    id TEXT NOT NULL, chapter INTEGER NOT NULL REFERENCES chapter (id) ON DELETE CASCADE,
    position INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS passage_chapter ON passage (chapter);
CREATE TABLE IF NOT EXISTS note (key TEXT PRIMARY KEY, value TEXT NOT NULL);
"""
TASKS = "SELECT task_id, min(part) FROM chapter GROUP BY task_id ORDER BY min(position), task_id"
CHAPTERS = """
SELECT task_id, part, number, title, text, digest, position AS "order", source_file FROM chapter
WHERE ?1 IS NULL OR task_id = ?1 ORDER BY position, part, number, task_id
"""
OUTLINE = """
SELECT c.task_id, c.part, c.number, c.digest, c.position AS "order", count(p.id) AS passages FROM chapter c
LEFT JOIN passage p ON p.chapter = c.id GROUP BY c.id ORDER BY c.position, c.part, c.number, c.task_id
"""
PASSAGE_IDS = """
SELECT p.id FROM passage p JOIN chapter c ON c.id = p.chapter
WHERE (?1 IS NULL OR c.task_id = ?1) AND (?2 IS NULL OR (c.part = ?2 AND c.number IS ?3))
ORDER BY c.position, p.position
"""
REORDER = "UPDATE chapter SET position = ?4 WHERE task_id = ?1 AND part = ?2 AND number IS ?3"
DELETE_CHAPTER = "DELETE FROM chapter WHERE task_id = ? AND part = ? AND number IS ?"  # its passage ids go with it
SET_NOTE = "INSERT INTO note VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
T = TypeVar("T")


class SqliteCatalog:
    """The Catalog port and the writes of ingestion, one SQLite file per library. Calls run in threads."""

    def __init__(self, data_dir: Path, *, shared: bool = False) -> None:
        self._files = SqliteFiles(data_dir, CATALOG_FILE, SCHEMA, shared=shared)
        self._data_dir = data_dir
        self._owner: Owner | None = None

    async def owner(self) -> Owner:
        """Return the identity of this catalog, as it is marked on servers. Raises StoreError."""
        if self._owner is None:
            self._owner = await asyncio.to_thread(owner_at, self._data_dir)
        return self._owner

    async def libraries(self) -> list[LibraryInfo]:
        """Return every library, by name, also those that another process has locked, and those that are spoilt."""
        return await asyncio.to_thread(self._libraries)

    async def info(self, library: str) -> LibraryInfo:
        return await self._do(library, lambda file: read_info(file, library))

    async def chapters(self, library: str, task_id: str | None = None) -> list[Chapter]:
        return [Chapter(library=library, **numbered(dict(row))) for row in await self._rows(library, CHAPTERS, task_id)]

    async def outline(self, library: str) -> list[ChapterOutline]:
        return [ChapterOutline(**numbered(dict(row))) for row in await self._rows(library, OUTLINE)]

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        def make() -> LibraryInfo:
            self._files.folders.created(library)
            with self._files.opened(library) as file:
                with file:
                    file.execute(
                        "INSERT INTO library VALUES (?, ?, ?, ?, ?) ON CONFLICT (name) DO NOTHING",
                        (library, title, embedder, dimension, language),
                    )
                    check_embedder(read_info(file, library), embedder, dimension)
                    file.execute("UPDATE library SET title = ?, language = ?", (title, language))
                return read_info(file, library)

        return await asyncio.to_thread(make)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        place = (chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy))
        content = (chapter.title, chapter.text, chapter.digest, chapter.order, chapter.source_file)

        def put(file: sqlite3.Connection) -> None:
            file.execute(DELETE_CHAPTER, place)
            row = file.execute(
                "INSERT INTO chapter VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)", (*place, *content)
            ).lastrowid
            ids = [(id, row, n) for n, id in enumerate(passage_ids)]
            file.executemany("INSERT INTO passage VALUES (?, ?, ?)", ids)

        await self._do(chapter.library, put)

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        await self._do(library, lambda file: file.execute(DELETE_CHAPTER, (task_id, part, number)))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        await self._do(library, lambda file: file.executemany(REORDER, orders))

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        return [id for (id,) in await self._rows(library, PASSAGE_IDS, task_id, part, number)]

    async def delete_source(self, library: str, task_id: str) -> int:
        statement = "DELETE FROM chapter WHERE task_id = ?"
        return await self._do(library, lambda file: file.execute(statement, (task_id,)).rowcount)

    async def notes(self, library: str) -> dict[str, Any]:
        return {key: json.loads(value) for key, value in await self._rows(library, "SELECT key, value FROM note")}

    async def note(self, library: str, key: str) -> Any:
        return await self._do(library, lambda file: read_note(file, key))

    async def put_note(self, library: str, key: str, value: Any) -> None:
        if value is None:
            await self._do(library, lambda file: file.execute("DELETE FROM note WHERE key = ?", (key,)))
            return
        text = json.dumps(value, ensure_ascii=False)
        await self._do(library, lambda file: file.execute(SET_NOTE, (key, text)))

    async def close(self) -> None:
        await asyncio.to_thread(self._files.close)

    async def release(self, library: str) -> None:
        await asyncio.to_thread(self._files.release, library)

    async def _rows(self, library: str, query: str, *values: Any) -> list[Any]:
        return await self._do(library, lambda file: file.execute(query, values).fetchall())

    async def _do(self, library: str, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do all of `work` on the file of a library that exists, or nothing of it. Raises LibraryNotFound."""

        def run() -> T:
            self._files.folders.existing(library)
            if not self._files.path(library).exists():
                raise LibraryNotFound(NOT_MADE.of(library=library))
            with self._files.opened(library) as file, file:
                return work(file)

        return await asyncio.to_thread(run)

    def _libraries(self) -> list[LibraryInfo]:
        found: list[LibraryInfo] = []
        for name in self._files.folders.names():
            path = self._files.path(name)
            try:
                with engine_errors(path, OSError):  # a folder that may not be entered
                    if path.exists():
                        with self._files.peeked(name) as file:
                            found.append(read_info(file, name))
            except LibraryNotFound:  # it has gone since
                continue
            except StoreError as error:
                known = {"chapters": 0, "passages": 0}
                found.append(
                    LibraryInfo(name=name, title=name, embedder="", dimension=0, counts=known, problem=error.args[0])
                )
        return found


def numbered(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a chapter with its number and copy, which are kept as one slot."""
    number, copy = number_of(columns["number"])
    return {**columns, "number": number, "copy": copy}


def check_embedder(info: LibraryInfo, embedder: str, dimension: int) -> None:
    """Raise EmbedderMismatch unless `info` names this embedder."""
    if (embedder, dimension) != (info.embedder, info.dimension):
        made = {"name": info.name, "built": info.embedder, "length": info.dimension}
        raise EmbedderMismatch(OTHER_EMBEDDER.of(**made, embedder=embedder, dimension=dimension))


def read_info(file: sqlite3.Connection, library: str) -> LibraryInfo:
    """Describe the library that a file holds. Raises LibraryNotFound."""
    row = file.execute("SELECT title, embedder, dimension, language FROM library").fetchone()
    if row is None:
        raise LibraryNotFound(NOT_MADE.of(library=library))
    tasks = file.execute(TASKS).fetchall()
    counts = {table: file.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("chapter", "passage")}
    return LibraryInfo(
        name=library,
        title=row[0],
        embedder=row[1],
        dimension=row[2],
        language=row[3],
        sources=tuple(task for task, _ in tasks),
        counts={**(read_note(file, GRAPH_COUNTS) or {}), "chapters": counts["chapter"], "passages": counts["passage"]},
        books=books_of(tasks, read_note(file, BOOKS) or {}, row[0]),
    )


def read_note(file: sqlite3.Connection, key: str) -> Any:
    row = file.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def owner_at(data_dir: Path) -> Owner:
    """Return the identity of the catalog below a folder: made once, it is moved and backed up with the folder.

    Of several processes that start at once, one makes it. Raises StoreError.
    """
    path = data_dir / IDENTITY_FILE
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path)) as file, file:
            file.execute(MAKE_IDENTITY)
            file.execute("INSERT OR IGNORE INTO identity VALUES (1, ?)", (str(uuid4()),))
            [[id]] = file.execute("SELECT id FROM identity").fetchall()
    except (sqlite3.Error, OSError) as error:
        raise StoreError(NO_IDENTITY.of(path=path, error=error)) from error
    return Owner(id, f"{socket.gethostname()}: DATA_DIR={data_dir}")
