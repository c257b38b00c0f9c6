"""The catalog of a library: title, embedder, chapters with their texts, passage ids, notes; over SQL, in SQLite."""

import asyncio
import json
import socket
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from state.context import Language
from tools.errors import EmbedderMismatch, LibraryNotFound, StoreError
from tools.messages import Message
from tools.records import (
    COPIES,
    GRAPH_COUNTS,
    Chapter,
    ChapterOutline,
    Horizon,
    LibraryInfo,
    Summary,
    SummaryFilter,
    SummaryKind,
    SummarySentence,
    number_of,
    slot_of,
)
from tools.text.books import BOOKS, books_of
from wenmai.stores.catalog.sqlite_files import SqliteFiles
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.moving import CATALOG_FILE
from wenmai.stores.files.owners import Owner

# Statements on one library. `{of}` says which where a table holds several; names of PostgreSQL's tables have a prefix,
# and texts are to be ordered there by their characters.
VISIBLE = """(CAST(:last_part AS INTEGER) IS NULL OR (number IS NOT NULL AND (part < CAST(:last_part AS INTEGER)
  OR (part = CAST(:last_part AS INTEGER) AND number - number / {copies} * {copies} <= CAST(:last AS INTEGER)))))"""
CHAPTERS = f"""
SELECT task_id, part, number, title, text, digest, position AS "order", source_file FROM {{chapter}}
WHERE {{of}} AND (CAST(:task AS TEXT) IS NULL OR task_id = :task) AND {VISIBLE}
  AND (CAST(:part AS INTEGER) IS NULL OR (part = CAST(:part AS INTEGER)
    AND coalesce(number, -1) = coalesce(CAST(:number AS INTEGER), -1)))
ORDER BY position, part, number NULLS FIRST, task_id {{plain}}
"""
OUTLINE = f"""
SELECT c.task_id, c.part, c.number, c.title, c.digest, c.position AS "order",
  CAST(count(p.id) AS INTEGER) AS passages
FROM {{chapter}} c LEFT JOIN {{passage}} p ON p.chapter = c.id
WHERE {{of}} AND {VISIBLE} GROUP BY c.id ORDER BY c.position, c.part, c.number NULLS FIRST, c.task_id {{plain}}
"""
MEASURED_OUTLINE = OUTLINE.replace("c.title,", "c.title, length(c.text) AS characters,")  # it reads every text
PASSAGE_IDS = """
SELECT p.id FROM {passage} p JOIN {chapter} c ON c.id = p.chapter
WHERE {of} AND (CAST(:task AS TEXT) IS NULL OR task_id = :task) AND (CAST(:part AS INTEGER) IS NULL
  OR (part = :part AND coalesce(number, -1) = coalesce(CAST(:number AS INTEGER), -1)))
ORDER BY c.position, p.position
"""
PLACE = "{of} AND task_id = :task AND part = :part AND coalesce(number, -1) = coalesce(CAST(:number AS INTEGER), -1)"
DELETE_CHAPTER = f"DELETE FROM {{chapter}} WHERE {PLACE}"  # its passage ids go with it
ADD_CHAPTER = """
INSERT INTO {chapter} ({own}task_id, part, number, title, text, digest, position, source_file)
VALUES ({mine}:task, :part, :number, :title, :text, :digest, :position, :source_file)
"""
CHAPTER_ID = f"SELECT id FROM {{chapter}} WHERE {PLACE}"
ADD_PASSAGE = "INSERT INTO {passage} (id, chapter, position) VALUES (:id, :chapter, :position)"
REORDER = f"UPDATE {{chapter}} SET position = :position WHERE {PLACE}"
DELETE_SOURCE = "DELETE FROM {chapter} WHERE {of} AND task_id = :task"
NOTES = "SELECT key, value FROM {note} WHERE {of} AND (CAST(:key AS TEXT) IS NULL OR key = :key)"
SET_NOTE = """
INSERT INTO {note} ({own}key, value) VALUES ({mine}:key, :value)
ON CONFLICT ({own}key) DO UPDATE SET value = excluded.value
"""
DELETE_NOTE = "DELETE FROM {note} WHERE {of} AND key = :key"
SUMMARIES = "SELECT value FROM {summary} WHERE {of}"
IN_STORY_ORDER = " ORDER BY part, number NULLS FIRST, copy, rank, task_id {plain}, subject {plain}"
DELETE_SUMMARY = """
DELETE FROM {summary} WHERE {of} AND kind = :kind AND subject = :subject AND task_id = :task AND part = :part
  AND coalesce(number, -1) = coalesce(CAST(:number AS INTEGER), -1) AND copy = :copy
"""
ADD_SUMMARY = """
INSERT INTO {summary} ({own}kind, rank, subject, task_id, part, number, copy, value)
VALUES ({mine}:kind, :rank, :subject, :task, :part, :number, :copy, :value)
"""
SUMMARY_RANKS: dict[SummaryKind, int] = {"chapter": 0, "section": 1, "part": 2, "book": 3, "person": 4}
T = TypeVar("T")


