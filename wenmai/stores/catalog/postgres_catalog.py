"""The catalog of all libraries in PostgreSQL: for passages on a server, where any number of processes use them.

The library is in every query.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, LiteralString, TypeVar
from uuid import uuid4

from psycopg import AsyncConnection, Connection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from state.context import Language
from tools.errors import LibraryNotFound, StoreError, StoreLocked
from tools.messages import Message
from tools.records import GRAPH_COUNTS, Chapter, ChapterOutline, LibraryInfo, slot_of
from tools.text.books import BOOKS, books_of
from wenmai.stores.catalog.catalog import check_embedder, numbered
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner
from wenmai.stores.postgres.connection import POOL_SIZE, RECONNECT_S, WAIT_S, address_of, bounded, postgres_errors

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
CREATE = "INSERT INTO wenmai_library VALUES (%s, %s, %s, %s, %s) ON CONFLICT (name) DO NOTHING"
CHAPTERS = """
SELECT task_id, part, number, title, text, digest, position AS "order", source_file FROM wenmai_chapter
WHERE library = %(library)s AND (%(task)s::text IS NULL OR task_id = %(task)s)
ORDER BY position, part, number NULLS FIRST, task_id COLLATE "C"
"""
ADD_CHAPTER = """
INSERT INTO wenmai_chapter (library, task_id, part, number, title, text, digest, position, source_file)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) RETURNING id
"""
ONE_CHAPTER: LiteralString = "library = %s AND task_id = %s AND part = %s AND number IS NOT DISTINCT FROM %s"
DELETE_CHAPTER: LiteralString = f"DELETE FROM wenmai_chapter WHERE {ONE_CHAPTER}"  # its passage ids go with it
REORDER: LiteralString = f"UPDATE wenmai_chapter SET position = %s WHERE {ONE_CHAPTER}"
PASSAGES = """
SELECT p.id FROM wenmai_passage p JOIN wenmai_chapter c ON c.id = p.chapter
WHERE c.library = %(library)s AND (%(task)s::text IS NULL OR c.task_id = %(task)s)
  AND (%(part)s::int IS NULL OR (c.part = %(part)s AND c.number IS NOT DISTINCT FROM %(number)s::int))
