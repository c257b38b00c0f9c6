"""Which types of a network a question is about."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from tools.networks.likeness import bigrams, plain
from tools.networks.records import NetworkSchema, ObjectType, Property, RelationType

TOP_K = 10  # relation types kept, and half the object types
# What a likeness counts for, by where it was found; a comment says much that is not asked.
NAME, END, PROPERTY, COMMENT = 1.0, 0.8, 0.7, 0.5
LEAST = 0.25  # below it nothing of a label is in the question but a stray pair of characters
WORDS = re.compile(r"[a-z0-9]+")


def recalled(question: str, schema: NetworkSchema) -> tuple[list[ObjectType], list[RelationType]]:
    """Return the object types and relation types that a question is about, most relevant first.

    A network of at most TOP_K relation types and 2 * TOP_K object types is kept whole.
    """
    objects, relations = schema.object_types, schema.relation_types
    if len(relations) <= TOP_K and len(objects) <= 2 * TOP_K:
        return list(objects), list(relations)
    text = plain(question)
    own = {one.id: type_score(text, one) for one in objects}
    scored = [(relation_score(text, one, own), one) for one in relations]
    kept = [one for score, one in sorted(scored, key=lambda pair: -pair[0]) if score >= LEAST][:TOP_K]
    ends = dict.fromkeys(end for one in kept for end in (one.source_object_type_id, one.target_object_type_id))
    hits = [id for id in sorted(own, key=lambda id: -own[id]) if own[id] >= LEAST]
    ids = list(dict.fromkeys([*ends, *hits]))[: 2 * TOP_K]
    by_id = {one.id: one for one in objects}
    return [by_id[id] for id in ids if id in by_id], kept


def relation_score(text: str, one: RelationType, own: dict[str, float]) -> float:
    """Return how much of a question a relation type is about, its ends included."""
    ends = max(own.get(one.source_object_type_id, 0.0), own.get(one.target_object_type_id, 0.0))
    return max(NAME * likeness(text, [one.name, one.id]), COMMENT * likeness(text, [one.comment]), END * ends)


def type_score(text: str, one: ObjectType) -> float:
    """Return how much of a question an object type is about: its name, its comment, its properties."""
    properties = [label for prop in one.properties for label in (prop.display_name, prop.name)]
    return max(
        NAME * likeness(text, [one.name, one.id]),
        COMMENT * likeness(text, [one.comment]),
        PROPERTY * likeness(text, properties),
    )


def likeness(text: str, labels: Iterable[str]) -> float:
    """Return the best share of a label that stands in a text, 0..1: bigrams of Chinese, words of identifiers."""
    return max((part_of(text, plain(label)) for label in labels if label), default=0.0)


def part_of(text: str, label: str) -> float:
    """Return the share of one label that stands in a text."""
    if len(label) > 1 and label in text:
        return 1.0
    pairs = bigrams(label)
    if pairs and not label.isascii():
        return len(pairs & bigrams(text)) / len(pairs)
    words, known = set(WORDS.findall(label)), set(WORDS.findall(text))
    return len(words & known) / len(words) if words else 0.0


def object_concept(one: ObjectType) -> dict[str, Any]:
    """Return an object type as the tool tells it."""
    return {
        "concept_type": "object_type",
        "concept_id": one.id,
        "concept_name": one.name,
        "properties": [property_concept(prop) for prop in one.properties],
        "primary_key_field": one.primary_keys[0] if one.primary_keys else None,
        "primary_keys": list(one.primary_keys),
        "display_key": one.display_key or None,
    }


def property_concept(one: Property) -> dict[str, Any]:
    """Return a property as the tool tells it."""
    return {
        "name": one.name,
        "display_name": one.display_name,
        "type": one.type,
        "comment": one.comment,
        "condition_operations": list(one.condition_operations),
    }


def relation_concept(one: RelationType) -> dict[str, Any]:
    """Return a relation type as the tool tells it."""
    return {
        "concept_type": "relation_type",
        "concept_id": one.id,
        "concept_name": one.name,
        "source_object_type_id": one.source_object_type_id,
        "target_object_type_id": one.target_object_type_id,
    }


def concepts(objects: Sequence[ObjectType], relations: Sequence[RelationType]) -> dict[str, Any]:
    """Return the answer of the schema step."""
    return {
        "object_types": [object_concept(one) for one in objects],
        "relation_types": [relation_concept(one) for one in relations],
    }
