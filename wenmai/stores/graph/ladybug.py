"""Story graphs in Ladybug, Cypher inside this process: one database file per library."""

import asyncio
import ctypes
import logging
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import ladybug

from tools.records import Horizon
from wenmai.stores.files.deletions import library_errors, require_staying
from wenmai.stores.files.folder import LibraryFolders, engine_errors
from wenmai.stores.files.threads import ReadWriteLock, in_thread
from wenmai.stores.graph.engine import GraphSession, Label, Work
from wenmai.stores.graph.rows import Row, entity_visible, record_visible

BUFFER_BYTES = 384 * 2**20  # an upper bound, filled as needed: the whole program is to stay under 700 MB
ADDRESS_BYTES = 2**36  # the engine reserves addresses for its largest file: 64 GiB instead of 8 TiB
# The engine writes a transaction in parts that end at multiples of this; it syncs the last one before it reports.
LOG_PART_BYTES = 4096

PERTURB, FREED = -6, 0xFF  # glibc's mallopt, M_PERTURB: what is allocated is filled with the complement, with zeros

logger = logging.getLogger(__name__)


class ClearedMemory:
    """Has the process get cleared memory while any block runs, where its C library can do that.

    The engine writes whole pages of memory that it has filled in part: a file would keep what stood there before, such
    as what a user had said.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blocks = 0

    def __enter__(self) -> None:
        self._change(1)

    def __exit__(self, *error: object) -> None:
        self._change(-1)

    def _change(self, step: int) -> None:
        with self._lock:
            before, self._blocks = self._blocks, self._blocks + step
            if 0 in (before, self._blocks) and sys.platform == "linux":
                library = ctypes.CDLL(None)
                if hasattr(library, "mallopt"):
                    library.mallopt(PERTURB, FREED if self._blocks else 0)


CLEARED = ClearedMemory()


def open_database(path: Path) -> ladybug.Database:
    """Open a graph's file; a transaction that a kill cut off in its log is dropped, as it was never reported.

    The engine refuses any log that it cannot read to its end. One that ends elsewhere than a write can be cut off was
    damaged otherwise: then what follows the damage may have been reported, and the error stands.

    Raises:
        RuntimeError: The file cannot be read.
    """
    try:
        return _database(path, strict=True)
    except RuntimeError as error:
        written = path.with_name(path.name + ".wal")
        size = written.stat().st_size if written.exists() else 0
        if not size or size % LOG_PART_BYTES:
            raise
        logger.warning("%s: an unfinished write at the end of its log is dropped: %s", path, error)
        return _database(path, strict=False)


def _database(path: Path, *, strict: bool) -> ladybug.Database:
    return ladybug.Database(
        path, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES, throw_on_wal_replay_failure=strict
    )


TABLES = (
    "CREATE NODE TABLE IF NOT EXISTS Entity(name STRING PRIMARY KEY, kind STRING, description STRING,"
    " part INT64, chapter INT64, mentions INT64, until_part INT64, until_chapter INT64)",
    "CREATE NODE TABLE IF NOT EXISTS Alias(text STRING PRIMARY KEY)",
    "CREATE NODE TABLE IF NOT EXISTS MajorEvent(key STRING PRIMARY KEY, name STRING, event_type STRING,"
    " primary_character STRING, part INT64, chapter INT64, task_id STRING, event_order INT64, summary STRING,"
    " evidence STRING, outcome STRING, offset INT64, owner STRING, batch STRING, since_part INT64, since_chapter INT64,"
    " until_part INT64, until_chapter INT64)",
    "CREATE REL TABLE IF NOT EXISTS HAS_ALIAS(FROM Entity TO Alias, place INT64, part INT64, chapter INT64)",
    "CREATE REL TABLE IF NOT EXISTS RELATION(FROM Entity TO Entity, type STRING, part INT64, chapter INT64,"
    " task_id STRING, event_order INT64, evidence STRING, description STRING, offset INT64, owner STRING,"
    " batch STRING, since_part INT64, since_chapter INT64, until_part INT64, until_chapter INT64)",
    "CREATE REL TABLE IF NOT EXISTS EXPERIENCES(FROM Entity TO MajorEvent, role STRING, outcome STRING, place INT64)",
)


class LadybugDialect:
    """The Dialect of Ladybug: one file a library, and one table for relations of every type."""

    event_id = "key"

    def event_id_of(self, key: str) -> str:
        return key

    def node(self, variable: str, label: Label, keys: str = "") -> str:
        return f"({variable}:{label} {{{keys}}})" if keys else f"({variable}:{label})"

    def edge(self, type: str | None = None) -> str:
        return "[r:RELATION]"

    def stored_type(self, type: str) -> str:
        return "RELATION"

    def shortest_paths(self, max_hops: int, horizon: Horizon | None) -> str:
        """Return the query for all shortest paths; the engine applies conditions on nodes to the ends, too."""
        passable = "(NOT n.kind IN $avoid OR n.name = $here OR n.name = $there)"
        return (
            f"MATCH p = (a:Entity {{name: $here}})-[r:RELATION* ALL SHORTEST 1..{int(max_hops)}"
            f" (r, n | WHERE {record_visible('r', horizon)} AND {entity_visible('n', horizon)} AND {passable})]"
            f"-(b:Entity {{name: $there}}) WHERE {entity_visible('a', horizon)} AND {entity_visible('b', horizon)}"
            " RETURN DISTINCT properties(nodes(p), 'name')"
        )


GRAPH_FILE = "graph.lbug"
T = TypeVar("T")


@dataclass(slots=True)
class _OpenGraph:
    """An open graph: one connection for readers and one for the writer."""

    path: Path
    database: ladybug.Database
    reader: ladybug.Connection
    writer: ladybug.Connection
    version: int
    write_lock: threading.Lock = field(default_factory=threading.Lock)
    use: ReadWriteLock = field(default_factory=ReadWriteLock)

    def session(self, connection: ladybug.Connection) -> GraphSession:
        """Return a session, whose calls block and never suspend."""

        async def run(query: str, values: Mapping[str, Any]) -> list[Row]:
            return _run(connection, query, values)

        async def version() -> int:
            return self.version

        return GraphSession(LadybugEngine.dialect, run, version)

    def close(self) -> None:
        """Close the connections and the file when no call uses them."""
        with self.use.alone(), CLEARED:
            self.reader.close()
            self.writer.close()
            self.database.close()


class LadybugEngine:
    """The GraphEngine over Ladybug. Databases open at first use; all work runs in threads."""

    dialect = LadybugDialect()
    _versions: ClassVar[Iterator[int]] = count()  # never the same twice, also where a database is opened again

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir, GRAPH_FILE)
        self._graphs: dict[str, _OpenGraph] = {}
        self._guard = threading.Lock()

    async def open(self, library: str) -> None:
        """Open a library's graph before it is read. Raises LibraryNotFound, StoreLocked, StoreCorrupt."""
        if library not in self._graphs:
            await asyncio.to_thread(self._existing, library)

    @in_thread
    async def read(self, library: str, work: Work[T]) -> T:
        graph = self._existing(library)
        with library_errors(graph.path, RuntimeError, OSError), graph.use.shared():
            return await work(graph.session(graph.reader))

    @in_thread
    async def write(self, library: str, work: Work[T]) -> T:
        self._folders.created(library)
        graph = self._existing(library)
        with graph.write_lock, library_errors(graph.path, RuntimeError, OSError), graph.use.shared(), CLEARED:
            _run(graph.writer, "BEGIN TRANSACTION", {})
            try:
                result = await work(graph.session(graph.writer))
                _run(graph.writer, "COMMIT", {})
            except BaseException:
                with suppress(RuntimeError):  # a statement that fails has ended the transaction by itself
                    _run(graph.writer, "ROLLBACK", {})
                raise
            graph.version = next(self._versions)
            return result

    @in_thread
    async def release(self, library: str) -> None:
        with self._guard:
            graph = self._graphs.pop(library, None)
            try:
                if graph is not None:
                    with engine_errors(graph.path, RuntimeError, OSError):
                        graph.close()
            finally:
                self._folders.release(library)

    @in_thread
    async def close(self) -> None:
        with self._guard:
            for graph in self._graphs.values():
                with engine_errors(graph.path, RuntimeError, OSError):
                    graph.close()
            self._graphs.clear()
            self._folders.close()

    def _existing(self, library: str) -> _OpenGraph:
        """Return the open graph of a library. Raises LibraryNotFound."""
        if graph := self._graphs.get(library):
            return graph
        with self._guard:
            if library not in self._graphs:
                require_staying(self._folders.path(library))
                path = self._folders.existing(library) / GRAPH_FILE
                with engine_errors(path, RuntimeError, OSError), CLEARED:
                    database = open_database(path)
                    reader, writer = ladybug.Connection(database), ladybug.Connection(database)
                    for statement in TABLES:
                        _run(writer, statement, {})
                self._graphs[library] = _OpenGraph(path, database, reader, writer, next(self._versions))
            return self._graphs[library]


def _run(connection: ladybug.Connection, query: str, values: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(query, dict(values))
    assert isinstance(result, ladybug.QueryResult)
    with result:
        return [list(row) for row in result.get_all()]
