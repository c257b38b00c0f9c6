"""The PostgreSQL server of `make services`, with a database of the suites' own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from psycopg import sql

from tests.engines import settings_of
from wenmai.stores.postgres.table import PostgresServer

POSTGRES = "postgres"
DATABASE = "wenmai_test"


def emptied(database: str = DATABASE) -> str:
    """Return the address of a database that holds nothing."""
    uri = settings_of(POSTGRES)["POSTGRES_URI"]
    with psycopg.connect(uri, autocommit=True) as base:
        name = sql.Identifier(database)
        base.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        base.execute(sql.SQL("CREATE DATABASE {}").format(name))
    return uri.rpartition("/")[0] + "/" + database


@asynccontextmanager
async def postgres() -> AsyncIterator[PostgresServer]:
    """Give a server with an empty database."""
    server = PostgresServer(emptied())
    yield server
    await server.close()
