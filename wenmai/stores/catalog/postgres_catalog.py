"""The catalog of all libraries in PostgreSQL: for passages on a server, where any number of processes use them.

The library is in every query.
"""

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, TypeVar
from uuid import uuid4

from psycopg import AsyncConnection, Connection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from state.context import Language
from tools.errors import LibraryNotFound, StoreLocked
from tools.messages import Message
from tools.records import COPIES, GRAPH_COUNTS, LibraryInfo
from tools.text.books import BOOKS, books_of
from wenmai.stores.catalog.catalog import SqlCatalog, check_embedder, written_row
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
CREATE TABLE IF NOT EXISTS wenmai_summary (
    library TEXT NOT NULL REFERENCES wenmai_library (name) ON DELETE CASCADE,
    kind TEXT NOT NULL, rank INTEGER NOT NULL, subject TEXT NOT NULL, task_id TEXT NOT NULL, part INTEGER NOT NULL,
    number INTEGER, copy INTEGER NOT NULL, value TEXT NOT NULL);
CREATE UNIQUE INDEX IF NOT EXISTS wenmai_summary_key
    ON wenmai_summary (library, kind, subject, task_id, part, coalesce(number, -1), copy);
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
TAKE = "SELECT pg_try_advisory_lock(hashtextextended('wenmai library ' || %s, 0))"
MAKE = "SELECT pg_advisory_xact_lock(hashtextextended('wenmai catalog', 0))"
NAMED = re.compile(r":(\w+)")
Base = Connection[DictRow]
T = TypeVar("T")


class PostgresCatalog(SqlCatalog):
    """The catalog at POSTGRES_URI. Calls run in threads."""

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
            return str(written_row(base.execute("SELECT id FROM wenmai_catalog"))["id"])

        if self._owner is None:
            self._owner = Owner(await self._ask(identity), f"PostgreSQL {self._place}")
        return self._owner

    async def libraries(self) -> list[LibraryInfo]:
        return await self._ask(lambda base: read_infos(base, None))

    async def info(self, library: str) -> LibraryInfo:
        check_name(library)
        return await self._ask(lambda base: read_info(base, library))

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        check_name(library)

        def make(base: Base) -> LibraryInfo:
            base.execute(CREATE, (library, title, embedder, dimension, language))
            check_embedder(read_info(base, library), embedder, dimension)
            named = "UPDATE wenmai_library SET title = %s, language = %s WHERE name = %s"
            base.execute(named, (title, language, library))
            return read_info(base, library)

        return await self._ask(make)

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

    async def leave_nothing(self) -> None:
        """Leave that to the server."""

    async def close(self) -> None:
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    async def _do(self, library: str, work: Callable[[Base], T]) -> T:
        """Ask about a library that exists. Raises LibraryNotFound."""

        def asked(base: Base) -> T:
            if not base.execute("SELECT 1 FROM wenmai_library WHERE name = %s", (library,)).fetchone():
                read_info(base, library)
            return work(base)

        return await self._ask(asked)

    def _written(self, statement: str) -> str:
        tables = {name: f"wenmai_{name}" for name in ("chapter", "passage", "note", "summary")}
        library = {"of": "library = :library", "own": "library, ", "mine": ":library, ", "copies": COPIES}
        return NAMED.sub(r"%(\1)s", statement.format(**tables, **library, plain='COLLATE "C"'))

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
