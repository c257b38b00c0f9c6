"""Instances of a network under conditions: which they are, how many, and figures of what they hold.

Conditions and figures name what they are of by a path from an object type along relations to a property, such as
customer.country or ~reports to.
"""

import asyncio
import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.messages import Message
from tools.networks.keyword import values_of
from tools.networks.records import (
    MOST_INSTANCES,
    Account,
    Direction,
    Instance,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    Property,
    RelationType,
    instance_id,
    instance_name,
    key_of,
)
from tools.networks.refusals import CALL_S, RefusedCall
from tools.ports import KnowledgeNetwork
from tools.tables.names import words_of
from tools.tables.rows import NONE_OF, Aggregate, PathCondition, by_value, figure, shown

JOINT, BACK, JOINED = ".", "~", " / "
AT_ONCE = 5
LONGEST_WAY = 3  # relations
NEARER, BACKWARDS = 0.6, 0.1  # how much nearer a relation is that is named, how much farther one gone back
MOST_ROWS = 20_000  # of one object type
MOST_BESIDE = 1_000  # neighbours of one instance that a service gives at once


@dataclass(frozen=True, slots=True)
class Way:
    relation: RelationType
    direction: Direction

    @property
    def is_outgoing(self) -> bool:
        return self.direction == "outgoing"

    @property
    def end(self) -> str:
        return self.relation.end(self.direction)

    @property
    def text(self) -> str:
        """How a path writes it; ~ marks a relation of a type with itself that is gone back."""
        return f"{BACK if self.relation.reflexive and self.direction == 'incoming' else ''}{self.relation.id}"


@dataclass(frozen=True, slots=True)
class Path:
    """Where a path leads: along ways, to a property or, without one, to the instances themselves."""

    ways: tuple[Way, ...]
    type: ObjectType
    last: Property | None

    @property
    def label(self) -> str:
        if self.last is None:
            return self.ways[-1].relation.label if self.ways else self.type.name
        return self.last.label


def path_of(text: str, type: ObjectType, schema: NetworkSchema) -> Path | None:
    """Read a path from an object type; None where it names what is not there.

    Relations and properties may be named by id or by name, a relation also by the type that it leads to.
    """
    ways: list[Way] = []
    *steps, last = map(str.strip, text.split(JOINT))
    for at, step in enumerate([*steps, last]):
        named = (one for one in type.properties if step in (one.name, one.display_name))
        if at == len(steps) and (found := next(named, None)):
            return Path(tuple(ways), type, found)
        way = way_of(step, type, schema)
        end = schema.object_type(way.end) if way else None
        if way is None or end is None:
            return None
        ways.append(way)
        type = end
    return Path(tuple(ways), type, None)


def way_of(name: str, type: ObjectType, schema: NetworkSchema) -> Way | None:
    """Return the relation of a name that touches a type, in the direction that leads out of it."""
    bare = name.removeprefix(BACK)
    ways = [way for way in ways_from(type.id, schema) if (way.text.startswith(BACK)) == (bare != name)]
    names = ([way.relation.id for way in ways], [way.relation.name for way in ways], [way.end for way in ways])
    return next((way for called in names for way, one in zip(ways, called, strict=True) if one == bare), None)


def ways_from(type_id: str, schema: NetworkSchema) -> list[Way]:
    return [
        Way(relation, direction)
        for relation in schema.relation_types
        for direction in relation.directions_from(type_id)
    ]


def nearest(schema: NetworkSchema, source: str, target: str, named: Container[str] = ()) -> str:
    """Return the shortest path between two types, by relations that are named first; '' where there is none.

    Args:
        schema: of the network.
        source: the type that the path begins at.
        target: the type that it leads to.
        named: ids of relations that are meant; they make a path shorter.
    """
    best: tuple[float, str] = (float("inf"), "")
    begun: list[tuple[float, str, str, frozenset[str]]] = [(0.0, "", source, frozenset({source}))]
    for _ in range(LONGEST_WAY):
        begun = [
            (
                cost + 1 - NEARER * (way.relation.id in named) + BACKWARDS * (way.direction == "incoming"),
                f"{text}{JOINT}{way.text}".lstrip(JOINT),
                way.end,
                seen | {way.end},
            )
            for cost, text, end, seen in begun
            for way in ways_from(end, schema)
            if way.end not in seen
        ]
        best = min([best, *((cost, text) for cost, text, end, _ in begun if end == target)], key=lambda one: one[0])
    return best[1]


