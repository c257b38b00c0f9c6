"""The catalog of a library in SQLite: title, embedder, chapters with their texts, passage ids, notes."""

import asyncio
import json
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Literal, TypeVar

from tools.errors import EmbedderMismatch, LibraryNotFound
from tools.records import Chapter, LibraryInfo
from wenmai.stores.folder import LibraryFolders, engine_errors

CATALOG_FILE = "catalog.sqlite"
SCHEMA = """
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
        return await self._read(library, lambda file: _chapters(file, library, task_id))

    async def create(
        self, library: str, title: str, embedder: str, dimension: int, language: Literal["zh", "en"]
    ) -> LibraryInfo:
        """Make a library, or open it: its title and language are set anew. Raises EmbedderMismatch (PLA-10)."""
        return await asyncio.to_thread(self._create, library, title, embedder, dimension, language)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> None:
        """Raise EmbedderMismatch unless the library was built with this embedder (PLA-10)."""
        _check_embedder(await self.info(library), embedder, dimension)

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        """Replace a chapter and the ids of its passages, both or neither."""
        await self._write(chapter.library, lambda file: _put_chapter(file, chapter, passage_ids))

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        """Delete a chapter and the ids of its passages."""
        await self._write(library, lambda file: _delete_chapter(file, task_id, part, number))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        """Set the order of chapters given as (task_id, part, number, order)."""
        await self._write(library, lambda file: _reorder(file, orders))

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        """Return the ids of passages in reading order: of all, of a source, or with `part` of one chapter."""
        return await self._read(library, lambda file: _passage_ids(file, task_id, part, number))

    async def digests(self, library: str) -> dict[tuple[str, int, int | None], str]:
        """Return the digest of every stored chapter by (task_id, part, number)."""
        return await self._read(library, _digests)

    async def delete_source(self, library: str, task_id: str) -> int:
        """Delete a source's chapters and return how many there were."""
        return await self._write(
            library, lambda file: file.execute("DELETE FROM chapter WHERE task_id = ?", (task_id,)).rowcount
        )

    async def note(self, library: str, key: str) -> Any:
        """Return the JSON value kept under `key`, None if there is none."""
        return await self._read(library, lambda file: _note(file, key))

    async def put_note(self, library: str, key: str, value: Any) -> None:
        """Keep a small JSON value under `key`; None removes it."""
        await self._write(library, lambda file: _put_note(file, key, value))

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
            return _info(file, library)

    def _info(self, library: str) -> LibraryInfo:
        return self._answer(library, lambda file: _info(file, library))

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
                _check_embedder(_info(file, library), embedder, dimension)
                file.execute("UPDATE library SET title = ?, language = ?", (title, language))
            return _info(file, library)

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
        with engine_errors(self._folders.path(library) / CATALOG_FILE, sqlite3.Error, OSError):
            yield


def _check_embedder(info: LibraryInfo, embedder: str, dimension: int) -> None:
    if (info.embedder, info.dimension) != (embedder, dimension):
        raise EmbedderMismatch(
            f"资料库 {info.name} 由嵌入模型 {info.embedder}（{info.dimension} 维）建成，"
            f"当前是 {embedder}（{dimension} 维）：请把 EMBEDDING_MODEL 改回 {info.embedder}，"
            "或用 wenmai delete 删除后重新 wenmai ingest"
        )


def _info(file: sqlite3.Connection, library: str) -> LibraryInfo:
    row = file.execute("SELECT title, embedder, dimension, language FROM library").fetchone()
    if row is None:
        raise LibraryNotFound(f"资料库 {library} 尚未建成：请先用 wenmai ingest 建立")
    sources = file.execute("SELECT task_id FROM chapter GROUP BY task_id ORDER BY min(position), task_id")
    counts = {table: file.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("chapter", "passage")}
    return LibraryInfo(
        name=library,
        title=row[0],
        embedder=row[1],
        dimension=row[2],
        language=row[3],
        sources=tuple(source for (source,) in sources),
        counts={"chapters": counts["chapter"], "passages": counts["passage"]},
    )


def _chapters(file: sqlite3.Connection, library: str, task_id: str | None) -> list[Chapter]:
    rows = file.execute(
        "SELECT task_id, part, number, title, text, digest, position, source_file FROM chapter"
        " WHERE ?1 IS NULL OR task_id = ?1 ORDER BY position, part, number, task_id",
        (task_id,),
    )
    return [
        Chapter(
            library=library,
            task_id=task,
            part=part,
            number=number,
            title=title,
            text=text,
            digest=digest,
            order=order,
            source_file=source,
        )
        for task, part, number, title, text, digest, order, source in rows
    ]


def _put_chapter(file: sqlite3.Connection, chapter: Chapter, passage_ids: Sequence[str]) -> None:
    _delete_chapter(file, chapter.task_id, chapter.part, chapter.number)
    row = file.execute(
        "INSERT INTO chapter VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chapter.task_id,
            chapter.part,
            chapter.number,
            chapter.title,
            chapter.text,
            chapter.digest,
            chapter.order,
            chapter.source_file,
        ),
    ).lastrowid
    file.executemany("INSERT INTO passage VALUES (?, ?, ?)", [(id, row, n) for n, id in enumerate(passage_ids)])


def _delete_chapter(file: sqlite3.Connection, task_id: str, part: int, number: int | None) -> None:
    file.execute("DELETE FROM chapter WHERE task_id = ? AND part = ? AND number IS ?", (task_id, part, number))


def _reorder(file: sqlite3.Connection, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
    file.executemany(
        "UPDATE chapter SET position = ?4 WHERE task_id = ?1 AND part = ?2 AND number IS ?3", [*map(tuple, orders)]
    )


def _passage_ids(file: sqlite3.Connection, task_id: str | None, part: int | None, number: int | None) -> list[str]:
    rows = file.execute(
        "SELECT p.id FROM passage p JOIN chapter c ON c.id = p.chapter"
        " WHERE (?1 IS NULL OR c.task_id = ?1) AND (?2 IS NULL OR (c.part = ?2 AND c.number IS ?3))"
        " ORDER BY c.position, p.position",
        (task_id, part, number),
    )
    return [id for (id,) in rows]


def _digests(file: sqlite3.Connection) -> dict[tuple[str, int, int | None], str]:
    rows = file.execute("SELECT task_id, part, number, digest FROM chapter")
    return {(task, part, number): digest for task, part, number, digest in rows}


def _note(file: sqlite3.Connection, key: str) -> Any:
    row = file.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def _put_note(file: sqlite3.Connection, key: str, value: Any) -> None:
    if value is None:
        file.execute("DELETE FROM note WHERE key = ?", (key,))
        return
    text = json.dumps(value, ensure_ascii=False)
    file.execute("INSERT INTO note VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, text))
