"""A PostgreSQL server with pgvector: its pools of connections, ready for vectors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, errors, sql
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from tools.errors import StoreError
from tools.messages import Message
from wenmai.stores.postgres.connection import POOL_SIZE, WAIT_S, address_of, bounded, postgres_errors
from wenmai.stores.records.points import SEARCH_EFFORT

Base = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Base]
ALONE = "SELECT pg_advisory_xact_lock(hashtextextended('wenmai vectors', 0))"
HAS_EXTENSION = "SELECT 1 FROM pg_extension WHERE extname = 'vector'"
REGISTER = """
CREATE TABLE IF NOT EXISTS wenmai_collection
    (name text PRIMARY KEY, embedder text NOT NULL, dimension integer NOT NULL)
"""
# Compiling a query takes longer than these take; an index walk goes on until enough rows pass the filter.
SESSION = sql.SQL("SET jit = off; SET hnsw.iterative_scan = relaxed_order; SET hnsw.ef_search = {}")


class PostgresServer:
    """A server by its address; every event loop gets its own pool at its first call."""

    def __init__(self, uri: str) -> None:
        self.place = address_of(uri)
        self._uri = bounded(uri)
        self._pools: WeakKeyDictionary[asyncio.AbstractEventLoop, Pool] = WeakKeyDictionary()

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Base]:
        """Give a connection in autocommit mode; what the driver raises becomes ours. Raises StoreError."""
        with postgres_errors(self.place):
            pool = self._pools.get(asyncio.get_running_loop()) or await self._opened()
            async with pool.connection() as base:
                yield base

    async def close(self) -> None:
        """Close the connections of the running event loop."""
        pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            await pool.close()

    async def _opened(self) -> Pool:
        """Open a pool. No lock is held meanwhile: a caller that finds the server down delays no other."""
        await self._prepare()
        mine = self._new_pool()
        await mine.open()
        first = self._pools.setdefault(asyncio.get_running_loop(), mine)
        if first is not mine:
            await mine.close()
        return first

    async def _prepare(self) -> None:
        """Make what every table of vectors needs. A connection says why it cannot be had, a pool does not."""
        async with await AsyncConnection.connect(self._uri) as base:
            await base.execute(ALONE)
            if not await (await base.execute(HAS_EXTENSION)).fetchone():
                await self._add_extension(base)
            await base.execute(REGISTER)

    async def _add_extension(self, base: AsyncConnection[Any]) -> None:
        try:
            await base.execute("CREATE EXTENSION vector")
        except (errors.FeatureNotSupported, errors.UndefinedFile, errors.InsufficientPrivilege) as error:
            reason = " ".join(str(error).split())
            raise StoreError(Message("postgres.no_pgvector", place=self.place, reason=reason)) from error

    def _new_pool(self) -> Pool:
        check: Any = AsyncConnectionPool.check_connection  # typed for connections with rows of tuples alone
        return AsyncConnectionPool(
            self._uri,
            connection_class=AsyncConnection[DictRow],
            kwargs={"autocommit": True, "prepare_threshold": None, "row_factory": dict_row},
            min_size=1,
            max_size=POOL_SIZE,
            timeout=WAIT_S,
            check=check,
            configure=_ready,
            open=False,
        )


async def _ready(base: Base) -> None:
    await register_vector_async(base)
    await base.execute(SESSION.format(sql.Literal(SEARCH_EFFORT)))