def keys_of(type: ObjectType, schema: NetworkSchema) -> frozenset[str]:
    """Return the properties of a type that only say which instance is meant: its own keys, and those of others."""
    own = [one for one in schema.relation_types if one.source_object_type_id == type.id]
    return frozenset((*type.primary_keys, *(source for one in own for source, _ in one.mapping)))


async def first_instances(
    networks: KnowledgeNetwork, network_id: str, type_id: str, account: Account, most: int
) -> tuple[list[Instance], bool]:
    """Return at most so many instances of a type, read page by page, and whether there are more."""
    found: list[Instance] = []
    after: tuple[Any, ...] = ()
    while len(found) < most:
        limit = min(MOST_INSTANCES, most - len(found))
        query = InstanceQuery(object_type_id=type_id, limit=limit, search_after=after)
        page = await networks.instances(network_id, query, account, timeout_s=CALL_S)
        found += page.rows
        after = page.search_after
        if not after or len(page.rows) < limit:
            return found, False
    return found, True


def values_under(names: Sequence[str], instance: Instance) -> tuple[Any, ...]:
    """Return the values of properties as one that can be a key."""
    values = [instance.properties.get(name) for name in names]
    return tuple(str(value) if isinstance(value, list | dict) else value for value in values)


Wanted = Literal["list", "count", "sum", "average", "max", "min"]
Order = Literal["none", "asc", "desc"]
NamedEnd = tuple[Way, str, str]  # a relation, and id and name of the instance at its end


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureQuery:
    """What is asked of the instances of a type.

    Attributes:
        filters: conditions that all hold.
        property: path to what is listed, or what a figure is of.
        group_by: path to what the figure is told for each of.
        at: a year, month or day, or two of them with / between: only rows that hold at some time of it.
    """

    type: ObjectType
    filters: Sequence[PathCondition] = ()
    at: str = ""
    wanted: Wanted = "list"
    property: str | None = None
    group_by: str | None = None
    order: Order = "none"
    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureGroup:
    """What instances have in common, with their figure; `id` is that of an instance, or the value itself."""

    id: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureResult:
    """What the rows give.

    Attributes:
        total: of the instances that the conditions hold for, or of the groups.
        rows: the first of them, each with what is listed of it by label.
        names: of the rows by id; those of one name are told apart by what they hold.
        links: of each row, by its id, the relations that conditions name, with the instances at their ends.
        value: the figure of them all; None of nothing.
    """

    total: int
    label: str = ""
    rows: Sequence[tuple[Instance, Mapping[str, Sequence[Any]]]] = ()
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    links: Mapping[str, Sequence[NamedEnd]] = field(default_factory=dict[str, Sequence[NamedEnd]])
    groups: Sequence[FigureGroup] = ()
    value: Any = None


