"""Messages to and from an ontology-query service, of either generation."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.errors import KnowledgeFailed
from tools.networks.records import (
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    ObjectType,
    PathQuery,
    Property,
    RelationType,
    Value,
    all_of,
    equals,
)
from tools.wording import Words

Json = dict[str, Any]
LACKING = Words(
    "知识网络服务的答复有误：缺少 {name}", "the answer of the service of knowledge networks is wrong: it lacks {name}"
)
NO_OBJECT = Words(
    "知识网络服务的答复不完整：路径上的对象没有内容",
    "the answer of the service of knowledge networks is incomplete: an object of a path has no content",
)
NO_LIST = Words(
    "知识网络服务的答复有误：{name} 应为对象的列表",
    "the answer of the service of knowledge networks is wrong: {name} must be a list of objects",
)
START_LIMIT = 1_000  # instances that a path may start at
# Either generation's names of an object's identity and of its name; rows have those with _ alone.
IDENTITIES = ("_instance_identity", "unique_identities")
DISPLAYS = ("_display", "display")


def condition_json(condition: Condition) -> Json:
    """Return a condition as the service reads it.

    `multi_match` also takes its fields as a list: newer servers read that alone, and search every field without it.
    """
    if condition.operation in ("and", "or"):
        return {
            "operation": condition.operation,
            "sub_conditions": [condition_json(one) for one in condition.sub_conditions],
        }
    fields = {"fields": [condition.field]} if condition.operation == "multi_match" else {}
    leaf = {"operation": condition.operation, "field": condition.field, "value": condition.value}
    return {**leaf, "value_from": "const", **fields}


def instances_json(query: InstanceQuery) -> Json:
    """Return the body of interface 1; the limit is always sent."""
    body: Json = {"limit": query.limit, "need_total": query.need_total}
    if query.condition is not None:
        body["condition"] = condition_json(query.condition)
    if query.properties:
        body["properties"] = list(query.properties)
    if query.sort:
        body["sort"] = [{"field": one.field, "direction": one.direction} for one in query.sort]
    if query.search_after:
        body["search_after"] = list(query.search_after)
    return body


def path_json(query: PathQuery) -> Json:
    """Return the body of interface 2 with its one path: it starts at the instance.

    A self-relation is always walked forward: its incoming side starts at every instance of the type.
    """
    key = [equals(name, value) for name, value in query.key.items()]
    own: Json = {
        "id": query.object_type_id,
        "condition": condition_json(key[0] if len(key) == 1 else all_of(*key)),
        "limit": 1,
    }
    if backwards(query):
        ends = [{"id": query.object_type_id, "limit": START_LIMIT}, own]
    else:
        ends = [own, {"id": query.neighbour_type_id, "limit": query.limit}]
    edge = {
        "relation_type_id": query.relation.id,
        "source_object_type_id": ends[0]["id"],
        "target_object_type_id": ends[1]["id"],
    }
    return {"relation_type_paths": [{"object_types": ends, "relation_types": [edge], "limit": query.limit}]}


def backwards(query: PathQuery) -> bool:
    """Return True if the instance is the end of its path."""
    return query.relation.reflexive and query.direction == "incoming"


def read_schema(body: Json) -> NetworkSchema:
    """Return a network's schema. Raises KnowledgeFailed."""
    return NetworkSchema(
        id=text(body, "id", needed=True),
        name=text(body, "name"),
        comment=text(body, "comment"),
        object_types=tuple(map(read_object_type, objects(body, "object_types"))),
        relation_types=tuple(map(read_relation_type, objects(body, "relation_types"))),
    )


def read_object_type(one: Json) -> ObjectType:
    """Return an object type."""
    properties = objects(one, "data_properties")
    mapped = any("mapped_field" in known for known in properties)
    return ObjectType(
        id=text(one, "id", needed=True),
        name=text(one, "name"),
        comment=text(one, "comment"),
        properties=tuple(read_property(known, mapped) for known in properties),
        primary_keys=tuple(map(str, one.get("primary_keys") or ())),
        display_key=text(one, "display_key"),
    )


def read_property(one: Json, mapped: bool) -> Property:
    """Return a data property; where others of its type name their field and this one does not, it has none."""
    field = one.get("mapped_field")
    return Property(
        name=text(one, "name", needed=True),
        display_name=text(one, "display_name"),
        type=text(one, "type"),
        comment=text(one, "comment"),
        condition_operations=tuple(map(str, one.get("condition_operations") or ())),
        mapped_field=(text(field, "name") if isinstance(field, dict) else "") if mapped else None,
    )


