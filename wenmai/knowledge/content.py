"""All that a network holds, checked, in the order in which it is kept."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from tools.errors import InputError
from tools.ports import KnowledgeNetwork
from tools.wording import Names, Words
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec, RelationSpec

DOUBLE_KEY = Words("对象类型 {kind} 的主键重复：{key}", "object type {kind} has a primary key twice: {key}")
EMPTY_KEY = Words("对象类型 {kind} 有一行的主键 {names} 为空", "a row of object type {kind} has no primary key {names}")
ONE_VALUE = Words(
    "对象类型 {kind} 的主键应为单个值，收到 {key}", "the primary key of object type {kind} is one value, got {key}"
)
Row = Mapping[str, Any]
Key = tuple[Any, ...]
Link = tuple[Key, Key]


@dataclass(frozen=True, slots=True)
class Content:
    """A network: rows by object type and links by relation type, each sorted by primary keys.

    Attributes:
        dangling: how many links were left out because an end is no instance.
    """

    spec: NetworkSpec
    rows: Mapping[str, Sequence[Row]]
    links: Mapping[str, Sequence[Link]]
    dangling: int = 0

    @property
    def instances(self) -> int:
        return sum(map(len, self.rows.values()))

    @property
    def relations(self) -> int:
        return sum(map(len, self.links.values()))

    def batches(self, size: int) -> Iterator[tuple[int, ObjectSpec, list[tuple[int, Row]]]]:
        """Give the instances with their places, at most `size` of one type at once, with its number.

        Places ascend by object type and primary keys.
        """
        first = 0
        for number, kind in enumerate(self.spec.object_types):
            rows = self.rows[kind.id]
            for begin in range(0, len(rows), size):
                yield number, kind, list(enumerate(rows[begin : begin + size], first + begin))
            first += len(rows)

    def pairs(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Give the links of each relation type, with its number, by the places of the instances."""
        keys = ((kind.id, key_of(row, kind)) for kind in self.spec.object_types for row in self.rows[kind.id])
        places = {key: place for place, key in enumerate(keys)}
        for number, one in enumerate(self.spec.relation_types):
            links = self.links[one.id]
            yield number, [(places[one.source, source], places[one.target, target]) for source, target in links]

    def revision(self) -> str:
        """Return a digest of everything: the same content has the same."""
        digest = hashlib.sha256(self.spec.model_dump_json().encode())
        for id, rows in (*self.rows.items(), *self.links.items()):
            digest.update(json.dumps([id, list(rows)], ensure_ascii=True, sort_keys=True).encode())
        return digest.hexdigest()[:32]


def settled(spec: NetworkSpec, rows: Mapping[str, Sequence[Row]], links: Mapping[str, Sequence[Link]]) -> Content:
    """Return the content in order, without double or dangling links. Raises InputError for a double or empty key."""
    kept = {kind.id: in_order(kind, rows[kind.id]) for kind in spec.object_types}
    ranks = {kind.id: {key_of(row, kind): rank for rank, row in enumerate(kept[kind.id])} for kind in spec.object_types}
    whole: dict[str, list[Link]] = {}
    lost = 0
    for one in spec.relation_types:
        joined = set(links[one.id] if one.links else equal_pairs(one, spec, kept))
        sources, targets = ranks[one.source], ranks[one.target]
        whole[one.id] = sorted(
            (link for link in joined if link[0] in sources and link[1] in targets),
            key=lambda link: (sources[link[0]], targets[link[1]]),
        )
        lost += len(joined) - len(whole[one.id])
    return Content(spec, kept, whole, lost)


def in_order(kind: ObjectSpec, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a type by primary keys. Raises InputError."""
    if not kind.primary_keys:
        return list(rows)
    seen: set[Key] = set()
    for row in rows:
        key = key_of(row, kind)
        if any(isinstance(part, list | dict) for part in key):
            raise InputError(ONE_VALUE.of(kind=kind.id, key="、".join(map(str, key))[:60]))
        if any(part is None or str(part).isspace() or part == "" for part in key):
            raise InputError(EMPTY_KEY.of(kind=kind.id, names=Names(kind.primary_keys)))
        if key in seen:
            raise InputError(DOUBLE_KEY.of(kind=kind.id, key=Names(map(str, key))))
        seen.add(key)
    return sorted(rows, key=lambda row: sortable(key_of(row, kind)))


def equal_pairs(relation: RelationSpec, spec: NetworkSpec, rows: Mapping[str, Sequence[Row]]) -> list[Link]:
    """Return the pairs of instances whose mapped properties are equal; null equals nothing."""
    source, target = spec.object_type(relation.source), spec.object_type(relation.target)
    ends: dict[Key, list[Key]] = {}
    for row in rows[target.id]:
        ends.setdefault(hashable(row.get(one.target) for one in relation.mapping), []).append(key_of(row, target))
    return [
        (key_of(row, source), end)
        for row in rows[source.id]
        for values in [hashable(row.get(one.source) for one in relation.mapping)]
        if None not in values
        for end in ends.get(values, [])
    ]


def hashable(values: Iterable[Any]) -> Key:
    """Return values that can be keys; lists and objects are compared by what they hold."""
    return tuple(
        ("json", json.dumps(value, sort_keys=True)) if isinstance(value, list | dict) else value for value in values
    )


def key_of(row: Row, kind: ObjectSpec) -> Key:
    return tuple(row.get(name) for name in kind.primary_keys)


def sortable(key: Iterable[Any]) -> tuple[Any, ...]:
    """Return values so that any two can be compared: numbers before texts before nothing."""
    return tuple((value is None, isinstance(value, str), 0 if value is None else value) for value in key)


Progress = Callable[[int, int], None]


def silent(done: int, total: int) -> None:
    """Show nothing."""


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    spec: NetworkSpec
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did; `written` is False where the very same content was there."""

    network_id: str
    counts: dict[str, int]
    dangling: int
    written: bool


class KnowledgeStore(KnowledgeNetwork, Protocol):
    """The KnowledgeNetwork port of stored networks, with what changes them."""

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id. Raises StoreError."""
        ...

    async def has(self, network_id: str) -> bool:
        """Return True if a network is stored here."""
        ...

    async def content(self, network_id: str) -> Content:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        ...

    async def put(self, content: Content, progress: Progress) -> Imported:
        """Make this the content of its network, as a whole or not at all; `progress` gets (done, total).

        Raises StoreLocked, StoreFull, StoreError.
        """
        ...

    async def remove(self, network_id: str) -> dict[str, int]:
        """Remove a network and return how much it held, nothing where that cannot be read.

        Raises KnowledgeRefused (404), StoreLocked.
        """
        ...

    async def close(self) -> None:
        """Close files or connections."""
        ...


def sizes(content: Content) -> dict[str, int]:
    return {
        "object_types": len(content.spec.object_types),
        "relation_types": len(content.spec.relation_types),
        "instances": content.instances,
        "relations": content.relations,
    }
