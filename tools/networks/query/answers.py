"""What the query tools answer: as plain data for a program and a model, and figures as evidence."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from state.schema import Evidence
from tools.formatting import dump
from tools.networks.context import compact
from tools.networks.naming import instance_id, instance_name
from tools.networks.pieces import piece, spoken
from tools.networks.query.figures import BAD_CONDITION, Asked, Found, Order, Wanted
from tools.networks.records import NetworkSchema, ObjectType
from tools.networks.refusals import Refused
from tools.tables.rows import Condition
from tools.wording import Words

FIGURES: Mapping[str, Words] = {
    "count": Words("{label}数量", "number of {label}"),
    "sum": Words("{label}总计", "total {label}"),
    "average": Words("平均{label}", "average {label}"),
    "max": Words("最大{label}", "greatest {label}"),
    "min": Words("最小{label}", "least {label}"),
}
WHERE = Words("{type}（{filters}）", "{type} ({filters})")
AND = Words("，", ", ")
PART = Words("只统计了前 20000 个实例", "only the first 20000 instances are counted")


class QueryArguments(Protocol):
    """What the query tools have in common."""

    filters: list[str]
    aggregate: Wanted
    group_by: str | None
    order: Order
    limit: int


def kind_of(schema: NetworkSchema, id: str) -> ObjectType:
    """Return the object type of an id that is there."""
    return next(one for one in schema.object_types if one.id == id)


def to_asked(arguments: QueryArguments, type: ObjectType, property: str | None) -> Asked:
    """Return what is asked of a type. Raises Refused for a condition that is none."""
    filters: list[Condition] = []
    for text in arguments.filters:
        condition = Condition.parsed(text)
        if condition is None:
            raise Refused(BAD_CONDITION, {"filter": text})
        filters.append(condition)
    return Asked(
        type=type,
        filters=filters,
        wanted=arguments.aggregate,
        property=property,
        group_by=arguments.group_by,
        order=arguments.order,
        limit=arguments.limit,
    )


def record(found: Found, asked: Asked, *, cut: bool) -> dict[str, Any]:
    """Return what was found as plain data."""
    told: dict[str, Any] = {"object_type_id": asked.type.id, "aggregate": asked.wanted, "total": found.total}
    if asked.group_by:
        told["groups"] = [{"id": one.id, "name": one.name, "value": one.value} for one in found.groups]
    elif asked.wanted == "list":
        told["instances"] = [
            {
                "instance_id": instance_id(row, asked.type),
                "instance_name": instance_name(row, asked.type),
                **({"values": dict(held)} if asked.property else {}),
                "properties": dict(row.properties),
            }
            for row, held in found.rows
        ]
    else:
        told["value"] = found.value
    return told | ({"warning": PART.say()} if cut else {})


def fitted(data: dict[str, Any], budget: int) -> str:
    """Return data as JSON within a budget of characters: fewer instances or groups where it is too long."""
    small = compact(data)
    rows = small.get("instances") or small.get("groups") or []
    while rows and len(dump(small)) > budget:
        rows.pop()
        small["truncated"] = True
    return dump(small)


def figure_pieces(found: Found, asked: Asked, network_id: str) -> Iterator[Evidence]:
    """Give how many or how much it is, or each group with its figure, as evidence."""
    how = "count" if asked.wanted == "list" else asked.wanted
    label = FIGURES[how].say(label=asked.type.name if how == "count" else found.label)
    where = described(asked)
    key = [network_id, asked.type.id, *(one.text for one in asked.filters)]
    for group in found.groups:
        yield piece("property", [*key, group.id, label], (group.name, label, spoken(group.value)), group.id)
    value = found.total if asked.wanted == "list" else found.value
    if not asked.group_by and value is not None:
        yield piece("property", [*key, label], (where, label, spoken(value)), asked.type.id)


def described(asked: Asked) -> str:
    """Return which instances are meant, for people."""
    filters = AND.say().join(one.text for one in asked.filters)
    return WHERE.say(type=asked.type.name, filters=filters) if filters else asked.type.name
