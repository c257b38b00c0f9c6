"""The connection to Neo4j: managed transactions of the async driver, set up by langchain-neo4j's graph."""

import asyncio
import logging
import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar, cast
from weakref import WeakKeyDictionary

from tools.errors import InputError, StoreError, StoreFull, StoreUnavailable
from tools.messages import Message
from wenmai.settings.settings import Settings
from wenmai.stores.files.folder import DISK_FULL_WORDS, NOT_TEXT

if TYPE_CHECKING:
    from langchain_neo4j import Neo4jGraph
    from neo4j import AsyncDriver, AsyncManagedTransaction, Driver, ManagedTransaction

SCHEMA_VERSION = 1
KNOWLEDGE_TEXT = "wenmai_knowledge_text"
CONSTRAINTS = (
    "CREATE CONSTRAINT wenmai_library IF NOT EXISTS FOR (n:Library) REQUIRE n.name IS UNIQUE",
    "CREATE CONSTRAINT wenmai_entity IF NOT EXISTS FOR (n:Entity) REQUIRE (n.library, n.name) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_alias IF NOT EXISTS FOR (n:Alias) REQUIRE (n.library, n.text) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_network IF NOT EXISTS FOR (n:KnowledgeNetwork) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT wenmai_instance IF NOT EXISTS FOR (n:KnowledgeInstance) REQUIRE (n.home, n.place) IS UNIQUE",
    "CREATE CONSTRAINT wenmai_event IF NOT EXISTS FOR (n:MajorEvent) REQUIRE (n.library, n.digest) IS UNIQUE",
)
INDEXES = (
    "CREATE INDEX wenmai_event_batch IF NOT EXISTS FOR (n:MajorEvent) ON (n.library, n.batch)",
    "CREATE INDEX wenmai_event_owner IF NOT EXISTS FOR (n:MajorEvent) ON (n.library, n.owner)",
    "CREATE INDEX wenmai_instance_key IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.scope, n.key)",
    "CREATE INDEX wenmai_instance_scope IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.scope)",
    "CREATE INDEX wenmai_value IF NOT EXISTS FOR (n:KnowledgeValue) ON (n.scope, n.value)",
    "CREATE INDEX wenmai_text_scope IF NOT EXISTS FOR (n:KnowledgeText) ON (n.scope)",
    "CREATE INDEX wenmai_instance_network IF NOT EXISTS FOR (n:KnowledgeInstance) ON (n.network)",
    "CREATE INDEX wenmai_value_network IF NOT EXISTS FOR (n:KnowledgeValue) ON (n.network)",
    "CREATE INDEX wenmai_text_network IF NOT EXISTS FOR (n:KnowledgeText) ON (n.network)",
    f"CREATE FULLTEXT INDEX {KNOWLEDGE_TEXT} IF NOT EXISTS FOR (n:KnowledgeText) ON EACH [n.scope, n.folded, n.words]"
    " OPTIONS {indexConfig: {`fulltext.analyzer`: 'cjk'}}",
)
MARK = "MERGE (n:WenmaiSchema {name: 'stores'}) SET n.version = $version"
MARKED = "MATCH (n:WenmaiSchema {name: 'stores'}) RETURN n.version"
AWAIT_INDEXES = "CALL db.awaitIndexes(120)"


SHOWN = 200
NO_DATABASE = "Neo.ClientError.Database.DatabaseNotFound"


@contextmanager
def driver_errors(place: str) -> Iterator[None]:
    """Raise the driver's exceptions as StoreError; `place` is the server, as a message names it."""
    from neo4j.exceptions import DriverError, Neo4jError

    try:
        yield
    except TimeoutError as error:
        raise StoreUnavailable(Message("neo4j.timed_out", place=place)) from error
    except (DriverError, Neo4jError, OSError) as error:
        raise store_error(error, place) from error
    except UnicodeEncodeError as error:
        if NOT_TEXT not in str(error):
            raise
        raise InputError(Message("store.lone_surrogates")) from error


