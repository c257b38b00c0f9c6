"""The KnowledgeStore over files below DATA_DIR."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Coroutine
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tools.errors import KnowledgeFailed, StoreCorrupt, StoreError
from tools.networks.records import (
    Account,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from tools.wording import Words
from wenmai.knowledge.content import CheckedContent, ImportedNetwork, Progress, StoredNetwork, sizes
from wenmai.stores.files.blocking import completed
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.read_write_lock import ReadWriteLock
from wenmai.stores.networks import layout_2
from wenmai.stores.networks.answers import Types, in_time, neighbours, page, require_limit, schema, whole
from wenmai.stores.networks.folders import KnowledgeFolders, in_layout
from wenmai.stores.networks.network_file import NETWORK_DATABASE, NetworkFile, NetworkFileWriter

OLD = Words(
    "知识网络 {id} 的文件来自其他版本：请用 wenmai knowledge import 重新导入",
    "the files of network {id} are of another version: import it again by wenmai knowledge import",
)
NOT_WRITTEN = Words(
    "无法写入知识网络 {id}（{cause}）：没有改动已有的内容",
    "network {id} cannot be written ({cause}): what there is was not changed",
)
UNREADABLE = Words(
    "无法读取知识网络 {id}（{reason}）：请重新 wenmai knowledge import 导入",
    "network {id} cannot be read ({reason}): import it again by wenmai knowledge import",
)
T = TypeVar("T")
Question = Callable[[NetworkFile], Coroutine[Any, Any, T]]


@dataclass
class LocalKnowledge:
    """The KnowledgeStore over files. They open at first use, and again after an import; calls run in threads."""

    data_dir: Path
    folders: KnowledgeFolders = field(init=False)
    _opened: dict[str, NetworkFile] = field(init=False, default_factory=dict)
    _stamps: dict[str, tuple[int, int]] = field(init=False, default_factory=dict)
    _lock: ReadWriteLock = field(init=False, default_factory=ReadWriteLock)
    _guard: threading.Lock = field(init=False, default_factory=threading.Lock)

    def __post_init__(self) -> None:
        """Name the folders; nothing is opened."""
        self.folders = KnowledgeFolders(self.data_dir)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        return await in_time(network_id, timeout_s, self._answer(network_id, schema))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        require_limit(query)
        return await in_time(network_id, timeout_s, self._answer(network_id, lambda content: page(content, query)))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction."""
        found = self._answer(network_id, lambda content: neighbours(content, query))
        return await in_time(network_id, timeout_s, found)

    async def content(self, network_id: str) -> CheckedContent:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        return await self._answer(network_id, whole)

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id."""
        return await asyncio.to_thread(self._networks)

    async def has(self, network_id: str) -> bool:
        """Return True if a network is stored here."""
        return self.folders.has(network_id)

    async def put(self, content: CheckedContent, progress: Progress) -> ImportedNetwork:
        """Make this the content of its network. Raises StoreLocked, StoreFull, StoreError."""
        return await asyncio.to_thread(import_content, self.folders, content, progress)

    async def remove(self, network_id: str) -> dict[str, int]:
        """Remove a network and return how much it held. Raises KnowledgeRefused (404), StoreLocked."""
        return await asyncio.to_thread(self._remove, network_id)

    async def close(self) -> None:
        """Close every file."""
        await asyncio.to_thread(self._close)

    def _networks(self) -> list[StoredNetwork]:
        kept = [self.folders.described(id) for id in self.folders.ids()]
        return [StoredNetwork(one.spec, one.counts) for one in kept]

    def _remove(self, network_id: str) -> dict[str, int]:
        try:
            counts = self.folders.described(network_id).counts
        except StoreCorrupt:
            counts = {}
        self.folders.remove(network_id)
        return counts

    async def _answer(self, network_id: str, question: Question[T]) -> T:
        return await asyncio.to_thread(self._read, network_id, question)

    def _read(self, network_id: str, question: Question[T]) -> T:
        stamp = self.folders.stamp(network_id)
        if self._stale(network_id, stamp):
            with self._lock.alone():
                self._drop(network_id)
        try:
            with self._lock.shared():
                return completed(question(self._open(network_id, stamp)))
        except (OSError, sqlite3.Error, StoreCorrupt) as error:
            reason = " ".join(str(error).split())[:200]
            raise KnowledgeFailed(UNREADABLE.of(id=network_id, reason=reason)) from error

    def _stale(self, network_id: str, stamp: tuple[int, int]) -> bool:
        return network_id in self._opened and self._stamps[network_id] != stamp

    def _open(self, network_id: str, stamp: tuple[int, int]) -> NetworkFile:
        with self._guard:
            if network_id not in self._opened:
                found = self.folders.described(network_id)
                if found.revision.endswith(layout_2.SUFFIX):
                    layout_2.rewrite(self.folders, found)
                    stamp, found = self.folders.stamp(network_id), self.folders.described(network_id)
                if not found.revision.endswith(in_layout("")):
                    raise KnowledgeFailed(OLD.of(id=network_id))
                self._stamps[network_id] = stamp  # read before opening, so that the next call sees an import in between
                self._opened[network_id] = NetworkFile(found.folder, Types(found.spec, found.revision))
            return self._opened[network_id]

    def _drop(self, network_id: str) -> None:
        opened = self._opened.pop(network_id, None)
        if opened is not None:
            opened.close()

    def _close(self) -> None:
        with self._lock.alone():
            for network_id in list(self._opened):
                self._drop(network_id)


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
            raise StoreError(NOT_WRITTEN.of(id=network_id, cause=cause)) from error
        folders.publish(network_id, revision, content.spec, counts)
    return ImportedNetwork(network_id, counts, content.dangling, written=True)


def write_content(file: NetworkFileWriter, content: CheckedContent, progress: Progress) -> None:
    """Write all instances and links to a file."""
    done, total = 0, content.instances + content.relations
    for number, kind, batch in content.batches(BATCH):
        file.add(number, kind, batch)
        done += len(batch)
        progress(done, total)
    for number, pairs in content.pairs():
        file.join(number, pairs)
        done += len(pairs)
        progress(done, total)
