"""The tables of the catalog in PostgreSQL, and what is read from and written to them; the library is in every query."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, LiteralString
from uuid import uuid4

from psycopg import Connection
from psycopg.rows import DictRow

from tools.errors import LibraryNotFound, StoreError
from tools.records import GRAPH_COUNTS, Chapter, ChapterOutline, LibraryInfo, number_of, slot_of
from tools.text.books import BOOKS, books_of
from tools.wording import Words
from wenmai.stores.files.refusals import NO_LIBRARY

LOST_ROW = Words(
    "PostgreSQL 的登记库里缺少刚写入的一行：请检查 POSTGRES_URI 的数据库有没有触发器或规则",
    "PostgreSQL's catalog lacks a row that was just written: has the database of POSTGRES_URI triggers or rules?",
)
# Texts are TEXT, notes too: JSONB would lose the order of keys and the difference between 1 and 1.0.
SCHEMA = """
CREATE TABLE IF NOT EXISTS wenmai_library (
    name TEXT PRIMARY KEY, title TEXT NOT NULL, embedder TEXT NOT NULL,
    dimension INTEGER NOT NULL, language TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS wenmai_chapter (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    library TEXT NOT NULL REFERENCES wenmai_library (name) ON DELETE CASCADE,
    task_id TEXT NOT NULL, part INTEGER NOT NULL, number INTEGER, title TEXT NOT NULL, text TEXT NOT NULL,
    digest TEXT NOT NULL, position INTEGER NOT NULL, source_file TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS wenmai_chapter_key ON wenmai_chapter (library, task_id, part, coalesce(number, -1));
CREATE TABLE IF NOT EXISTS wenmai_passage (
    id TEXT NOT NULL, chapter BIGINT NOT NULL REFERENCES wenmai_chapter (id) ON DELETE CASCADE,
    position INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS wenmai_passage_chapter ON wenmai_passage (chapter);
CREATE TABLE IF NOT EXISTS wenmai_note (
    library TEXT NOT NULL REFERENCES wenmai_library (name) ON DELETE CASCADE,
    key TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (library, key));
CREATE TABLE IF NOT EXISTS wenmai_catalog (one BOOLEAN PRIMARY KEY DEFAULT true CHECK (one), id TEXT NOT NULL);
"""
INFO = """
SELECT l.*, (SELECT count(*) FROM wenmai_chapter c WHERE c.library = l.name) AS chapters,
  (SELECT count(*) FROM wenmai_passage p JOIN wenmai_chapter c ON c.id = p.chapter
   WHERE c.library = l.name) AS passages,
  (SELECT value FROM wenmai_note n WHERE n.library = l.name AND n.key = %(counts)s) AS counts,
  (SELECT value FROM wenmai_note n WHERE n.library = l.name AND n.key = %(books)s) AS books,
  ARRAY(SELECT task_id FROM wenmai_chapter c WHERE c.library = l.name
        GROUP BY task_id ORDER BY min(position), task_id COLLATE "C") AS sources,
  ARRAY(SELECT min(part) FROM wenmai_chapter c WHERE c.library = l.name
        GROUP BY task_id ORDER BY min(position), task_id COLLATE "C") AS parts
FROM wenmai_library l WHERE %(library)s::text IS NULL OR l.name = %(library)s ORDER BY l.name COLLATE "C"
"""
CREATE = """
INSERT INTO wenmai_library VALUES (%(library)s, %(title)s, %(embedder)s, %(dimension)s, %(language)s)
ON CONFLICT (name) DO NOTHING
"""
CHAPTERS = """
SELECT task_id, part, number, title, text, digest, position, source_file FROM wenmai_chapter
WHERE library = %(library)s AND (%(task)s::text IS NULL OR task_id = %(task)s)
ORDER BY position, part, number NULLS FIRST, task_id COLLATE "C"
"""
ADD_CHAPTER = """
INSERT INTO wenmai_chapter (library, task_id, part, number, title, text, digest, position, source_file)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""
ONE_CHAPTER = "library = %s AND task_id = %s AND part = %s AND number IS NOT DISTINCT FROM %s"
PASSAGES = """
SELECT p.id FROM wenmai_passage p JOIN wenmai_chapter c ON c.id = p.chapter
WHERE c.library = %(library)s AND (%(task)s::text IS NULL OR c.task_id = %(task)s)
  AND (%(part)s::int IS NULL OR (c.part = %(part)s AND c.number IS NOT DISTINCT FROM %(number)s::int))
ORDER BY c.position, p.position
"""
OUTLINE = """
SELECT c.task_id, c.part, c.number, c.digest, c.position AS order, count(p.id)::int AS passages FROM wenmai_chapter c
LEFT JOIN wenmai_passage p ON p.chapter = c.id WHERE c.library = %s
GROUP BY c.id ORDER BY c.position, c.part, c.number NULLS FIRST, c.task_id COLLATE "C"
"""
SET_NOTE = """
INSERT INTO wenmai_note VALUES (%s, %s, %s) ON CONFLICT (library, key) DO UPDATE SET value = excluded.value
"""
Base = Connection[DictRow]


def identity(base: Base) -> str:
    """Return the identity of the catalog; of several processes that start at once, one makes it."""
    base.execute("INSERT INTO wenmai_catalog (id) VALUES (%s) ON CONFLICT DO NOTHING", (str(uuid4()),))
    return str(_one(base, "SELECT id FROM wenmai_catalog", ())["id"])


def infos(base: Base, library: str | None) -> list[LibraryInfo]:
    """Describe one library, or all of them by name."""
    rows = base.execute(INFO, {"library": library, "counts": GRAPH_COUNTS, "books": BOOKS}).fetchall()
    return [_info(row) for row in rows]


def info(base: Base, library: str) -> LibraryInfo:
    """Describe a library. Raises LibraryNotFound."""
    found = infos(base, library)
    if not found:
        raise LibraryNotFound(NO_LIBRARY.of(library=library))
    return found[0]


def _info(row: Mapping[str, Any]) -> LibraryInfo:
    graph, noted = (json.loads(row[key]) if row[key] else {} for key in ("counts", "books"))
    return LibraryInfo(
        name=row["name"],
        title=row["title"],
        embedder=row["embedder"],
        dimension=row["dimension"],
        language=row["language"],
        sources=tuple(row["sources"]),
        counts={**(graph or {}), "chapters": row["chapters"], "passages": row["passages"]},
        books=books_of([*zip(row["sources"], row["parts"], strict=True)], noted or {}, row["title"]),
    )


def create(base: Base, **values: Any) -> None:
    """Make a library unless it is there."""
    base.execute(CREATE, values)


def chapters(base: Base, library: str, task_id: str | None) -> list[Chapter]:
    """Return the chapters in reading order."""
    rows = base.execute(CHAPTERS, {"library": library, "task": task_id}).fetchall()
    return [Chapter(library=library, order=row.pop("position"), **_numbered(row)) for row in rows]


def _numbered(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the number and the copy of a chapter, which is kept under a slot."""
    number, copy = number_of(row["number"])
    return {**row, "number": number, "copy": copy}


def put_chapter(base: Base, chapter: Chapter, passage_ids: Sequence[str]) -> None:
    """Put a chapter and the ids of its passages in the place of the old ones."""
    place = (chapter.library, chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy))
    delete_chapter(base, *place)
    content = (chapter.title, chapter.text, chapter.digest, chapter.order, chapter.source_file)
    row = _one(base, ADD_CHAPTER, (*place, *content))
    with base.cursor() as cursor:
        rows = [(id, row["id"], n) for n, id in enumerate(passage_ids)]
        cursor.executemany("INSERT INTO wenmai_passage VALUES (%s, %s, %s)", rows)


def delete_chapter(base: Base, library: str, task_id: str, part: int, number: int | None) -> None:
    """Delete a chapter; the ids of its passages go with it."""
    base.execute(f"DELETE FROM wenmai_chapter WHERE {ONE_CHAPTER}", (library, task_id, part, number))


def reorder(base: Base, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
    """Set the order of chapters."""
    with base.cursor() as cursor:
        rows = [(order, library, task, part, number) for task, part, number, order in orders]
        cursor.executemany(f"UPDATE wenmai_chapter SET position = %s WHERE {ONE_CHAPTER}", rows)


def passage_ids(base: Base, library: str, task_id: str | None, part: int | None, number: int | None) -> list[str]:
    """Return the ids of passages in reading order."""
    asked = {"library": library, "task": task_id, "part": part, "number": number}
    return [row["id"] for row in base.execute(PASSAGES, asked).fetchall()]


def outline(base: Base, library: str) -> list[ChapterOutline]:
    """Return the chapters without their texts, in reading order."""
    return [ChapterOutline(**_numbered(row)) for row in base.execute(OUTLINE, (library,)).fetchall()]


def delete_source(base: Base, library: str, task_id: str) -> int:
    """Delete a source's chapters and return how many there were."""
    return base.execute("DELETE FROM wenmai_chapter WHERE library = %s AND task_id = %s", (library, task_id)).rowcount


def notes(base: Base, library: str) -> dict[str, Any]:
    """Return every note by its key."""
    rows = base.execute("SELECT key, value FROM wenmai_note WHERE library = %s", (library,)).fetchall()
    return {row["key"]: json.loads(row["value"]) for row in rows}


def note(base: Base, library: str, key: str) -> Any:
    """Return the JSON value of a key."""
    row = base.execute("SELECT value FROM wenmai_note WHERE library = %s AND key = %s", (library, key)).fetchone()
    return None if row is None else json.loads(row["value"])


def put_note(base: Base, library: str, key: str, value: Any) -> None:
    """Set or remove the JSON value of a key."""
    if value is None:
        base.execute("DELETE FROM wenmai_note WHERE library = %s AND key = %s", (library, key))
        return
    base.execute(SET_NOTE, (library, key, json.dumps(value, ensure_ascii=False)))


def _one(base: Base, statement: LiteralString, values: Sequence[object]) -> DictRow:
    """Return the row of a statement that has one. Raises StoreError."""
    row = base.execute(statement, values).fetchone()
    if row is None:
        raise StoreError(LOST_ROW)
    return row