class SqlCatalog(ABC):
    """The Catalog port and the writes of ingestion, but what SQLite and PostgreSQL do each in its own way."""

    @abstractmethod
    async def info(self, library: str) -> LibraryInfo: ...

    @abstractmethod
    async def leave_nothing(self) -> None:
        """Take what was deleted out of the files, as far as that is ours to do. Raises StoreError."""

    @abstractmethod
    def _written(self, statement: str) -> str:
        """Return a statement as the database takes it."""

    @abstractmethod
    async def _do(self, library: str, work: Callable[[Any], T]) -> T:
        """Do all of `work` on a connection for a library that exists, or nothing of it. Raises LibraryNotFound."""

    async def chapters(
        self,
        library: str,
        task_id: str | None = None,
        horizon: Horizon | None = None,
        *,
        at: tuple[int, int | None] | None = None,
    ) -> list[Chapter]:
        part, number = at or (None, None)
        rows = await self._rows(library, CHAPTERS, task=task_id, part=part, number=number, **last_of(horizon))
        return [Chapter(library=library, **numbered(row)) for row in rows]

    async def outline(
        self, library: str, horizon: Horizon | None = None, *, measured: bool = False
    ) -> list[ChapterOutline]:
        rows = await self._rows(library, MEASURED_OUTLINE if measured else OUTLINE, **last_of(horizon))
        return [ChapterOutline(**numbered(row)) for row in rows]

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        place = {"task": chapter.task_id, "part": chapter.part, "number": slot_of(chapter.number, chapter.copy)}
        named = {name: getattr(chapter, name) for name in ("library", "title", "text", "digest", "source_file")}
        values = {**place, **named, "position": chapter.order}

        def put(base: Any) -> None:
            for statement in (DELETE_CHAPTER, ADD_CHAPTER):
                base.execute(self._written(statement), values)
            row = written_row(base.execute(self._written(CHAPTER_ID), values))
            rows = [{"id": one, "chapter": row["id"], "position": n} for n, one in enumerate(passage_ids)]
            base.cursor().executemany(self._written(ADD_PASSAGE), rows)

        await self._do(chapter.library, put)

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        await self._change(library, DELETE_CHAPTER, [{"task": task_id, "part": part, "number": number}])

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        names = ("task", "part", "number", "position")
        await self._change(library, REORDER, [dict(zip(names, order, strict=True)) for order in orders])

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        rows = await self._rows(library, PASSAGE_IDS, task=task_id, part=part, number=number)
        return [row["id"] for row in rows]

    async def delete_source(self, library: str, task_id: str) -> int:
        return await self._change(library, DELETE_SOURCE, [{"task": task_id}])

    async def summaries(self, library: str, where: SummaryFilter) -> list[Summary]:
        query, values = SUMMARIES, dict[str, Any]()
        for column, wanted in (("kind", where.kinds), ("subject", where.subjects)):
            if wanted:
                values |= {f"{column}_{at}": one for at, one in enumerate(wanted)}
                query += f" AND {column} IN ({', '.join(f':{column}_{at}' for at in range(len(wanted)))})"
        if where.part is not None:
            query, values["in_part"] = query + " AND part = :in_part", where.part
        if where.chapters is not None:
            query, values["low"], values["high"] = query + " AND number BETWEEN :low AND :high", *where.chapters
        if where.horizon is not None:
            query += " AND number IS NOT NULL AND (part < :last_part OR (part = :last_part AND number <= :last))"
            values |= {"last_part": where.horizon.part, "last": where.horizon.chapter}
        return [
            read_summary(library, row["value"]) for row in await self._rows(library, query + IN_STORY_ORDER, **values)
        ]

    async def put_summaries(self, library: str, summaries: Sequence[Summary]) -> None:
        rows = [{"library": library, **summary_row(one)} for one in summaries]

        def put(base: Any) -> None:
            for statement in (DELETE_SUMMARY, ADD_SUMMARY):
                base.cursor().executemany(self._written(statement), rows)

        await self._do(library, put)

    async def delete_summaries(self, library: str, summaries: Sequence[Summary]) -> int:
        return await self._change(library, DELETE_SUMMARY, [summary_row(one) for one in summaries])

    async def notes(self, library: str) -> dict[str, Any]:
        return {row["key"]: json.loads(row["value"]) for row in await self._rows(library, NOTES, key=None)}

    async def note(self, library: str, key: str) -> Any:
        rows = await self._rows(library, NOTES, key=key)
        return json.loads(rows[0]["value"]) if rows else None

    async def put_note(self, library: str, key: str, value: Any) -> None:
        statement = DELETE_NOTE if value is None else SET_NOTE
        await self._change(library, statement, [{"key": key, "value": json.dumps(value, ensure_ascii=False)}])

    async def _rows(self, library: str, query: str, **values: Any) -> list[dict[str, Any]]:
        def read(base: Any) -> list[dict[str, Any]]:
            return list(map(dict, base.execute(self._written(query), {"library": library, **values}).fetchall()))

        return await self._do(library, read)

    async def _change(self, library: str, statement: str, rows: Iterable[dict[str, Any]]) -> int:
        """Run a statement for each row and return how many rows of the table it changed."""

        def change(base: Any) -> int:
            cursor = base.cursor()
            cursor.executemany(self._written(statement), [{"library": library, **row} for row in rows])
            return int(cursor.rowcount)

        return await self._do(library, change)


