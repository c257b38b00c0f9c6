"""Story graphs in Ladybug, Cypher inside this process: one database file per library."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import ladybug

from wenmai.stores.files.blocking import completed
from wenmai.stores.files.folder import LibraryFolders, engine_errors
from wenmai.stores.files.leaving import library_errors, require_staying
from wenmai.stores.files.read_write_lock import ReadWriteLock
from wenmai.stores.graph.engine import Session, Work
from wenmai.stores.graph.ladybug_dialect import LATER_COLUMNS, TABLES, LadybugDialect
from wenmai.stores.graph.ladybug_file import open_database
from wenmai.stores.records.story_rows import Row

GRAPH_FILE = "graph.lbug"
T = TypeVar("T")


@dataclass(slots=True)
class _Graph:
    """An open graph: one connection for readers and one for the writer."""

    path: Path
    database: ladybug.Database
    reader: ladybug.Connection
    writer: ladybug.Connection
    version: int
    write_lock: threading.Lock = field(default_factory=threading.Lock)
    use: ReadWriteLock = field(default_factory=ReadWriteLock)

    def session(self, connection: ladybug.Connection) -> Session:
        """Return a session, whose calls block and never suspend."""

        async def run(query: str, values: Mapping[str, Any]) -> list[Row]:
            return _run(connection, query, values)

        async def version() -> int:
            return self.version

        return Session(LadybugDialect(), run, version)

    def close(self) -> None:
        """Close the connections and the file when no call uses them."""
        with self.use.alone():
            self.reader.close()
            self.writer.close()
            self.database.close()


class LadybugEngine:
    """The GraphEngine over Ladybug. Databases open at first use; all work runs in threads."""

    _versions: ClassVar[Iterator[int]] = count()  # never the same twice, also where a database is opened again

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir, GRAPH_FILE)
        self._graphs: dict[str, _Graph] = {}
        self._guard = threading.Lock()

    async def open(self, library: str) -> None:
        """Open a library's graph before it is read. Raises LibraryNotFound, StoreLocked, StoreCorrupt."""
        if library not in self._graphs:
            await asyncio.to_thread(self._existing, library)

    async def read(self, library: str, work: Work[T]) -> T:
        """Return the result of `work` in a thread. Raises LibraryNotFound, StoreError."""
        return await asyncio.to_thread(self._read, library, work)

    async def write(self, library: str, work: Work[T]) -> T:
        """Do all of `work` or nothing of it, in a thread. Raises StoreError."""
        return await asyncio.to_thread(self._write, library, work)

    async def release(self, library: str) -> None:
        """Close one library's database and release its folder."""
        await asyncio.to_thread(self._release, library)

    async def close(self) -> None:
        """Close every database and release the folders."""
        await asyncio.to_thread(self._close)

    def _read(self, library: str, work: Work[T]) -> T:
        graph = self._existing(library)
        with library_errors(graph.path, RuntimeError, OSError), graph.use.shared():
            return completed(work(graph.session(graph.reader)))

    def _write(self, library: str, work: Work[T]) -> T:
        self._folders.created(library)
        graph = self._existing(library)
        with graph.write_lock, library_errors(graph.path, RuntimeError, OSError), graph.use.shared():
            _run(graph.writer, "BEGIN TRANSACTION", {})
            try:
                result = completed(work(graph.session(graph.writer)))
                _run(graph.writer, "COMMIT", {})
            except BaseException:
                with suppress(RuntimeError):  # a statement that fails has ended the transaction by itself
                    _run(graph.writer, "ROLLBACK", {})
                raise
            graph.version = next(self._versions)
            return result

    def _existing(self, library: str) -> _Graph:
        """Return the open graph of a library. Raises LibraryNotFound."""
        return self._graphs.get(library) or self._opened(library)

    def _opened(self, library: str) -> _Graph:
        with self._guard:
            if library not in self._graphs:
                require_staying(self._folders.path(library))
                path = self._folders.existing(library) / GRAPH_FILE
                with engine_errors(path, RuntimeError, OSError):
                    self._graphs[library] = _open(path, next(self._versions))
            return self._graphs[library]

    def _release(self, library: str) -> None:
        with self._guard:
            graph = self._graphs.pop(library, None)
            try:
                if graph is not None:
                    with engine_errors(graph.path, RuntimeError, OSError):
                        graph.close()
            finally:
                self._folders.release(library)

    def _close(self) -> None:
        with self._guard:
            for graph in self._graphs.values():
                with engine_errors(graph.path, RuntimeError, OSError):
                    graph.close()
            self._graphs.clear()
            self._folders.close()


def _open(path: Path, version: int) -> _Graph:
    database = open_database(path)
    graph = _Graph(path, database, ladybug.Connection(database), ladybug.Connection(database), version)
    for statement in (*TABLES, *LATER_COLUMNS):
        _run(graph.writer, statement, {})
    return graph


def _run(connection: ladybug.Connection, query: str, values: Mapping[str, Any]) -> list[Row]:
    result = connection.execute(query, dict(values))
    assert isinstance(result, ladybug.QueryResult)
    with result:
        return [list(row) for row in result.get_all()]
