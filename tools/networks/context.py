"""The answer of the keyword step, its compact form (docs/spec/knowledge.md §6-7), and its evidence.

One property value or one relation is one piece of evidence.
"""

import json
import logging
import uuid
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from state.schema import Evidence, EvidenceKind
from tools.evidence import NAMESPACE, blank, unique
from tools.formatting import dump, shorten
from tools.language import cost
from tools.networks.keyword import Match, NeighbourLink, values_of
from tools.networks.records import ObjectType, instance_id, instance_name
from tools.text.scripts import bare

logger = logging.getLogger(__name__)

COMPACT_CHARACTERS = 200
# What an answer over the budget is cut to, step by step: characters of a value, neighbours, instances.
TEXT_STEPS = (100, 40)
# What a schema over the budget tells of properties, and of how many of each type.
NAMES = ("name", "display_name")
SCHEMA_STEPS = (((*NAMES, "type", "comment"), 1_000), (NAMES, 1_000), (NAMES[:1], 1_000), (NAMES, 12), (NAMES[:1], 4))


def instance_record(match: Match, type: ObjectType, properties: Mapping[str, Any], *, is_new: bool) -> dict[str, Any]:
    return {
        "instance_id": instance_id(match.instance, type),
        "object_type_id": type.id,
        "instance_name": instance_name(match.instance, type),
        "properties": dict(properties),
        "neighbors": [],
        "match_type": "exact" if match.exact else "fuzzy",
        "is_new": is_new,
    }


def neighbour_record(link: NeighbourLink, type: ObjectType) -> dict[str, Any]:
    return {
        "instance_id": instance_id(link.neighbour, type),
        "object_type_id": type.id,
        "instance_name": instance_name(link.neighbour, type),
        "relation_type_id": link.relation.id,
        "relation_type_name": link.relation.name,
        "relation_direction": link.direction,
        "properties": dict(link.neighbour.properties),
    }


def compact(value: Any, characters: int = COMPACT_CHARACTERS) -> Any:
    if isinstance(value, Mapping):
        return {name: compact(one, characters) for name, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return [compact(one, characters) for one in value]
    return shorten(value, characters) if isinstance(value, str) else value


def keyword_text(answer: Mapping[str, Any], budget: int) -> str:
    """Return the compact answer as JSON within a budget: shorter values, bare neighbours, fewer of all."""
    small = compact(answer)
    context = small["keyword_context"]
    if cost(dump(small)) <= budget:
        return dump(small)
    logger.info("Cut a keyword context of %d characters to %d", cost(dump(small)), budget)
    context["truncated"] = True
    for characters in TEXT_STEPS:
        small = compact(small, characters)
        if cost(dump(small)) <= budget:
            return dump(small)
    context = small["keyword_context"]
    for neighbour in (one for instance in context["instances"] for one in instance.get("neighbors", ())):
        neighbour.pop("properties", None)
    instances = context["instances"]
    while cost(dump(small)) > budget:  # last neighbours go, then last instances
        most = max(instances, key=lambda one: len(one.get("neighbors", ())), default=None)
        if most and (count := len(most.get("neighbors", ()))) > 1:
            most["neighbors"] = most["neighbors"][: count // 2]
        elif len(instances) > 1:
            instances.pop()
        else:
            break
    return dump(small)


def schema_text(answer: Mapping[str, Any], budget: int) -> str:
    """Return the compact schema as JSON within a budget: every type stays, its properties say less and less."""
    small = compact(answer)
    if cost(dump(small)) <= budget:
        return dump(small)
    logger.info("Cut a schema of %d characters to %d", cost(dump(small)), budget)
    shown = small
    for keys, most in SCHEMA_STEPS:
        types = [
            {**type, "properties": [{k: one[k] for k in keys if one.get(k)} for one in type["properties"][:most]]}
            for type in small["object_types"]
        ]
        shown = {**small, "object_types": types, "truncated": True}
        if cost(dump(shown)) <= budget:
            break
    return dump(shown)


MOST_PIECES = 120  # of one call: a state that holds every property of fifty neighbours helps nobody
INCOMING = "incoming"
# How near a piece is to its keyword: of the instance of that name, with that value, like it, of a neighbour.
NAMED, EXACT, FUZZY, NEAR = 1.0, 0.8, 0.6, 0.4


def pieces_of(answer: Mapping[str, Any], network_id: str, types: Mapping[str, ObjectType]) -> list[Evidence]:
    """Return the values and relations of a keyword context: the instances', then their neighbours' values."""
    context = answer["keyword_context"]
    instances, keyword = context["instances"], context["keyword"]
    own = [
        with_score(piece, nearness(one, keyword))
        for one in instances
        for piece in (*values(one, network_id, types), *relations(one, network_id))
    ]
    near = [
        with_score(piece, NEAR)
        for one in instances
        for other in one["neighbors"]
        for piece in values(other, network_id, types)
    ]
    return unique([*own, *near])[:MOST_PIECES]


def with_score(piece: Evidence, score: float) -> Evidence:
    return Evidence({**piece, "score": score})


def nearness(instance: Mapping[str, Any], keyword: str) -> float:
    if bare(instance["instance_name"]) == bare(keyword):
        return NAMED
    return EXACT if instance["match_type"] == "exact" else FUZZY


def values(instance: Mapping[str, Any], network_id: str, types: Mapping[str, ObjectType]) -> Iterator[Evidence]:
    type = types.get(instance["object_type_id"])
    names = {one.name: one.label for one in type.properties} if type else {}
    for name, held in instance["properties"].items():
        for value in values_of(held):
            if value not in (None, ""):
                label = names.get(name) or name
                key = [network_id, instance["object_type_id"], instance["instance_id"], name, str(value)]
                row = (instance["instance_name"], label, spoken(value))
                yield piece("property", key, row, instance["instance_id"])


def relations(instance: Mapping[str, Any], network_id: str) -> Iterator[Evidence]:
    for other in instance["neighbors"]:
        ends = (instance, other) if other["relation_direction"] != INCOMING else (other, instance)
        source, target = ends
        label = other["relation_type_name"] or other["relation_type_id"]
        key = [one[name] for one in ends for name in ("object_type_id", "instance_id")]
        row = (source["instance_name"], label, target["instance_name"])
        yield piece("relation", [network_id, other["relation_type_id"], *key], row, source["instance_id"])


def spoken(value: Any) -> str:
    if isinstance(value, bool):
        return "是" if value else "否"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def piece(kind: EvidenceKind, key: Sequence[str], row: tuple[str, str, str], instance_id: str) -> Evidence:
    """Return one piece; `library` is the network, `source` the instance, `title` its name, `location` ends in a label.

    Args:
        kind: a property or a relation.
        key: network and what else tells this piece from all others.
        row: the name of the instance, the label, and the value or the name of the other instance.
        instance_id: of the instance.
    """
    name, label, value = row
    found = blank(
        kind,
        str(uuid.uuid5(NAMESPACE, json.dumps(["network", kind, *key], ensure_ascii=False))),
        text_of(row),
        library=key[0],
        source=instance_id,
        entities=list(dict.fromkeys([name, value] if kind == "relation" else [name])),
        title=name,
        location=f"{key[0]} / {instance_id} / {label}",
    )
    return {**found, "value": value}


def text_of(row: tuple[str, str, str]) -> str:
    return "{} — {}: {}".format(*row)