@dataclass(slots=True)
class NetworkRows:
    """The instances of a network, read whole by type and joined by relation, and what is asked of them."""

    networks: KnowledgeNetwork
    schema: NetworkSchema
    account: Account
    cut: bool = False
    _rows: dict[str, list[Instance]] = field(default_factory=dict)
    _names: dict[str, Mapping[str, str]] = field(default_factory=dict)
    _beside: dict[tuple[str, Direction], Mapping[str, Sequence[Instance]]] = field(default_factory=dict)

    async def rows(self, type: ObjectType) -> list[Instance]:
        """Return the instances of a type; `cut` is set where there are more than MOST_ROWS."""
        if type.id not in self._rows:
            found, is_cut = await first_instances(self.networks, self.schema.id, type.id, self.account, MOST_ROWS)
            self.cut = self.cut or is_cut
            self._rows[type.id] = found
        return self._rows[type.id]

    async def names(self, type: ObjectType) -> Mapping[str, str]:
        """Return the names of all instances of a type by id, those of one name told apart."""
        if type.id not in self._names:
            rows = await self.rows(type)
            titles = [instance_name(row, type) for row in rows]
            ways = [way for way in ways_from(type.id, self.schema) if way.is_outgoing and way.relation.mapping]
            if not type.display_key and len(ways) > 1:  # a row that joins others is called by them
                parts = [await self.values(Path((way,), end, None), type, id_and_name) for way, end in self.ended(ways)]
                joined = [JOINED.join(found[1] for found in one if found) for one in zip(*parts, strict=True)]
                titles = [new or old for new, old in zip(joined, titles, strict=True)]
            self._names[type.id] = names_apart(rows, titles, type, keys_of(type, self.schema))
        return self._names[type.id]

    def ended(self, ways: Sequence[Way]) -> list[tuple[Way, ObjectType]]:
        return [(way, end) for way in ways if (end := self.schema.object_type(way.end))]

    async def at(self, path: Path, type: ObjectType) -> list[list[Any]]:
        """Return what a path leads to from each instance of a type, in their order: values, or instances."""
        reached = [[one] for one in await self.rows(type)]
        for way in path.ways:
            end = self.schema.object_type(way.end)
            assert end is not None
            beside = await self.beside(way, type, end)
            neighbours = ([n for one in found for n in beside.get(instance_id(one, type), ())] for found in reached)
            reached = [list({instance_id(one, end): one for one in found}.values()) for found in neighbours]
            type = end
        if path.last is None:
            return [list[Any](found) for found in reached]
        name = path.last.name
        return [
            [value for one in found for value in values_of(one.properties.get(name)) if value not in (None, "")]
            for found in reached
        ]

    async def beside(self, way: Way, type: ObjectType, end: ObjectType) -> Mapping[str, Sequence[Instance]]:
        key = way.relation.id, way.direction
        if key not in self._beside:
            join = self.mapped if way.relation.mapping else self.linked
            self._beside[key] = await join(way, type, end)
        return self._beside[key]

    async def mapped(self, way: Way, type: ObjectType, end: ObjectType) -> Mapping[str, Sequence[Instance]]:
        sources, targets = zip(*way.relation.mapping, strict=True)
        own, others = (sources, targets) if way.is_outgoing else (targets, sources)
        index: dict[tuple[Any, ...], list[Instance]] = {}
        for other in await self.rows(end):
            index.setdefault(values_under(others, other), []).append(other)
        found: dict[str, list[Instance]] = {}
        for one in await self.rows(type):
            values = values_under(own, one)
            found[instance_id(one, type)] = [] if None in values else index.get(values, [])
        return found

    async def linked(self, way: Way, type: ObjectType, end: ObjectType) -> Mapping[str, Sequence[Instance]]:
        gate = asyncio.Semaphore(AT_ONCE)

        async def neighbours(one: Instance) -> Sequence[Instance]:
            query = PathQuery(
                object_type_id=type.id,
                key=key_of(one, type),
                relation=way.relation,
                direction=way.direction,
                limit=MOST_BESIDE,
            )
            async with gate:
                found = await self.networks.neighbours(self.schema.id, query, self.account, timeout_s=CALL_S)
            return found.neighbours

        rows = [one for one in await self.rows(type) if key_of(one, type)]
        ids = [instance_id(one, type) for one in rows]
        return dict(zip(ids, await asyncio.gather(*map(neighbours, rows)), strict=True))

    async def answer(self, asked: FigureQuery) -> FigureResult:
        """Return the instances, or figures of them. Raises RefusedCall for a path that is not there, KnowledgeError."""
        paths = [self.path(one.path, asked.type) for one in asked.filters]
        path = self.path(asked.property, asked.type) if asked.property else None
        rows = await self.rows(asked.type)
        kept = held_at(rows, asked.at, asked.type) if asked.at else list(range(len(rows)))
        for condition, one in zip(asked.filters, paths, strict=True):
            texts = await self.values(one, asked.type, id_and_name)
            kept = [at for at in kept if condition.holds(texts[at], one.label)]
        if asked.wanted == "list":
            return await self.listed(asked, rows, kept, path, paths)
        if path is None and asked.wanted != "count":
            raise RefusedCall(Message("network.query.property_needed"), {"aggregate": asked.wanted})
        values: Sequence[Sequence[Any]] = await self.at(path, asked.type) if path else [[row] for row in rows]
        label = path.label if path else asked.type.name
        if asked.group_by:
            return await self.grouped(asked.group_by, asked, asked.wanted, kept, values, label)
        value = figure([v for at in kept for v in values[at]], asked.wanted, label)
        return FigureResult(total=len(kept), label=label, value=value)

    async def values(
        self, path: Path, type: ObjectType, texts: Callable[[Instance, ObjectType], Sequence[str]]
    ) -> list[list[Any]]:
        """Return the values under a path from each instance of a type; of instances these texts."""
        reached = await self.at(path, type)
        if path.last is not None:
            return reached
        return [[text for one in found for text in texts(one, path.type)] for found in reached]

    async def listed(
        self, asked: FigureQuery, rows: Sequence[Instance], kept: list[int], path: Path | None, paths: Sequence[Path]
    ) -> FigureResult:
        """Return the first instances in order, each with what is asked of it, its own values behind conditions too."""
        shown_paths = [*([path] if path else []), *(one for one in paths if one.last and not one.ways)]
        period = interval_of(asked.type) or ()
        shown_paths += [Path((), asked.type, one) for one in period if path is None or path.last in (None, *period)]
        names = {one.type.id: await self.names(one.type) for one in shown_paths if one.last is None}

        def name(one: Instance, type: ObjectType) -> list[str]:
            return [names[type.id][instance_id(one, type)]]

        held = [(one.label, await self.values(one, asked.type, name)) for one in shown_paths]
        if path and asked.order != "none":
            firsts = await self.values(path, asked.type, id_and_name)
            by_id = {instance_id(rows[at], asked.type): at for at in kept if firsts[at]}
            order = by_value(
                {id: firsts[at][0] for id, at in by_id.items()}, descending=asked.order == "desc", label=path.label
            )
            kept = [by_id[id] for id, _ in order]
        return FigureResult(
            total=len(kept),
            label=path.label if path else "",
            names=await self.names(asked.type),
            links=await self.named_ends(asked, rows, paths),
            rows=[(rows[at], {label: values[at] for label, values in held}) for at in kept[: asked.limit]],
        )

    async def named_ends(
        self, asked: FigureQuery, rows: Sequence[Instance], paths: Sequence[Path]
    ) -> dict[str, list[NamedEnd]]:
        found: dict[str, list[NamedEnd]] = {}
        for condition, path in zip(asked.filters, paths, strict=True):
            if path.last is None and len(path.ways) == 1 and condition.operation not in NONE_OF:
                names = await self.names(path.type)
                for row, ends in zip(rows, await self.at(path, asked.type), strict=True):
                    called = [id_and_name(one, path.type) for one in ends]
                    met = [(path.ways[0], one[0], names[one[0]]) for one in called if condition.holds(one)]
                    found.setdefault(instance_id(row, asked.type), []).extend(met)
        return found

    async def grouped(
        self,
        group_by: str,
        asked: FigureQuery,
        how: Aggregate,
        kept: Sequence[int],
        values: Sequence[Sequence[Any]],
        label: str,
    ) -> FigureResult:
        """Return the figure for each group, in order; groups without instances are counted too."""
        path = self.path(group_by, asked.type)
        ends = await self.rows(path.type) if path.last is None else []
        names = await self.names(path.type) if ends else {}
        members: dict[str, list[Any]] = {id: [] for id in names}
        reached = await self.at(path, asked.type)
        for at in kept:
            for one in reached[at]:
                id = shown(one) if path.last else instance_id(one, path.type)
                members.setdefault(id, []).extend(values[at])
        order = by_value(
            {id: figure(held, how, label) for id, held in members.items()}, descending=asked.order != "asc"
        )
        groups = [FigureGroup(id=id, name=names.get(id, id), value=value) for id, value in order]
        return FigureResult(total=len(groups), label=label, groups=groups[: asked.limit])

    def path(self, text: str, type: ObjectType) -> Path:
        found = path_of(text, type, self.schema)
        if found is None:
            properties = [one.name for one in type.properties]
            ways = {way.text: way.end for way in ways_from(type.id, self.schema)}
            detail = {"object_type_id": type.id, "path": text, "properties": properties, "relations": ways}
            raise RefusedCall(Message("network.query.bad_path"), detail)
        return found


