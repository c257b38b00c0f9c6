"""A table of points: its columns, its indexes, and the embedder that is recorded with it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, nullcontext
from hashlib import sha256
from typing import Any
from weakref import WeakKeyDictionary

from pgvector.psycopg import register_vector_async
from psycopg import AsyncConnection, errors, sql
from psycopg.rows import DictRow

from tools.errors import StoreError
from tools.messages import Message
from wenmai.stores.postgres.connection import Base, Pool, address_of, bounded, new_pool, postgres_errors
from wenmai.stores.vectors.points import GRAPH_EFFORT, GRAPH_LINKS, SEARCH_EFFORT, CollectionPlan, IndexKind

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
        mine = new_pool(self._uri, prepare_threshold=None, configure=_ready)
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
                try:
                    await base.execute("CREATE EXTENSION vector")
                except (errors.FeatureNotSupported, errors.UndefinedFile, errors.InsufficientPrivilege) as error:
                    reason = " ".join(str(error).split())
                    raise StoreError(Message("postgres.no_pgvector", place=self.place, reason=reason)) from error
            await base.execute(REGISTER)


async def _ready(base: Base) -> None:
    await register_vector_async(base)
    await base.execute(SESSION.format(sql.Literal(SEARCH_EFFORT)))


LONGEST_NAME = 45  # PostgreSQL cuts names at 63 bytes; those of the indexes are longer than the table's
MOST_INDEXED = 2_000  # dimensions that pgvector's graph can hold; longer vectors are compared one by one
WORD_IDS = 1_000_000_000  # as many as a sparse vector may have
COLUMNS: dict[IndexKind, sql.SQL] = {
    "tenant": sql.SQL("{} text GENERATED ALWAYS AS (payload->>{}) STORED"),
    "keyword": sql.SQL("{} jsonb GENERATED ALWAYS AS (payload->{}) STORED"),
    "integer": sql.SQL("{} integer GENERATED ALWAYS AS ((payload->>{})::integer) STORED"),
}
# `words` are those of `sparse`; they stay in the row itself, where counting them is quick.
TABLE = sql.SQL("""
CREATE TABLE IF NOT EXISTS {table} (
    id uuid PRIMARY KEY, payload jsonb NOT NULL, dense vector({dimension}) NOT NULL, sparse sparsevec({word_ids}),
    words integer[] NOT NULL, {columns}
);
ALTER TABLE {table} ALTER COLUMN words SET STORAGE MAIN, ALTER COLUMN sparse SET STORAGE MAIN;
CREATE INDEX IF NOT EXISTS {tenant_index} ON {table} ({tenant});
CREATE INDEX IF NOT EXISTS {words_index} ON {table} USING gin (words, {keywords});
""")
GRAPH = sql.SQL("""
CREATE INDEX IF NOT EXISTS {graph_index} ON {table} USING hnsw (dense vector_cosine_ops)
    WITH (m = {links}, ef_construction = {effort})
""")
RECORD = "INSERT INTO wenmai_collection VALUES (%s, %s, %s) ON CONFLICT DO NOTHING"
RECORDED = "SELECT embedder, dimension FROM wenmai_collection WHERE name = %s AND to_regclass(%s) IS NOT NULL"


class PostgresTable:
    """A table, made at its first write; several processes may do so at once. One that is not there is empty."""

    def __init__(self, server: PostgresServer, name: str, embedder: str, plan: CollectionPlan) -> None:
        self.server = server
        self.name = name if len(name) <= LONGEST_NAME else f"{name[:32]}_{sha256(name.encode()).hexdigest()[:12]}"
        self.identifier = sql.Identifier(self.name)
        self.plan = plan
        self._embedder = embedder
        self._built: tuple[str, int] | None = None

    async def require_embedder(self, dimension: int) -> None:
        if self._built is None:
            async with self.server.connection() as base:
                self._built = await self._recorded(base)
        self.plan.require_same(self._built, self._embedder, dimension)

    async def rows(self, statement: sql.Composed, values: dict[str, Any], base: Base | None = None) -> list[DictRow]:
        try:
            async with nullcontext(base) if base is not None else self.server.connection() as asked:
                return await (await asked.execute(statement, values)).fetchall()
        except (StoreError, errors.UndefinedTable) as error:
            if errors.UndefinedTable in (type(error), type(error.__cause__)):
                return []
            raise

    @asynccontextmanager
    async def writing(self, dimension: int) -> AsyncIterator[Base]:
        """Give a connection in a transaction, the table made if need be. Raises EmbedderMismatch, StoreError."""
        async with self.server.connection() as base:
            if await self._recorded(base) is None:
                async with base.transaction():
                    await self._make(base, dimension)
            self._built = await self._recorded(base)
            self.plan.require_same(self._built, self._embedder, dimension)
            async with base.transaction():
                yield base

    async def optimize(self) -> None:
        """Leave it to the server, which cleans up by itself."""

    async def rewrite(self) -> None:
        """Leave it to the server: it writes over deleted rows at a time of its own."""

    async def clean(self) -> bool:
        """Leave that to the server, too."""
        return True

    async def close(self) -> None:
        await self.server.close()

    async def _recorded(self, base: Base) -> tuple[str, int] | None:
        """Return the embedder and dimension that the table was made with, None as long as there is none."""
        row = await (await base.execute(RECORDED, (self.name, f'"{self.name}"'))).fetchone()
        return (row["embedder"], row["dimension"]) if row else None

    async def _make(self, base: Base, dimension: int) -> None:
        fields = {name: COLUMNS[kind] for name, kind in self.plan.fields.items() if kind in COLUMNS}
        columns = [form.format(sql.Identifier(name), sql.Literal(name)) for name, form in fields.items()]
        parts = {
            "table": self.identifier,
            "dimension": sql.Literal(dimension),
            "word_ids": sql.Literal(WORD_IDS),
            "columns": sql.SQL(", ").join(columns),
            "tenant": self._of_kind("tenant"),
            "keywords": self._of_kind("keyword"),
            "links": sql.Literal(GRAPH_LINKS),
            "effort": sql.Literal(GRAPH_EFFORT),
        }
        parts |= {f"{name}_index": sql.Identifier(f"{self.name}_{name}") for name in ("tenant", "words", "graph")}
        await base.execute(ALONE)
        await base.execute(
            "DELETE FROM wenmai_collection WHERE name = %s AND to_regclass(%s) IS NULL", (self.name, f'"{self.name}"')
        )
        await base.execute(TABLE.format(**parts))
        if dimension <= MOST_INDEXED:
            await base.execute(GRAPH.format(**parts))
        await base.execute(RECORD, (self.name, self._embedder, dimension))

    def _of_kind(self, kind: IndexKind) -> sql.Composed:
        names = [name for name, one in self.plan.fields.items() if one == kind]
        return sql.SQL(", ").join(map(sql.Identifier, names))
