"""The KnowledgeStore over files below DATA_DIR: a folder for each network, whose content is replaced as a whole.

`.knowledge/<id>/<revision>/` holds the files of one content, and `current` names the revision that is read. A new one
is built beside it and becomes current by one rename, so that a killed import leaves nothing half visible.
"""

import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from filelock import FileLock, Timeout

from tools.errors import KnowledgeFailed, KnowledgeRefused, StoreCorrupt, StoreError, StoreLocked
from tools.files import replace_file
from tools.messages import Message
from tools.networks.records import (
    Account,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from wenmai.knowledge.content import (
    ID,
    CheckedContent,
    ImportedNetwork,
    NetworkSpec,
    Progress,
    StoredNetwork,
    check_id,
    sizes,
)
from wenmai.stores.files.folder import engine_errors, require_space
from wenmai.stores.files.threads import ReadWriteLock, in_thread
from wenmai.stores.networks.answers import Types, in_time, neighbours, page, require_limit, schema, whole
from wenmai.stores.networks.network_file import (
    INSTANCES,
    INSTANCES_BY_KIND,
    NETWORK_DATABASE,
    NetworkFile,
    NetworkFileWriter,
    synced,
)

NETWORKS = ".knowledge"  # no name that a library may have
CURRENT = "current"
NETWORK_FILE = "network.json"
BUILDING = ".building"
LOCK_FILE = ".lock"
LAYOUT = 3  # of the files of a revision; those of layout 2 are rewritten at their first opening


@dataclass(frozen=True, slots=True)
class NetworkFolder:
    """The description of a stored network, which is read without opening its files."""

    spec: NetworkSpec
    revision: str
    counts: dict[str, int]
    folder: Path


def in_layout(revision: str) -> str:
    return f"{revision}-{LAYOUT}"


class KnowledgeFolders:
    """The folders of the networks below `data_dir`."""

    def __init__(self, data_dir: Path) -> None:
        self._root = data_dir.absolute() / NETWORKS

    def ids(self) -> list[str]:
        if not self._root.is_dir():
            return []
        return sorted(p.name for p in self._root.iterdir() if ID.fullmatch(p.name) and (p / CURRENT).is_file())

    def has(self, network_id: str) -> bool:
        return ID.fullmatch(network_id) is not None and (self._root / network_id / CURRENT).is_file()

    def revision(self, network_id: str) -> str:
        """Return the revision that is current. Raises KnowledgeRefused (404)."""
        if not self.has(network_id):
            raise unknown(network_id)
        with engine_errors(self._root / network_id / CURRENT, OSError):
            return (self._root / network_id / CURRENT).read_text(encoding="ascii").strip()

    def stamp(self, network_id: str) -> tuple[int, int]:
        """Return a value that changes with each import, without reading a file. Raises KnowledgeRefused (404)."""
        if not ID.fullmatch(network_id):
            raise unknown(network_id)
        try:
            known = os.stat(f"{self._root}/{network_id}/{CURRENT}")  # before every call: a Path costs as much again
        except OSError as error:
            raise unknown(network_id) from error
        return known.st_ino, known.st_mtime_ns

    def described(self, network_id: str) -> NetworkFolder:
        """Return the description of a network. Raises KnowledgeRefused (404), StoreCorrupt."""
        folder = self._root / network_id / self.revision(network_id)
        with engine_errors(folder, OSError, ValueError, KeyError):
            data = json.loads((folder / NETWORK_FILE).read_text(encoding="utf-8"))
            return NetworkFolder(NetworkSpec.model_validate(data["spec"]), folder.name, data["counts"], folder)

    @contextmanager
    def changing(self, network_id: str, wait_s: float = 0.0) -> Iterator[Path]:
        """Give an empty folder to build in, and lock the network. Raises StoreLocked after `wait_s`, StoreFull."""
        home = self._root / check_id(network_id)
        with engine_errors(home, OSError):
            home.mkdir(parents=True, exist_ok=True)
            with locked(home, wait_s):
                require_space(home)
                shutil.rmtree(home / BUILDING, ignore_errors=True)
                (home / BUILDING).mkdir()
                try:
                    yield home / BUILDING
                finally:
                    shutil.rmtree(home / BUILDING, ignore_errors=True)

    def publish(self, network_id: str, revision: str, spec: NetworkSpec, counts: dict[str, int]) -> None:
        """Make what was built current and remove what was. Call it inside `changing`."""
        home = self._root / network_id
        description: dict[str, Any] = {"spec": spec.model_dump(), "counts": counts}
        durable(home / BUILDING / NETWORK_FILE, json.dumps(description, ensure_ascii=False))
        shutil.rmtree(home / revision, ignore_errors=True)
        (home / BUILDING).rename(home / revision)
        replace_file(home / CURRENT, revision)
        for old in home.iterdir():
            if old.is_dir() and old.name != revision:
                shutil.rmtree(old, ignore_errors=True)

    def remove(self, network_id: str) -> None:
        self.revision(network_id)
        home = self._root / network_id
        with engine_errors(home, OSError), locked(home):
            (home / CURRENT).unlink()  # from here on there is no such network
            shutil.rmtree(home)


@contextmanager
def locked(home: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Lock a network against other imports and deletions. Raises StoreLocked."""
    try:
        with FileLock(home / LOCK_FILE, timeout=wait_s, thread_local=False):
            yield
    except Timeout as error:
        raise StoreLocked(Message("network.changed_by_other_process", id=home.name)) from error


def unknown(network_id: str) -> KnowledgeRefused:
    return KnowledgeRefused(Message("network.unknown", id=network_id[:80]), 404)


def durable(path: Path, text: str) -> None:
    """Write a file that is whole on the disk when this returns."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


LAYOUT_2 = "-2"  # the end of its revisions
GRAPH_FILE, INDEX_FILE = "graph.lbug", "index.sqlite"
BUFFER_BYTES, ADDRESS_BYTES = 256 * 2**20, 2**36
WAIT_S = 60.0  # for another process that rewrites the same network


def rewrite(folders: KnowledgeFolders, found: NetworkFolder) -> None:
    """Replace the files of a network in layout 2 by those of today's, as an import does. Raises KnowledgeFailed."""
    id = found.spec.id
    try:
        with folders.changing(id, WAIT_S) as folder:
            if folders.revision(id) != found.revision:
                return  # another process was here first
            with engine_errors(found.folder / GRAPH_FILE, RuntimeError, OSError, sqlite3.Error):
                write_layout_3(found.folder, folder / NETWORK_DATABASE)
            folders.publish(id, in_layout(found.revision.removesuffix(LAYOUT_2)), found.spec, found.counts)
    except StoreError as error:
        raise KnowledgeFailed(Message("network.not_rewritten", id=id, reason=error)) from error


def write_layout_3(old: Path, new: Path) -> None:
    """Write the new file: the old SQLite index, which has all but the instances, with those of the Ladybug graph."""
    import ladybug

    shutil.copyfile(old / INDEX_FILE, new)
    with (
        closing(
            ladybug.Database(old / GRAPH_FILE, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES, read_only=True)
        ) as graph,
        closing(ladybug.Connection(graph, num_threads=1)) as connection,
        closing(sqlite3.connect(new)) as file,
    ):
        rows = connection.execute("MATCH (one:Instance) RETURN one.place, one.kind, one.content ORDER BY one.place")
        assert isinstance(rows, ladybug.QueryResult)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + INSTANCES)
        file.executemany("INSERT INTO instance VALUES (?, ?, ?)", rows)
        file.executescript(INSTANCES_BY_KIND)
        file.commit()
    synced(new)


T = TypeVar("T")
Question = Callable[[NetworkFile], Coroutine[Any, Any, T]]


@dataclass
class LocalKnowledge:
    """The KnowledgeStore over files. They open at first use, and again after an import; calls run in threads."""

    data_dir: Path
    folders: KnowledgeFolders = field(init=False)
    _opened: dict[str, tuple[tuple[int, int], NetworkFile]] = field(init=False, default_factory=dict)  # with its stamp
    _lock: ReadWriteLock = field(init=False, default_factory=ReadWriteLock)
    _guard: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.folders = KnowledgeFolders(self.data_dir)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        return await in_time(network_id, timeout_s, self._answer(network_id, schema))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        require_limit(query)
        return await in_time(network_id, timeout_s, self._answer(network_id, lambda content: page(content, query)))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        found = self._answer(network_id, lambda content: neighbours(content, query))
        return await in_time(network_id, timeout_s, found)

    async def content(self, network_id: str) -> CheckedContent:
        return await self._answer(network_id, whole)

    @in_thread
    async def networks(self) -> list[StoredNetwork]:
        kept = [self.folders.described(id) for id in self.folders.ids()]
        return [StoredNetwork(one.spec, one.counts) for one in kept]

    async def has(self, network_id: str) -> bool:
        return self.folders.has(network_id)

    @in_thread
    async def put(self, content: CheckedContent, progress: Progress) -> ImportedNetwork:
        return import_content(self.folders, content, progress)

    @in_thread
    async def remove(self, network_id: str) -> dict[str, int]:
        try:
            counts = self.folders.described(network_id).counts
        except StoreCorrupt:
            counts = {}
        self.folders.remove(network_id)
        return counts

    @in_thread
    async def close(self) -> None:
        with self._lock.alone():
            while self._opened:
                self._opened.popitem()[1][1].close()

    @in_thread
    async def _answer(self, network_id: str, question: Question[T]) -> T:
        stamp = self.folders.stamp(network_id)
        if network_id in self._opened and self._opened[network_id][0] != stamp:
            with self._lock.alone():
                _, stale = self._opened.pop(network_id, (stamp, None))
                if stale is not None:
                    stale.close()
        try:
            with self._lock.shared():
                return await question(self._open(network_id, stamp))
        except (OSError, sqlite3.Error, StoreCorrupt) as error:
            reason = " ".join(str(error).split())[:200]
            raise KnowledgeFailed(Message("network.unreadable", id=network_id, reason=reason)) from error

    def _open(self, network_id: str, stamp: tuple[int, int]) -> NetworkFile:
        """Return the open file of a network; `stamp` was read before: the next call sees an import."""
        with self._guard:
            if network_id not in self._opened:
                found = self.folders.described(network_id)
                if found.revision.endswith(LAYOUT_2):
                    rewrite(self.folders, found)
                    stamp, found = self.folders.stamp(network_id), self.folders.described(network_id)
                if not found.revision.endswith(in_layout("")):
                    raise KnowledgeFailed(Message("network.other_version", id=network_id))
                self._opened[network_id] = stamp, NetworkFile(found.folder, Types(found.spec, found.revision))
            return self._opened[network_id][1]


BATCH = 500  # instances between two steps of the progress bar


def import_content(folders: KnowledgeFolders, content: CheckedContent, progress: Progress) -> ImportedNetwork:
    """Make this the content of its network, as a whole or not at all; `progress` gets (done, total).

    Raises StoreLocked, StoreFull, StoreError.
    """
    network_id, revision, counts = content.spec.id, in_layout(content.revision()), sizes(content)
    if folders.has(network_id) and folders.revision(network_id) == revision:
        return ImportedNetwork(network_id, counts, content.dangling, written=False)
    with folders.changing(network_id) as folder:
        try:
            with (
                engine_errors(folder / NETWORK_DATABASE, OSError, sqlite3.Error),
                closing(NetworkFileWriter(folder)) as file,
            ):
                write_content(file, content, progress)
        except StoreCorrupt as error:  # of a file that is new
            cause = " ".join(str(error.__cause__).split())[:200]
            raise StoreError(Message("network.not_written", id=network_id, cause=cause)) from error
        folders.publish(network_id, revision, content.spec, counts)
    return ImportedNetwork(network_id, counts, content.dangling, written=True)


def write_content(file: NetworkFileWriter, content: CheckedContent, progress: Progress) -> None:
    done, total = 0, content.instances + content.relations
    for number, kind, batch in content.batches(BATCH):
        file.add(number, kind, batch)
        done += len(batch)
        progress(done, total)
    for number, pairs in content.pairs():
        file.join(number, pairs)
        done += len(pairs)
        progress(done, total)