def id_and_name(one: Instance, type: ObjectType) -> tuple[str, str]:
    return instance_id(one, type), instance_name(one, type)


FROM_WORDS = frozenset({"from", "since", "start", "started", "starts", "begin", "began", "begins", "joined", "join"})
TO_WORDS = frozenset({"to", "until", "till", "end", "ended", "ends", "left", "leave", "finished", "expires", "expired"})
FROM_HAN, TO_HAN = (
    re.compile(r"开始|起始|起$|^自|加入|上任|就任|入职"),
    re.compile(r"结束|截止|终止|止$|^至|离开|离任|卸任|离职"),
)
LAST_DAY = "-12-31"


def interval_of(type: ObjectType) -> tuple[Property, Property] | None:
    """Return the properties between which a row of a type holds: valid_from and valid_to, 加入日期 and 离开日期."""
    first = [one for one in type.properties if is_bound(one, FROM_WORDS, FROM_HAN)]
    last = [one for one in type.properties if is_bound(one, TO_WORDS, TO_HAN)]
    return (first[0], last[0]) if len(first) == len(last) == 1 and first != last else None


def is_bound(one: Property, words: frozenset[str], han: re.Pattern[str]) -> bool:
    may_be_day = one.type in ("date", "datetime", "integer", "string", "text")
    return may_be_day and (not words.isdisjoint(words_of(one.name)) or han.search(one.label) is not None)


