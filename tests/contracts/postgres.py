"""The PostgreSQL server of `make services`, with a database of the suites' own."""

import psycopg
from psycopg import sql

from tests.engines import settings_of

POSTGRES = "postgres"
DATABASE = "wenmai_test"


def emptied() -> str:
    """Return the address of a database that holds nothing."""
    uri = settings_of(POSTGRES)["POSTGRES_URI"]
    with psycopg.connect(uri, autocommit=True) as base:
        name = sql.Identifier(DATABASE)
        base.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        base.execute(sql.SQL("CREATE DATABASE {}").format(name))
    return uri.rpartition("/")[0] + "/" + DATABASE
