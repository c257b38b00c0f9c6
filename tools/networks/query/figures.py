"""Instances of a network under conditions: which they are, how many, and figures of what they hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.networks.naming import instance_id, instance_name
from tools.networks.query.paths import NetworkRows, Path, Way, path_of, ways_from
from tools.networks.records import Instance, NetworkSchema, ObjectType
from tools.networks.refusals import Refused
from tools.tables.rows import NONE_OF, Aggregate, Condition, figure, ranked, shown
from tools.wording import Words

Wanted = Literal["list", "count", "sum", "average", "max", "min"]
Order = Literal["none", "asc", "desc"]
Link = tuple[Way, str, str]  # a relation, and id and name of the instance at its end
BAD_CONDITION = Words(
    "条件应写作“路径 运算符 值”，如 customer.country == Norway",
    "a condition is “path operation value”, such as customer.country == Norway",
)
BAD_PATH = Words("对象类型没有这条路径", "the object type has no such path")
NO_PROPERTY = Words("需要 property：统计哪个属性", "property is needed: what the figure is of")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of the instances of a type.

    Attributes:
        filters: conditions that all hold.
        property: path to what is listed, or what a figure is of.
        group_by: path to what the figure is told for each of.
    """

    type: ObjectType
    filters: Sequence[Condition] = ()
    wanted: Wanted = "list"
    property: str | None = None
    group_by: str | None = None
    order: Order = "none"
    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """What instances have in common, with their figure; `id` is that of an instance, or the value itself."""

    id: str
    name: str
    value: Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the rows give.

    Attributes:
        total: of the instances that the conditions hold for, or of the groups.
        rows: the first of them, each with what is listed of it by label.
        links: of each row, by its id, the relations that conditions name, with the instances at their ends.
        value: the figure of them all; None of nothing.
    """

    total: int
    label: str = ""
    rows: Sequence[tuple[Instance, Mapping[str, Sequence[Any]]]] = ()
    links: Mapping[str, Sequence[Link]] = field(default_factory=dict[str, Sequence[Link]])
    groups: Sequence[Group] = ()
    value: Any = None


@dataclass(slots=True)
class Figures:
    """Answers what is asked from the rows of a network."""

    rows: NetworkRows
    schema: NetworkSchema = field(init=False)

    def __post_init__(self) -> None:
        """Know the schema."""
        self.schema = self.rows.schema

    async def __call__(self, asked: Asked) -> Found:
        """Return the instances, or figures of them. Raises Refused for a path that is not there, KnowledgeError."""
        kept = await self.kept(asked)
        path = self.path(asked.property, asked.type) if asked.property else None
        how = asked.wanted
        if how == "list":
            return await self.listed(asked, kept, path)
        if path is None and how != "count":
            raise Refused(NO_PROPERTY, {"aggregate": how})
        values = await self.rows.at(path, asked.type) if path else {}
        label = path.label if path else asked.type.name
        if asked.group_by:
            return await self.grouped(asked, how, kept, values, label)
        held = values_of_rows(asked, kept, values)
        return Found(total=len(kept), label=label, value=figure(held, how))

    async def kept(self, asked: Asked) -> list[Instance]:
        """Return the instances that every condition holds for."""
        found = list(await self.rows.rows(asked.type))
        for one in asked.filters:
            path = self.path(one.path, asked.type)
            values = await self.texts(path, asked.type)
            found = [row for row in found if one.holds(values[instance_id(row, asked.type)])]
        return found

    async def texts(self, path: Path, type: ObjectType) -> dict[str, list[Any]]:
        """Return the values under a path; of instances their ids and names."""
        reached = await self.rows.at(path, type)
        if path.last is not None:
            return reached
        return {
            id: [text for one in found for text in (instance_id(one, path.type), instance_name(one, path.type))]
            for id, found in reached.items()
        }

    async def listed(self, asked: Asked, kept: Sequence[Instance], path: Path | None) -> Found:
        """Return the first instances in order, each with what is asked of it, its own values behind conditions too."""
        paths = [self.path(one.path, asked.type) for one in asked.filters]
        told = [path] if path else []
        told += [one for one in paths if one.last and not one.ways]
        held = [(one.label, await self.named(one, asked.type)) for one in told]
        links = await self.linked(asked, paths)
        rows = list(kept)
        if path and asked.order != "none":
            rows = in_order(rows, await self.texts(path, asked.type), asked)
        return Found(
            total=len(rows),
            label=path.label if path else "",
            links=links,
            rows=[
                (row, {label: values[instance_id(row, asked.type)] for label, values in held})
                for row in rows[: asked.limit]
            ],
        )

    async def linked(self, asked: Asked, paths: Sequence[Path]) -> dict[str, list[Link]]:
        """Return the relations that conditions of one step name, by the id of the row that they hold for."""
        found: dict[str, list[Link]] = {}
        for condition, path in zip(asked.filters, paths, strict=True):
            if path.last is None and len(path.ways) == 1 and condition.operation not in NONE_OF:
                for id, ends in (await self.rows.at(path, asked.type)).items():
                    called = [(instance_id(one, path.type), instance_name(one, path.type)) for one in ends]
                    met = [(path.ways[0], *one) for one in called if condition.holds(one)]
                    found.setdefault(id, []).extend(met)
        return found

    async def named(self, path: Path, type: ObjectType) -> dict[str, list[Any]]:
        """Return the values under a path; of instances their names."""
        reached = await self.rows.at(path, type)
        if path.last is not None:
            return reached
        return {id: [instance_name(one, path.type) for one in found] for id, found in reached.items()}

    async def grouped(
        self, asked: Asked, how: Aggregate, kept: Sequence[Instance], values: Mapping[str, Sequence[Any]], label: str
    ) -> Found:
        """Return the figure for each group, in order; groups without instances are counted too."""
        assert asked.group_by is not None
        path = self.path(asked.group_by, asked.type)
        reached = await self.rows.at(path, asked.type)
        names: dict[str, str] = {}
        members: dict[str, list[Instance]] = {}
        if path.last is None:
            names = {
                instance_id(one, path.type): instance_name(one, path.type) for one in await self.rows.rows(path.type)
            }
            members = {id: [] for id in names}
        for row in kept:
            for one in reached[instance_id(row, asked.type)]:
                id = shown(one) if path.last else instance_id(one, path.type)
                names.setdefault(id, id)
                members.setdefault(id, []).append(row)
        figures = {id: figure(values_of_rows(asked, rows, values), how) for id, rows in members.items()}
        order = ranked(figures, descending=asked.order != "asc")
        groups = [Group(id=id, name=names[id], value=value) for id, value in order]
        return Found(total=len(groups), label=label, groups=groups[: asked.limit])

    def path(self, text: str, type: ObjectType) -> Path:
        """Return a path from a type. Raises Refused, with what there is."""
        found = path_of(text, type, self.schema)
        if found is None:
            properties = [one.name for one in type.properties]
            ways = {way.text: way.end for way in ways_from(type.id, self.schema)}
            raise Refused(
                BAD_PATH, {"object_type_id": type.id, "path": text, "properties": properties, "relations": ways}
            )
        return found


def values_of_rows(asked: Asked, rows: Sequence[Instance], values: Mapping[str, Sequence[Any]]) -> list[Any]:
    """Return what a figure is of: the rows themselves, or what stands under the path from each."""
    if not asked.property:
        return list(rows)
    return [value for row in rows for value in values[instance_id(row, asked.type)]]


def in_order(rows: Sequence[Instance], values: Mapping[str, Sequence[Any]], asked: Asked) -> list[Instance]:
    """Return the rows that hold a value by the first of theirs."""
    by_id = {instance_id(row, asked.type): row for row in rows}
    firsts = {id: values[id][0] for id in by_id if values[id]}
    return [by_id[id] for id, _ in ranked(firsts, descending=asked.order == "desc")]