def held_at(rows: Sequence[Instance], at: str, type: ObjectType) -> list[int]:
    """Return which rows hold at some time of a year, month, day, or span of them. Raises RefusedCall.

    A row that ends on the day on which another one begins does not hold on it any more; one without an end holds still.
    """
    period = interval_of(type)
    if period is None:
        known = {"object_type_id": type.id, "properties": [one.name for one in type.properties]}
        raise RefusedCall(Message("network.query.no_interval"), known)
    begin, _, end = at.partition("/")
    first, last = begin, (end or begin) + LAST_DAY[len(end or begin) - len("2024") :]
    bounds = [[shown(row.properties.get(one.name) or "") for one in period] for row in rows]
    begun = {since for since, _ in bounds}
    return [
        at
        for at, (since, until) in enumerate(bounds)
        if (since or until)
        and since <= last
        and (not until or (until > first if until in begun else until + LAST_DAY[len(until) - len("2024") :] >= first))
    ]


def names_apart(
    rows: Sequence[Instance], titles: Sequence[str], type: ObjectType, keys: Container[str]
) -> dict[str, str]:
    """Return titles by id; those of one name have what tells them apart behind them: Ann Lee (born 1901)."""
    named: dict[str, list[Instance]] = {}
    for row, title in zip(rows, titles, strict=True):
        named.setdefault(title, []).append(row)
    apart = [one for one in type.properties if one.name not in keys and one.name != type.display_key]
    found: dict[str, str] = {}
    for name, same in named.items():
        values = {one: [shown(row.properties.get(one.name) or "") for row in same] for one in apart}
        one = next((one for one, held in values.items() if all(held) and len({*held}) == len(same)), None)
        for at, row in enumerate(same):
            aside = f"{one.label} {values[one][at]}" if one else instance_id(row, type)
            found[instance_id(row, type)] = f"{name} ({aside})" if len(same) > 1 else name
    return found