def store_error(error: Exception, place: str) -> StoreError:
    """Return the StoreError for the driver's error; only what may pass by itself is StoreUnavailable."""
    from neo4j.exceptions import AuthError, DriverError, Neo4jError, TransientError

    reason = " ".join(str(getattr(error, "message", None) or error).split())[:SHOWN]
    if isinstance(error, AuthError):
        return StoreError(Message("neo4j.login_refused", place=place))
    if any(word in reason.lower() for word in DISK_FULL_WORDS):
        return StoreFull(Message("neo4j.disk_full", place=place))
    if isinstance(error, Neo4jError) and error.code == NO_DATABASE:
        return StoreError(Message("neo4j.unknown_database", place=place))
    if isinstance(error, TransientError | DriverError | OSError):
        return StoreUnavailable(Message("neo4j.not_reached", place=place, reason=reason))
    return StoreError(Message("neo4j.request_refused", place=place, reason=reason))


T = TypeVar("T")
Row = list[Any]
Ask = Callable[[str, Mapping[str, Any]], Awaitable[list[Row]]]
Work = Callable[[Ask], Awaitable[T]]
Loop = asyncio.AbstractEventLoop

# Managed transactions are repeated where a connection broke, a lock was lost or the server restarts.
# The node repeats a failed read once more, so reads give up soon; writes outlast a restart.
READ_RETRY_S = 2.0
WRITE_RETRY_S = 45.0
READ_S = 20.0  # of one transaction, retries with it; less than a tool may take
WRITE_S = 300.0  # of one batch on the server
CONNECT_S = 5.0
IDLE_S = 30.0  # a connection that was idle for longer is checked before it is used
POOL = 50
QUIET: Mapping[str, Any] = {"notifications_min_severity": "OFF"}
LOGGERS = ("neo4j", "neo4j.pool", "neo4j.io")


@dataclass(frozen=True, slots=True)
class Neo4jEndpoint:
    """The address of the server and the login."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str | None = None


@dataclass
class Neo4jConnection:
    """Reads and writes in managed transactions. Opened at first use, once for each event loop."""

    endpoint: Neo4jEndpoint
    write_retry_s: float = WRITE_RETRY_S
    _drivers: "WeakKeyDictionary[Loop, AsyncDriver]" = field(default_factory=WeakKeyDictionary, repr=False)
    _guard: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _prepared: bool = False

    async def read(self, work: Work[T]) -> T:
        await self._prepare()
        return await self._read(work)

    async def write(self, work: Work[T]) -> T:
        await self._prepare()
        with driver_errors(self.endpoint.uri):
            return await self._run(work, writes=True)

    async def close(self) -> None:
        """Close the connections of this loop; those of loops that have ended are gone."""
        driver = self._drivers.pop(asyncio.get_running_loop(), None)
        if driver is not None:
            await driver.close()

    async def _run(self, work: Work[T], *, writes: bool = False) -> T:
        """Return the result of `work` in a managed transaction."""
        from neo4j import unit_of_work

        loop = asyncio.get_running_loop()
        if loop not in self._drivers:
            self._drivers[loop] = opened(self.endpoint)
        async with self._drivers[loop].session(**self._session_options(self._drivers[loop], writes)) as session:
            execute: Any = session.execute_write if writes else session.execute_read
            return cast(T, await execute(unit_of_work(timeout=WRITE_S if writes else READ_S)(in_transaction), work))

    def _session_options(self, driver: "AsyncDriver | Driver", writes: bool) -> dict[str, Any]:
        return {
            "database": self.endpoint.database,
            "max_transaction_retry_time": self.write_retry_s if writes else READ_RETRY_S,
            "bookmark_manager": driver.execute_query_bookmark_manager,  # in a cluster one's own writes are seen
        }

    async def _read(self, work: Work[T]) -> T:
        with driver_errors(self.endpoint.uri):
            async with asyncio.timeout(READ_S):
                return await self._run(work)

    async def _prepare(self) -> None:
        """Make constraints and indexes unless they are there."""
        if self._prepared:
            return
        if await self._read(lambda ask: ask(MARKED, {})) != [[SCHEMA_VERSION]]:
            with driver_errors(self.endpoint.uri):
                await asyncio.to_thread(self._prepare_once)
        self._prepared = True

    def _prepare_once(self) -> None:
        with self._guard:  # of several first callers, one makes them
            if not self._prepared:
                with self._graph() as graph:
                    prepare(graph)
                self._prepared = True

    def _graph(self) -> "AbstractContextManager[Neo4jGraph]":
        """Return langchain-neo4j's graph of the server. Raises StoreUnavailable."""
        return graph_of(self.endpoint)


