"""Interface 1: instances of one object type (§1.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.ontology_service.conditions import Fields, Generation, check, score
from tests.ontology_service.network import Key, Network, key_of
from tests.ontology_service.refusals import Json, bad_body, bad_condition, unknown_type

MOST = 10_000
DEFAULTS: dict[Generation, int] = {"older": 0, "newer": 10}  # KNO-15
FLAGS = ("include_type_info", "include_logic_params", "ignoring_store_cache", "exclude_system_properties")


def answer(network: Network, kind_id: str, body: Json, flags: Mapping[str, str], generation: Generation) -> Json:
    """Return the answer of interface 1. Raises Refusal."""
    options = {name: flag(flags, name) for name in FLAGS}
    kind = network.object_type(kind_id)
    if kind is None:
        raise unknown_type(kind_id)
    check_body(body, kind, generation)
    found = matching(network, kind, body, generation)
    after = body.get("search_after") or []
    rest = [pair for pair in found if not after or position(pair, kind) > tuple_of(after)]
    rows = rest[: limit_of(body, generation)]
    reply: Json = {
        "datas": [row_json(kind, row, hit, body, generation, options) for hit, row in rows],
        "search_after": list_of(position(rows[-1], kind)) if rows and len(rest) > len(rows) else [],
        "overall_ms": 1,
        "search_from_index": indexed(kind),
    }
    if options["include_type_info"]:
        reply["object_type"] = {"id": kind["id"], "name": kind["name"]}
    if body.get("need_total") and not after and found:
        reply["total_count"] = len(found)
    return reply


def flag(flags: Mapping[str, str], name: str) -> bool:
    """Return a flag of the query string (KNO-13)."""
    value = flags.get(name, "false")
    if value not in ("true", "false"):
        raise bad_body(f"{name} must be a boolean, got {value}")
    return value == "true"


def check_body(body: Json, kind: Json, generation: Generation) -> None:
    """Refuse a body that the service does not take (KNO-14, KNO-15)."""
    limit = body.get("limit", DEFAULTS[generation])
    if not isinstance(limit, int) or isinstance(limit, bool):
        raise bad_body("limit must be an integer")
    if generation == "newer" and not 1 <= limit <= MOST:
        raise bad_body(f"limit must be between 1 and {MOST}, got {limit}")
    names = {one["name"] for one in kind["properties"]}
    for name in body.get("properties") or []:
        if name not in names:
            raise bad_body(f"property {name} does not exist")
    for one in body.get("sort") or []:
        if one.get("direction") not in ("asc", "desc") or one.get("field") not in names | {"_score"}:
            raise bad_body(f"bad sort {one}")


def limit_of(body: Json, generation: Generation) -> int:
    """Return how many rows an answer has at most (KNO-14, KNO-15)."""
    limit: int = body.get("limit", DEFAULTS[generation])
    return MOST if not limit and body.get("search_after") else limit


def matching(network: Network, kind: Json, body: Json, generation: Generation) -> list[tuple[float, Json]]:
    """Return the rows that match with their scores, in order. Raises Refusal."""
    rows: Sequence[Json] = network.rows[kind["id"]]
    condition = body.get("condition")
    scored = [(1.0, row) for row in rows]
    if condition is not None:
        if not isinstance(condition, dict):
            raise bad_condition("condition must be an object")
        check(condition, fields_of(kind, generation))
        scored = [(hit, row) for row in rows if (hit := score(condition, row))]
    scored.sort(key=lambda pair: position(pair, kind))
    for one in reversed(body.get("sort") or []):
        scored.sort(key=lambda pair: by_field(pair, one["field"]), reverse=one["direction"] == "desc")
    return scored


def fields_of(kind: Json, generation: Generation) -> Fields:
    """Return what conditions may name."""
    return Fields({one["name"]: wire_property(one) for one in kind["properties"]}, generation, indexed(kind))


def wire_property(one: Json) -> Json:
    """Return a property with the field that it comes from, and what is indexed of it.

    One that is written with `mapped: false` has no field; `fulltext: true` switches the full-text index on.
    """
    field = {"name": one["name"] if one.get("mapped", True) else "", "type": one["type"]}
    index = {"fulltext_config": {"enabled": bool(one.get("fulltext"))}}
    return {**one, "mapped_field": field, "index_config": index}


def indexed(kind: Json) -> bool:
    """Tell whether a type has an index."""
    return bool(kind.get("index", True))


def by_field(pair: tuple[float, Json], name: str) -> Any:
    """Return what an order compares."""
    return (False, False, pair[0]) if name == "_score" else sortable([pair[1].get(name)])[0]


def position(pair: tuple[float, Json], kind: Json) -> tuple[Any, ...]:
    """Return where a row stands in the default order: score, then primary keys."""
    return (-pair[0], *sortable(key_of(pair[1], kind)))


def sortable(key: Key | list[Any]) -> tuple[Any, ...]:
    """Return values so that any two can be compared: numbers before texts before nothing."""
    return tuple((value is None, isinstance(value, str), 0 if value is None else value) for value in key)


def list_of(place: tuple[Any, ...]) -> list[Any]:
    """Return a place in the order as JSON."""
    return [-place[0], *[value for _, _, value in place[1:]]]


def tuple_of(after: list[Any]) -> tuple[Any, ...]:
    """Return a place in the order from JSON."""
    return (-after[0], *sortable(after[1:]))


def row_json(
    kind: Json, row: Json, hit: float, body: Json, generation: Generation, options: Mapping[str, bool]
) -> Json:
    """Return a row as the answer has it (KNO-16); newer servers add what tells it apart."""
    wanted = body.get("properties") or [one["name"] for one in kind["properties"]]
    told: Json = {name: row.get(name) for name in wanted}
    told["_score"] = hit
    if generation == "newer" and not options["exclude_system_properties"]:
        told.update(system_fields(kind, row))
    return told


def system_fields(kind: Json, row: Json) -> Json:
    """Return the newer generation's fields of an object."""
    return {
        "_instance_id": object_key(kind, row, "newer"),
        "_instance_identity": {name: row.get(name) for name in kind.get("primary_keys") or []},
        "_display": row.get(kind.get("display_key") or ""),
    }


def object_key(kind: Json, row: Json, generation: Generation) -> str:
    """Return the key of an object (KNO-30)."""
    missing = "__NULL__" if generation == "newer" else ""
    return f"{kind['id']}-" + "_".join(missing if part is None else str(part) for part in key_of(row, kind))
