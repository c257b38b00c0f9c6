"""The catalog of all libraries in PostgreSQL: for passages on a server, where any number of processes use them."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from psycopg import AsyncConnection, Connection
from psycopg.rows import DictRow, dict_row
from psycopg_pool import ConnectionPool

from state.context import Language
from tools.errors import StoreLocked
from tools.records import Chapter, ChapterOutline, LibraryInfo
from wenmai.stores.catalog import postgres_catalog_rows as rows
from wenmai.stores.catalog.catalog_rows import check_embedder
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner
from wenmai.stores.files.refusals import BUSY
from wenmai.stores.postgres.connection import POOL_SIZE, WAIT_S, address_of, bounded, postgres_errors

T = TypeVar("T")
TAKE = "SELECT pg_try_advisory_lock(hashtextextended('wenmai library ' || %s, 0))"
MAKE = "SELECT pg_advisory_xact_lock(hashtextextended('wenmai catalog', 0))"


class PostgresCatalog:
    """The Catalog port and the writes of ingestion over POSTGRES_URI. Calls run in threads."""

    def __init__(self, uri: str) -> None:
        self._uri = uri
        self._place = address_of(uri)
        self._guard = threading.Lock()
        self._pool: ConnectionPool[Connection[DictRow]] | None = None
        self._owner: Owner | None = None

    async def owner(self) -> Owner:
        """Return the identity of this catalog, as it is marked on servers. Raises StoreError."""
        if self._owner is None:
            self._owner = Owner(await self._ask(rows.identity), f"PostgreSQL {self._place}")
        return self._owner

    async def libraries(self) -> list[LibraryInfo]:
        return await self._ask(lambda base: rows.infos(base, None))

    async def info(self, library: str) -> LibraryInfo:
        check_name(library)
        return await self._ask(lambda base: rows.info(base, library))

    async def chapters(self, library: str, task_id: str | None = None) -> list[Chapter]:
        return await self._of(library, lambda base: rows.chapters(base, library, task_id))

    async def outline(self, library: str) -> list[ChapterOutline]:
        return await self._of(library, lambda base: rows.outline(base, library))

    async def create(self, library: str, title: str, embedder: str, dimension: int, language: Language) -> LibraryInfo:
        check_name(library)

        def made(base: rows.Base) -> LibraryInfo:
            values = {"title": title, "embedder": embedder, "dimension": dimension, "language": language}
            rows.create(base, library=library, **values)
            check_embedder(rows.info(base, library), embedder, dimension)
            named = "UPDATE wenmai_library SET title = %s, language = %s WHERE name = %s"
            base.execute(named, (title, language, library))
            return rows.info(base, library)

        return await self._ask(made)

    async def require_embedder(self, library: str, embedder: str, dimension: int) -> LibraryInfo:
        info = await self.info(library)
        check_embedder(info, embedder, dimension)
        return info

    async def put_chapter(self, chapter: Chapter, passage_ids: Sequence[str]) -> None:
        await self._of(chapter.library, lambda base: rows.put_chapter(base, chapter, passage_ids))

    async def delete_chapter(self, library: str, task_id: str, part: int, number: int | None) -> None:
        await self._of(library, lambda base: rows.delete_chapter(base, library, task_id, part, number))

    async def reorder(self, library: str, orders: Sequence[tuple[str, int, int | None, int]]) -> None:
        await self._of(library, lambda base: rows.reorder(base, library, orders))

    async def passage_ids(
        self, library: str, task_id: str | None = None, part: int | None = None, number: int | None = None
    ) -> list[str]:
        return await self._of(library, lambda base: rows.passage_ids(base, library, task_id, part, number))

    async def delete_source(self, library: str, task_id: str) -> int:
        return await self._of(library, lambda base: rows.delete_source(base, library, task_id))

    async def notes(self, library: str) -> dict[str, Any]:
        return await self._of(library, lambda base: rows.notes(base, library))

    async def note(self, library: str, key: str) -> Any:
        return await self._of(library, lambda base: rows.note(base, library, key))

    async def put_note(self, library: str, key: str, value: Any) -> None:
        await self._of(library, lambda base: rows.put_note(base, library, key, value))

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
                raise StoreLocked(BUSY.of(library=library))
            yield

    async def close(self) -> None:
        if self._pool is not None:
            await asyncio.to_thread(self._pool.close)

    async def _of(self, library: str, question: Callable[[rows.Base], T]) -> T:
        """Ask about a library that exists. Raises LibraryNotFound."""

        def asked(base: rows.Base) -> T:
            if not base.execute("SELECT 1 FROM wenmai_library WHERE name = %s", (library,)).fetchone():
                rows.info(base, library)
            return question(base)

        return await self._ask(asked)

    async def _ask(self, question: Callable[[rows.Base], T]) -> T:
        return await asyncio.to_thread(self._answer, question)

    def _answer(self, question: Callable[[rows.Base], T]) -> T:
        with postgres_errors(self._place), self._opened().connection() as base:
            return question(base)

    def _opened(self) -> "ConnectionPool[Connection[DictRow]]":
        """Return the pool. No lock is held while the server is asked: a caller that finds it down delays no other."""
        if self._pool is None:
            with Connection.connect(bounded(self._uri)) as base:  # raises why it cannot, and makes the tables
                base.execute(MAKE)
                base.execute(rows.SCHEMA)
        with self._guard:
            if self._pool is None:
                self._pool = self._new_pool()
                self._pool.open()  # its own threads connect
            return self._pool

    def _new_pool(self) -> "ConnectionPool[Connection[DictRow]]":
        check: Any = ConnectionPool.check_connection  # typed for connections with rows of tuples alone
        return ConnectionPool(
            bounded(self._uri),
            connection_class=Connection[DictRow],
            kwargs={"row_factory": dict_row},
            min_size=1,
            max_size=POOL_SIZE,
            timeout=WAIT_S,
            check=check,
            open=False,
        )