def last_of(horizon: Horizon | None) -> dict[str, int | None]:
    """Return the values of the condition that leaves out what a reader at the horizon may not see."""
    if horizon is None:
        return {"last_part": None, "last": None}
    return {"last_part": horizon.part, "last": horizon.chapter}


def summary_row(summary: Summary) -> dict[str, Any]:
    """Return the columns of a summary."""
    value = {key: value for key, value in asdict(summary).items() if key != "library"}
    return {
        "kind": summary.kind,
        "rank": SUMMARY_RANKS[summary.kind],
        "subject": summary.subject,
        "task": summary.task_id,
        "part": summary.part,
        "number": summary.chapter,
        "copy": summary.copy,
        "value": json.dumps(value, ensure_ascii=False),
    }


def read_summary(library: str, value: str) -> Summary:
    row = json.loads(value)
    sentences = tuple(SummarySentence(one["text"], tuple(one["evidence"])) for one in row["sentences"])
    part, chapter = row["first"]
    return Summary(library=library, **{**row, "sentences": sentences, "first": (part, chapter)})


IDENTITY_FILE = "identity.sqlite"
MAKE_IDENTITY = "CREATE TABLE IF NOT EXISTS identity (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL)"
SCHEMA = """
PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON;
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
CREATE TABLE IF NOT EXISTS summary (
    kind TEXT NOT NULL, rank INTEGER NOT NULL, subject TEXT NOT NULL, task_id TEXT NOT NULL, part INTEGER NOT NULL,
    number INTEGER, copy INTEGER NOT NULL, value TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS summary_key
    ON summary (kind, subject, task_id, part, coalesce(number, -1), copy);
"""
TASKS = "SELECT task_id, min(part) FROM chapter GROUP BY task_id ORDER BY min(position), task_id"


class SqliteCatalog(SqlCatalog):
    """The catalog in one SQLite file per library. Calls run in threads."""

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

    async def leave_nothing(self) -> None:
        await asyncio.to_thread(self._files.empty_logs)

    async def close(self) -> None:
        await asyncio.to_thread(self._files.close)

    async def release(self, library: str) -> None:
        await asyncio.to_thread(self._files.release, library)

    def _written(self, statement: str) -> str:
        return statement.format(
            chapter="chapter",
            passage="passage",
            note="note",
            summary="summary",
            of=":library = :library",
            copies=COPIES,
            own="",
            mine="",
            plain="",
        )

    async def _do(self, library: str, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do all of `work` on the file of a library that exists, or nothing of it. Raises LibraryNotFound."""

        def run() -> T:
            self._files.folders.existing(library)
            if not self._files.path(library).exists():
                raise LibraryNotFound(Message("library.not_made_yet", library=library))
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


def written_row(cursor: Any) -> Any:
    """Return the row that was just written. Raises StoreError where a trigger or a rule of the database took it."""
    if (row := cursor.fetchone()) is None:
        raise StoreError(Message("catalog.row_lost"))
    return row


def numbered(columns: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a chapter with its number and copy, which are kept as one slot."""
    number, copy = number_of(columns["number"])
    return {**columns, "number": number, "copy": copy}


def check_embedder(info: LibraryInfo, embedder: str, dimension: int) -> None:
    """Raise EmbedderMismatch unless `info` names this embedder."""
    if (embedder, dimension) != (info.embedder, info.dimension):
        made = {"name": info.name, "built": info.embedder, "length": info.dimension}
        raise EmbedderMismatch(Message("library.other_embedder", **made, embedder=embedder, dimension=dimension))


def read_info(file: sqlite3.Connection, library: str) -> LibraryInfo:
    """Describe the library that a file holds. Raises LibraryNotFound."""
    row = file.execute("SELECT title, embedder, dimension, language FROM library").fetchone()
    if row is None:
        raise LibraryNotFound(Message("library.not_made_yet", library=library))
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
        raise StoreError(Message("catalog.identity_not_usable", path=path, error=error)) from error
    return Owner(id, f"{socket.gethostname()}: DATA_DIR={data_dir}")
