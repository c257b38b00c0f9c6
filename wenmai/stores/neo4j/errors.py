"""Errors of Neo4j's driver as StoreError."""

from collections.abc import Iterator
from contextlib import contextmanager

from tools.errors import InputError, StoreError, StoreFull, StoreUnavailable
from tools.wording import Words
from wenmai.stores.files.folder import DISK_FULL_WORDS, NOT_TEXT
from wenmai.stores.files.refusals import LONE

NOT_TAKEN = Words("Neo4j（{place}）没有接受请求（{reason}）", "Neo4j ({place}) did not take the request ({reason})")
SILENT = Words(
    "Neo4j（{place}）没有回答（{reason}）：请检查 NEO4J_URI 和服务器，稍后重试",
    "Neo4j ({place}) does not answer ({reason}): check NEO4J_URI and the server, try again later",
)
NO_SUCH_DATABASE = Words(
    "Neo4j（{place}）没有这个数据库：请检查 NEO4J_DATABASE",
    "Neo4j ({place}) has no such database: check NEO4J_DATABASE",
)
FULL = Words(
    "Neo4j（{place}）的磁盘空间已满：请在服务器上腾出空间后重试",
    "the disk of Neo4j ({place}) is full: make room there, then try again",
)
NO_LOGIN = Words(
    "Neo4j（{place}）拒绝了登录：请检查 NEO4J_USER 和 NEO4J_PASSWORD",
    "Neo4j ({place}) refuses the login: check NEO4J_USER and NEO4J_PASSWORD",
)
SLOW = Words(
    "Neo4j（{place}）没有及时回答：请检查服务器的负载，稍后重试",
    "Neo4j ({place}) did not answer in time: look at the server's load, try again later",
)
SHOWN = 200
NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"


@contextmanager
def driver_errors(place: str) -> Iterator[None]:
    """Raise the driver's exceptions as StoreError; `place` is the server, as a message names it."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except TimeoutError as error:
        raise StoreUnavailable(SLOW.of(place=place)) from error
    except (DriverError, Neo4jError, OSError) as error:
        raise store_error(error, place) from error
    except UnicodeEncodeError as error:
        if NOT_TEXT not in str(error):
            raise
        raise InputError(LONE) from error


def store_error(error: Exception, place: str) -> StoreError:
    """Return the StoreError for the driver's error; only what may pass by itself is StoreUnavailable."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError, TransientError

    reason = " ".join(str(getattr(error, "message", None) or error).split())[:SHOWN]
    if isinstance(error, AuthError):
        return StoreError(NO_LOGIN.of(place=place))
    if any(word in reason.lower() for word in DISK_FULL_WORDS):
        return StoreFull(FULL.of(place=place))
    if isinstance(error, Neo4jError) and error.code == NO_DATABASE:
        return StoreError(NO_SUCH_DATABASE.of(place=place))
    if isinstance(error, TransientError | DriverError | OSError):
        return StoreUnavailable(SILENT.of(place=place, reason=reason))
    return StoreError(NOT_TAKEN.of(place=place, reason=reason))