ORDER BY c.position, p.position
"""
OUTLINE = """
SELECT c.task_id, c.part, c.number, c.digest, c.position AS "order", count(p.id)::int AS passages FROM wenmai_chapter c
LEFT JOIN wenmai_passage p ON p.chapter = c.id WHERE c.library = %s
GROUP BY c.id ORDER BY c.position, c.part, c.number NULLS FIRST, c.task_id COLLATE "C"
"""
SET_NOTE = """
INSERT INTO wenmai_note VALUES (%s, %s, %s) ON CONFLICT (library, key) DO UPDATE SET value = excluded.value
"""
TAKE = "SELECT pg_try_advisory_lock(hashtextextended('wenmai library ' || %s, 0))"
MAKE = "SELECT pg_advisory_xact_lock(hashtextextended('wenmai catalog', 0))"
Base = Connection[DictRow]
Params = Sequence[object] | Mapping[str, object]
T = TypeVar("T")


class PostgresCatalog:
    """The Catalog port and the writes of ingestion over POSTGRES_URI. Calls run in threads."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._place = address_of(uri)
        self._guard = threading.Lock()
        self._pool: ConnectionPool[Base] | None = None
        self._owner: Owner | None = None

    async def owner(self) -> Owner:
        """Return the identity of this catalog, as it is marked on servers. Raises StoreError.

        Of several processes that start at once, one makes it.
        """

        def identity(base: Base) -> str:
            base.execute("INSERT INTO wenmai_catalog (id) VALUES (%s) ON CONFLICT DO NOTHING", (str(uuid4()),))
            return str(_one(base, "SELECT id FROM wenmai_catalog", ())["id"])

        if self._owner is None:
            self._owner = Owner(await self._ask(identity), f"PostgreSQL {self._place}")
        return self._owner

    async def libraries(self) -> list[LibraryInfo]:
        return await self._ask(lambda base: read_infos(base, None))

    async def info(self, library: str) -> LibraryInfo:
        check_name(library)
        return await self._ask(lambda base: read_info(base, library))

    async def chapters(self, library: str, task_id: str | None = None) -> list[Chapter]:
        rows = await self._rows(library, CHAPTERS, {"library": library, "task": task_id})
        return [Chapter(library=library, **numbered(row)) for row in rows]

    async def outline(self, library: str) -> list[ChapterOutline]:
        return [ChapterOutline(**numbered(row)) for row in await self._rows(library, OUTLINE, (library,))]

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        check_name(library)

        def make(base: Base) -> LibraryInfo:
            base.execute(CREATE, (library, title, embedder, dimension, language))
            check_embedder(read_info(base, library), embedder, dimension)
            named = "UPDATE wenmai_library SET title = %s, language = %s WHERE name = %s"
            base.execute(named, (title, language, library))
            return read_info(base, library)

        return await self._ask(make)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        place = (chapter.library, chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy))
        content = (chapter.title, chapter.text, chapter.digest, chapter.order, chapter.source_file)

        def put(base: Base) -> None:
            base.execute(DELETE_CHAPTER, place)
            row = _one(base, ADD_CHAPTER, (*place, *content))
            with base.cursor() as cursor:
                ids = [(id, row["id"], n) for n, id in enumerate(passage_ids)]
                cursor.executemany("INSERT INTO wenmai_passage VALUES (%s, %s, %s)", ids)

        await self._of(chapter.library, put)

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        await self._of(library, lambda base: base.execute(DELETE_CHAPTER, (library, task_id, part, number)))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        def reorder(base: Base) -> None:
            with base.cursor() as cursor:
                rows = [(order, library, task, part, number) for task, part, number, order in orders]
                cursor.executemany(REORDER, rows)

        await self._of(library, reorder)

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        values = {"library": library, "task": task_id, "part": part, "number": number}
        return [row["id"] for row in await self._rows(library, PASSAGES, values)]

    async def delete_source(self, library: str, task_id: str) -> int:
        statement: LiteralString = "DELETE FROM wenmai_chapter WHERE library = %s AND task_id = %s"
        return await self._of(library, lambda base: base.execute(statement, (library, task_id)).rowcount)

    async def notes(self, library: str) -> dict[str, Any]:
        rows = await self._rows(library, "SELECT key, value FROM wenmai_note WHERE library = %s", (library,))
        return {row["key"]: json.loads(row["value"]) for row in rows}

    async def note(self, library: str, key: str) -> Any:
        query: LiteralString = "SELECT value FROM wenmai_note WHERE library = %s AND key = %s"
        rows = await self._rows(library, query, (library, key))
        return json.loads(rows[0]["value"]) if rows else None

    async def put_note(self, library: str, key: str, value: Any) -> None:
        if value is None:
            remove: LiteralString = "DELETE FROM wenmai_note WHERE library = %s AND key = %s"
            await self._of(library, lambda base: base.execute(remove, (library, key)))
            return
        text = json.dumps(value, ensure_ascii=False)
        await self._of(library, lambda base: base.execute(SET_NOTE, (library, key, text)))

    async def drop(self, library: str) -> None:
        await self._ask(lambda base: base.execute("DELETE FROM wenmai_library WHERE name = %s", (library,)))

    @asynccontextmanager
    async def writing(self, library: str) -> AsyncIterator[None]:
        """Be the only process that changes a library; readers are not kept out. Raises StoreLocked.

        The connection holds the lock: it is released however this process ends.
        """
        with postgres_errors(self._place):
            connection = await AsyncConnection.connect(bounded(self._uri), autocommit=True)
        async with connection:
            with postgres_errors(self._place):
                row = await (await connection.execute(TAKE, (library,))).fetchone()
            if not (row and row[0]):
                raise StoreLocked(Message("library.changed_by_other_process", library=library))
            yield

    async def close(self) -> None:
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    async def _of(self, library: str, question: Callable[[Base], T]) -> T:
        """Ask about a library that exists. Raises LibraryNotFound."""

        def asked(base: Base) -> T:
            if not base.execute("SELECT 1 FROM wenmai_library WHERE name = %s", (library,)).fetchone():
                read_info(base, library)
            return question(base)

        return await self._ask(asked)

    async def _rows(self, library: str, query: LiteralString, values: Params) -> list[DictRow]:
        return await self._of(library, lambda base: base.execute(query, values).fetchall())

    async def _ask(self, question: Callable[[Base], T]) -> T:
        def answer() -> T:
            with postgres_errors(self._place), self._opened().connection() as base:
                return question(base)

        return await asyncio.to_thread(answer)

    def _opened(self) -> "ConnectionPool[Base]":
        """Return the pool. No lock is held while the server is asked: a caller that finds it down delays no other."""
        if self._pool is None:
            with Connection.connect(bounded(self._uri)) as base:  # raises why it cannot, and makes the tables
                base.execute(MAKE)
                base.execute(SCHEMA)
        with self._guard:
            if self._pool is None:
                self._pool = self._new_pool()
                self._pool.open()  # its own threads connect
            return self._pool

    def _new_pool(self) -> "ConnectionPool[Base]":
        check: Any = ConnectionPool.check_connection  # typed for connections with rows of tuples alone
        return ConnectionPool(
            bounded(self._uri),
            connection_class=Connection[DictRow],
            kwargs={"row_factory": dict_row},
            min_size=1,
            max_size=POOL_SIZE,
            timeout=WAIT_S,
            reconnect_timeout=RECONNECT_S,
            check=check,
            open=False,
        )


def read_infos(base: Base, library: str | None) -> list[LibraryInfo]:
    """Describe one library, or all of them by name."""
    rows = base.execute(INFO, {"library": library, "counts": GRAPH_COUNTS, "books": BOOKS}).fetchall()
    return [_info(row) for row in rows]


def read_info(base: Base, library: str) -> LibraryInfo:
    """Describe a library. Raises LibraryNotFound."""
    found = read_infos(base, library)
    if not found:
        raise LibraryNotFound(Message("library.unknown", library=library))
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


def _one(base: Base, statement: LiteralString, values: Sequence[object]) -> DictRow:
    row = base.execute(statement, values).fetchone()
    if row is None:
        raise StoreError(Message("catalog.row_lost"))
    return row