@dataclass
class GivenNeo4j(Neo4jConnection):
    """The same through a `Neo4jGraph` that a user has opened and will close.

    Its driver blocks, so each transaction has a thread, in which `work` runs to its end.
    """

    graph: "Neo4jGraph" = field(kw_only=True)

    async def close(self) -> None:
        """Leave it open."""

    async def _run(self, work: Work[T], *, writes: bool = False) -> T:
        from neo4j import unit_of_work

        driver = self.graph._driver  # its only way to a transaction of several queries

        def run() -> T:
            with driver.session(**self._session_options(driver, writes), **QUIET) as session:
                execute: Any = session.execute_write if writes else session.execute_read
                return cast(T, execute(unit_of_work(timeout=WRITE_S if writes else READ_S)(in_thread), work))

        return await asyncio.to_thread(run)

    def _graph(self) -> "AbstractContextManager[Neo4jGraph]":
        return nullcontext(self.graph)


def given_connection(graph: "Neo4jGraph") -> GivenNeo4j:
    """Return the connection through a graph; it asks the server for its address.

    Raises InputError for a graph that is closed, StoreError where its server does not answer.
    """
    if getattr(graph, "_driver", None) is None:
        raise InputError(Message("neo4j.graph_closed"))
    with driver_errors("Neo4jGraph"):
        host, port = graph._driver.get_server_info().address[:2]
    return GivenNeo4j(Neo4jEndpoint(f"bolt://{host}:{port}", "", "", graph._database), graph=graph)


def connection_of(settings: Settings) -> Neo4jConnection | None:
    if settings.neo4j_uri is None:
        return None
    password = settings.neo4j_password.get_secret_value() if settings.neo4j_password else ""
    return Neo4jConnection(Neo4jEndpoint(settings.neo4j_uri, settings.neo4j_user, password, settings.neo4j_database))


def in_thread(transaction: "ManagedTransaction", work: Work[T]) -> T:
    """Run `work` within a transaction of a driver that blocks, on a loop of its own."""

    async def ask(text: str, values: Mapping[str, Any]) -> list[Row]:
        # Built from constants alone; texts of users and models are values.
        return [list(record.values()) for record in transaction.run(text, dict(values))]  # pyright: ignore[reportArgumentType]  # no literal, see above

    async def whole() -> T:
        return await work(ask)

    return asyncio.run(whole())


async def in_transaction(transaction: "AsyncManagedTransaction", work: Work[T]) -> T:
    """Run `work` within a transaction; it gets what runs a query and returns its rows."""

    async def ask(text: str, values: Mapping[str, Any]) -> list[Row]:
        # Built from constants alone; texts of users and models are values.
        result = await transaction.run(text, dict(values))  # pyright: ignore[reportArgumentType]  # no literal, see above
        return [list(record.values()) async for record in result]

    return await work(ask)


def opened(endpoint: Neo4jEndpoint) -> "AsyncDriver":
    """Return a driver; it connects at its first use."""
    from neo4j import AsyncGraphDatabase

    for name in LOGGERS:  # of connections: a StoreError says the same, or a retry succeeds
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.CRITICAL)
    return AsyncGraphDatabase.driver(
        endpoint.uri, auth=(endpoint.user, endpoint.password), max_connection_pool_size=POOL, **driver_options()
    )


def prepare(graph: "Neo4jGraph") -> None:
    """Make constraints and indexes; what is there already stays."""
    for statement in (*CONSTRAINTS, *INDEXES):
        graph.query(statement)
    graph.query(AWAIT_INDEXES)
    graph.query(MARK, {"version": SCHEMA_VERSION})


def graph_of(endpoint: Neo4jEndpoint) -> "Neo4jGraph":
    """Return langchain-neo4j's graph, connected. Raises StoreUnavailable."""
    from langchain_neo4j import Neo4jGraph

    try:
        return Neo4jGraph(
            url=endpoint.uri,
            username=endpoint.user,
            password=endpoint.password,
            database=endpoint.database,
            refresh_schema=False,  # it would ask for APOC
            driver_config=driver_options(),
        )
    except ValueError as error:  # raised where the server went away meanwhile
        raise StoreUnavailable(Message("neo4j.silent", uri=endpoint.uri)) from error


def driver_options() -> dict[str, Any]:
    return {
        "connection_timeout": CONNECT_S,
        "connection_acquisition_timeout": READ_S,
        "liveness_check_timeout": IDLE_S,
        "telemetry_disabled": True,
        **QUIET,
    }
