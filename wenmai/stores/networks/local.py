"""The KnowledgeStore over files below DATA_DIR: Ladybug with an index of values."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from tools.errors import KnowledgeFailed, StoreCorrupt
from tools.networks.records import (
    Account,
    Condition,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from tools.wording import Words
from wenmai.knowledge.content import Content
from wenmai.knowledge.keeping import Imported, Progress, StoredNetwork
from wenmai.knowledge.spec import ObjectSpec
from wenmai.stores.files.blocking import completed
from wenmai.stores.files.read_write_lock import ReadWriteLock
from wenmai.stores.networks.answers import Rows, in_time, neighbours, page, require_limit, schema, whole
from wenmai.stores.networks.build import KnowledgeGraph, import_content
from wenmai.stores.networks.folders import KnowledgeFolders, NetworkFolder, in_layout
from wenmai.stores.networks.index import KnowledgeIndex
from wenmai.stores.records.knowledge import Evaluation, Scores, Types

OLD = Words(
    "知识网络 {id} 的文件来自其他版本：请用 wenmai knowledge import 重新导入",
    "the files of network {id} are of another version: import it again by wenmai knowledge import",
)


@dataclass
class LocalContent:
    """The NetworkContent in files; its coroutines never suspend."""

    types: Types
    graph: KnowledgeGraph
    index: KnowledgeIndex

    @classmethod
    def of(cls, found: NetworkFolder) -> "LocalContent":
        """Open the files of a network. Raises KnowledgeFailed for those of an earlier version."""
        if not found.revision.endswith(in_layout("")):
            raise KnowledgeFailed(OLD.of(id=found.spec.id))
        types = Types(found.spec, found.revision)
        return cls(types, KnowledgeGraph(found.folder), KnowledgeIndex(found.folder))

    async def scores(self, number: int, kind: ObjectSpec, condition: Condition | None) -> Scores:
        """Return the score of every instance of a type that matches, by place. Raises KnowledgeQueryError."""
        if condition is None:
            return dict.fromkeys(self.graph.places(number), 1.0)
        return Evaluation(kind, number, self.index, lambda: self.graph.of_kind(number)).scores(condition)

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the instances at these places."""
        return self.graph.at(places)

    async def of_kind(self, number: int) -> Rows:
        """Return all instances of a type, in order."""
        return self.graph.of_kind(number)

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        return self.graph.pairs(number)

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        return self.index.place(number, key)

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        places = self.index.beside(relation, place, outgoing=outgoing, limit=limit)
        rows = self.graph.at(places) if places else {}
        return {one: rows[one] for one in places}

    def close(self) -> None:
        """Close the files."""
        self.graph.close()
        self.index.close()


UNREADABLE = Words(
    "无法读取知识网络 {id}（{reason}）：请重新 wenmai knowledge import 导入",
    "network {id} cannot be read ({reason}): import it again by wenmai knowledge import",
)
T = TypeVar("T")
Question = Callable[[LocalContent], Coroutine[Any, Any, T]]


@dataclass
class LocalKnowledge:
    """The KnowledgeStore over files. They open at first use, and again after an import; calls run in threads."""

    data_dir: Path
    folders: KnowledgeFolders = field(init=False)
    _opened: dict[str, LocalContent] = field(init=False, default_factory=dict)
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

    async def content(self, network_id: str) -> Content:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        return await self._answer(network_id, whole)

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id."""
        return await asyncio.to_thread(self._networks)

    async def has(self, network_id: str) -> bool:
        """Return True if a network is stored here."""
        return self.folders.has(network_id)

    async def put(self, content: Content, progress: Progress) -> Imported:
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
        with self._lock.shared(), failures(network_id):
            return completed(question(self._open(network_id, stamp)))

    def _stale(self, network_id: str, stamp: tuple[int, int]) -> bool:
        return network_id in self._opened and self._stamps[network_id] != stamp

    def _open(self, network_id: str, stamp: tuple[int, int]) -> LocalContent:
        with self._guard:
            if network_id not in self._opened:
                self._stamps[network_id] = stamp  # read before opening, so that the next call sees an import in between
                self._opened[network_id] = LocalContent.of(self.folders.described(network_id))
            return self._opened[network_id]

    def _drop(self, network_id: str) -> None:
        opened = self._opened.pop(network_id, None)
        if opened is not None:
            opened.close()

    def _close(self) -> None:
        with self._lock.alone():
            for network_id in list(self._opened):
                self._drop(network_id)


@contextmanager
def failures(network_id: str) -> Iterator[None]:
    """Raise errors of engines and files as KnowledgeFailed."""
    try:
        yield
    except (RuntimeError, OSError, sqlite3.Error, StoreCorrupt) as error:
        reason = " ".join(str(error).split())[:200]
        raise KnowledgeFailed(UNREADABLE.of(id=network_id, reason=reason)) from error
