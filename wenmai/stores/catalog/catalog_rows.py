"""The tables of a catalog file and what is read from and written to them."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Any

from tools.errors import EmbedderMismatch, LibraryNotFound
from tools.records import GRAPH_COUNTS, Chapter, ChapterOutline, LibraryInfo, number_of, slot_of
from tools.text.books import BOOKS, books_of
from tools.wording import Words
from wenmai.embedders.names import same
from wenmai.stores.files.refusals import NOT_MADE

OTHER_EMBEDDER = Words(
    "资料库 {name} 由嵌入模型 {built}（{length} 维）建成，当前是 {embedder}（{dimension} 维）：请把 "
    "EMBEDDING_MODEL 改回 {built}（Gemini 另需 EMBEDDING_DIMENSION={length}），或用 wenmai reembed -l {name} "
    "换成当前的模型",
    "the embedding model {built} (dimension {length}) made library {name}, but {embedder} (dimension "
    "{dimension}) is set: set EMBEDDING_MODEL back to {built} (for Gemini also "
    "EMBEDDING_DIMENSION={length}), or move to the present model by wenmai reembed -l {name}",
)
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
TASKS = "SELECT task_id, min(part) FROM chapter GROUP BY task_id ORDER BY min(position), task_id"


def check_embedder(info: LibraryInfo, embedder: str, dimension: int) -> None:
    """Raise EmbedderMismatch unless `info` names this embedder."""
    if not same(embedder, info.embedder) or info.dimension != dimension:
        made = {"name": info.name, "built": info.embedder, "length": info.dimension}
        raise EmbedderMismatch(OTHER_EMBEDDER.of(**made, embedder=embedder, dimension=dimension))


def info(file: sqlite3.Connection, library: str) -> LibraryInfo:
    """Describe the library that a file holds."""
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
        counts={**(note(file, GRAPH_COUNTS) or {}), "chapters": counts["chapter"], "passages": counts["passage"]},
        books=books_of(tasks, note(file, BOOKS) or {}, row[0]),
    )


def chapters(file: sqlite3.Connection, library: str, task_id: str | None) -> list[Chapter]:
    """Return the chapters in reading order."""
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
            number=number_of(slot)[0],
            title=title,
            text=text,
            digest=digest,
            order=order,
            source_file=source,
            copy=number_of(slot)[1],
        )
        for task, part, slot, title, text, digest, order, source in rows
    ]


def put_chapter(file: sqlite3.Connection, chapter: Chapter, passage_ids: Sequence[str]) -> None:
    """Put a chapter and the ids of its passages in the place of the old ones."""
    slot = slot_of(chapter.number, chapter.copy)
    delete_chapter(file, chapter.task_id, chapter.part, slot)
    row = file.execute(
        "INSERT INTO chapter VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chapter.task_id,
            chapter.part,
            slot,
            chapter.title,
            chapter.text,
            chapter.digest,
            chapter.order,
            chapter.source_file,
        ),
    ).lastrowid
    file.executemany("INSERT INTO passage VALUES (?, ?, ?)", [(id, row, n) for n, id in enumerate(passage_ids)])


def delete_chapter(file: sqlite3.Connection, task_id: str, part: int, number: int | None) -> None:
    """Delete a chapter; the ids of its passages go with it."""
    file.execute("DELETE FROM chapter WHERE task_id = ? AND part = ? AND number IS ?", (task_id, part, number))


def reorder(file: sqlite3.Connection, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
    """Set the order of chapters."""
    file.executemany(
        "UPDATE chapter SET position = ?4 WHERE task_id = ?1 AND part = ?2 AND number IS ?3", [*map(tuple, orders)]
    )


def passage_ids(file: sqlite3.Connection, task_id: str | None, part: int | None, number: int | None) -> list[str]:
    """Return the ids of passages in reading order."""
    rows = file.execute(
        "SELECT p.id FROM passage p JOIN chapter c ON c.id = p.chapter"
        " WHERE (?1 IS NULL OR c.task_id = ?1) AND (?2 IS NULL OR (c.part = ?2 AND c.number IS ?3))"
        " ORDER BY c.position, p.position",
        (task_id, part, number),
    )
    return [id for (id,) in rows]


def outline(file: sqlite3.Connection) -> list[ChapterOutline]:
    """Return the chapters without their texts, in reading order."""
    rows = file.execute(
        "SELECT c.task_id, c.part, c.number, c.digest, c.position, count(p.id) FROM chapter c"
        " LEFT JOIN passage p ON p.chapter = c.id GROUP BY c.id ORDER BY c.position, c.part, c.number, c.task_id"
    )
    return [
        ChapterOutline(
            task_id=task,
            part=part,
            number=number_of(slot)[0],
            digest=digest,
            order=order,
            passages=passages,
            copy=number_of(slot)[1],
        )
        for task, part, slot, digest, order, passages in rows
    ]


def notes(file: sqlite3.Connection) -> dict[str, Any]:
    """Return every note by its key."""
    return {key: json.loads(value) for key, value in file.execute("SELECT key, value FROM note")}


def note(file: sqlite3.Connection, key: str) -> Any:
    """Return the JSON value of a key."""
    row = file.execute("SELECT value FROM note WHERE key = ?", (key,)).fetchone()
    return None if row is None else json.loads(row[0])


def put_note(file: sqlite3.Connection, key: str, value: Any) -> None:
    """Set or remove the JSON value of a key."""
    if value is None:
        file.execute("DELETE FROM note WHERE key = ?", (key,))
        return
    text = json.dumps(value, ensure_ascii=False)
    file.execute("INSERT INTO note VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, text))
