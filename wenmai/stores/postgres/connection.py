"""Connections to PostgreSQL, and what its errors say."""

import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import psycopg
from psycopg import AsyncConnection, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed

from tools.errors import InputError, StoreError, StoreFull, StoreUnavailable, short_reason
from tools.messages import Message

CONNECT_S = 5
WAIT_S = 10.0  # for a connection of the pool; a server that is restarted is back within that
POOL_SIZE = 10
RECONNECT_S = 2.0
"""A pool doubles its wait before each try to connect: after a long outage it would miss a server that is back."""
REFUSED_WORDS = ("authentication failed", "no password supplied", "does not exist", "no pg_hba.conf entry")


# A pool logs every try to connect, in several lines; the caller gets one error.
logging.getLogger("psycopg.pool").setLevel(logging.ERROR)


def address_of(uri: str) -> str:
    """Return the server of an address as errors show it: no user, no password."""
    known = conninfo_to_dict(uri)
    return f"{known.get('host') or 'localhost'}:{known.get('port') or 5432}/{known.get('dbname') or ''}"


def bounded(uri: str) -> str:
    """Return an address whose server must answer within CONNECT_S unless it says otherwise."""
    own: dict[str, int | str] = {"connect_timeout": CONNECT_S, "application_name": "wenmai"}
    return make_conninfo(uri, **{name: value for name, value in own.items() if name not in conninfo_to_dict(uri)})


Base = AsyncConnection[DictRow]
Pool = AsyncConnectionPool[Base]


def new_pool(
    uri: str, *, prepare_threshold: int | None, configure: Callable[[Base], Awaitable[None]] | None = None
) -> Pool:
    """Return a pool that is not open yet.

    Its connections are checked before they are given, so that it outlives a restart of the server.
    """
    check: Any = AsyncConnectionPool.check_connection  # typed for connections with rows of tuples alone
    return AsyncConnectionPool(
        uri,
        connection_class=AsyncConnection[DictRow],
        kwargs={"autocommit": True, "prepare_threshold": prepare_threshold, "row_factory": dict_row},
        min_size=1,
        max_size=POOL_SIZE,
        timeout=WAIT_S,
        reconnect_timeout=RECONNECT_S,
        check=check,
        configure=configure,
        open=False,
    )


async def reach(uri: str) -> None:
    """Connect once. Raises StoreUnavailable, StoreError."""
    with postgres_errors(address_of(uri)):
        await (await AsyncConnection.connect(bounded(uri))).close()


@asynccontextmanager
async def postgres_pool(uri: str) -> AsyncIterator[Pool]:
    """Open a pool. A pool raises only that it waited in vain; a connection says why.

    Raises StoreUnavailable, StoreError.
    """
    await reach(uri)
    pool = new_pool(bounded(uri), prepare_threshold=0)
    with postgres_errors(address_of(uri)):
        await pool.open()
    try:
        yield pool
    finally:
        await pool.close()


@contextmanager
def postgres_errors(place: str) -> Iterator[None]:
    """Raise the driver's errors as StoreError; `place` is the server as errors name it."""
    try:
        yield
    except psycopg.Error as error:
        raise _store_error(error, place) from error
    except UnicodeEncodeError as error:
        raise InputError(Message("postgres.text_not_storable")) from error


def _store_error(error: psycopg.Error, place: str) -> StoreError | InputError:
    reason = short_reason(error)
    if isinstance(error, errors.DiskFull) or "no space left" in reason.lower():
        return StoreFull(Message("postgres.disk_full", place=place))
    if isinstance(error, psycopg.DataError):
        return InputError(Message("postgres.text_not_storable"))
    if isinstance(error, errors.InsufficientPrivilege) or any(word in reason for word in REFUSED_WORDS):
        return StoreError(Message("postgres.access_refused", place=place, reason=reason))
    if isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | PoolClosed):
        return StoreUnavailable(Message("postgres.silent", place=place, reason=reason))
    return StoreError(Message("postgres.failed", place=place, reason=reason))