def read_relation_type(one: Json) -> RelationType:
    """Return a relation type."""
    return RelationType(
        id=text(one, "id", needed=True),
        name=text(one, "name"),
        comment=text(one, "comment"),
        source_object_type_id=text(one, "source_object_type_id", needed=True),
        target_object_type_id=text(one, "target_object_type_id", needed=True),
        mapping=read_mapping(one.get("mapping_rules")),
    )


def read_mapping(rules: Any) -> tuple[tuple[str, str], ...]:
    """Return the pairs of properties that a relation finds equal; () where it goes through a view of links."""
    pairs = [(end_of(rule, "source"), end_of(rule, "target")) for rule in rules] if isinstance(rules, list) else []
    return tuple(pairs) if all(source and target for source, target in pairs) else ()


def end_of(rule: Any, side: str) -> str:
    """Return the property at one side of a rule, '' where the rule is of another shape."""
    end = rule.get(f"{side}_property", rule.get(side)) if isinstance(rule, dict) else None
    name = end.get("name") if isinstance(end, dict) else end
    return name if isinstance(name, str) else ""


def read_page(body: Json, query: InstanceQuery) -> InstancePage:
    """Return the rows of interface 1. Raises KnowledgeFailed."""
    if "datas" not in body:
        raise KnowledgeFailed(LACKING.of(name="datas"))
    total = body.get("total_count")
    return InstancePage(
        rows=tuple(read_row(row, query.object_type_id) for row in objects(body, "datas")),
        total_count=total if isinstance(total, int) and total else None,
        search_after=tuple(body.get("search_after") or ()),
    )


def read_row(row: Json, object_type_id: str) -> Instance:
    """Return a row; fields that begin with _ are the system's, as no property does."""
    score = row.get("_score")
    return Instance(
        object_type_id=object_type_id,
        properties={name: value for name, value in row.items() if not name.startswith("_")},
        identity=mapping(row, IDENTITIES[:1]),
        display=first_text(row, DISPLAYS[:1]),
        score=float(score) if isinstance(score, int | float) else None,
    )


def read_neighbours(body: Json, query: PathQuery) -> tuple[Instance, ...]:
    """Return the objects at the other end of every path, each once, in order. Raises KnowledgeFailed.

    The request says which end is meant: keys are looked up, never parsed.
    """
    if "entries" not in body:
        raise KnowledgeFailed(LACKING.of(name="entries"))
    end = "source_object_id" if backwards(query) else "target_object_id"
    found: dict[str, Instance] = {}
    for entry in objects(body, "entries"):
        known = entry.get("objects") or {}
        for path in objects(entry, "relation_paths"):
            for edge in objects(path, "relations"):
                key = str(edge.get(end))
                if key not in found:
                    found[key] = read_object(known.get(key), query)
    return tuple(found.values())[: query.limit]


def read_object(one: Any, query: PathQuery) -> Instance:
    """Return an object of a path. Raises KnowledgeFailed for one that a path names and the answer lacks."""
    if not isinstance(one, dict):
        raise KnowledgeFailed(NO_OBJECT)
    properties = one.get("properties") or {}
    return Instance(
        object_type_id=text(one, "object_type_id") or query.neighbour_type_id,
        object_type_name=text(one, "object_type_name"),
        properties={name: value for name, value in properties.items() if not name.startswith("_")},
        identity=mapping(one, IDENTITIES),
        display=first_text(one, DISPLAYS),
    )


def mapping(record: Json, names: Sequence[str]) -> Mapping[str, Value]:
    """Return the first of these fields that holds names with values."""
    return next((record[name] for name in names if isinstance(record.get(name), dict)), {})


def first_text(record: Json, names: Sequence[str]) -> str:
    """Return the first of these fields that is given."""
    return next((str(record[name]) for name in names if record.get(name) is not None), "")


def objects(record: Json, name: str) -> list[Json]:
    """Return a list of objects; null is an empty one. Raises KnowledgeFailed for anything else."""
    rows = record.get(name) or []
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise KnowledgeFailed(NO_LIST.of(name=name))
    return rows


def text(record: Json, name: str, *, needed: bool = False) -> str:
    """Return a text; null is empty. Raises KnowledgeFailed where one is needed."""
    value = record.get(name)
    if needed and not (isinstance(value, str) and value):
        raise KnowledgeFailed(LACKING.of(name=name))
    return "" if value is None else str(value)
