"""The steps that a question takes from an instance: relations by their names, neighbours by their type, a property."""

from collections.abc import Iterator
from dataclasses import dataclass

from tools.networks.figures import keys_of
from tools.networks.lexicon import ALIASES
from tools.networks.records import Direction, NetworkSchema, ObjectType, RelationType
from tools.networks.words import relation_of, terms_in
from wenmai.minds.offline.networks.asking import TOLD, asks_for

MOST_STEPS = 4
LAST = 1.2  # how much the rest of a question must ask for a property at the end of a walk
OUTGOING: Direction = "outgoing"
INCOMING: Direction = "incoming"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: along a relation, or to a property where `direction` is None.

    Attributes:
        label: of the relation or property; `said` is how an answer calls what it leads to.
        leads_to: type of what a relation leads to, of a property the type that has it.
    """

    label: str
    said: str
    direction: Direction | None
    leads_to: ObjectType


@dataclass(frozen=True, slots=True)
class Found:
    """A step with where a text names it."""

    start: int
    end: int
    step: Step


def steps_of(before: str, behind: str, type: ObjectType, schema: NetworkSchema, *, english: bool) -> tuple[Step, ...]:
    """Return the steps that a question takes from an instance; () where it asks for one label of the instance itself.

    Args:
        before: the question up to the name.
        behind: the question from the name on.
        type: of the instance.
        schema: of its network.
        english: whether what stands before the name is read too: the birthplace of the captain of ….
    """
    steps = list(forward(behind, type, schema))
    if english and not (steps and steps[-1].direction is None):
        steps += backward(before, behind, steps[-1].leads_to if steps else type, schema)
    return tuple(steps) if len(steps) > 1 else ()


def forward(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Step]:
    """Give the steps that a text names one behind the other, a property last."""
    taken = ""
    for _ in range(MOST_STEPS):
        found = next_step(text, type, schema)
        if found is None or found.step.label == taken:  # 哪条船的船长 goes back where it came from
            break
        yield found.step
        text, type, taken = text[found.end :], found.step.leads_to, found.step.label
    if (last := last_step(text, type, schema)) is not None:
        yield last


def backward(text: str, behind: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Step]:
    """Give the steps that an English text names before the instance, the nearest first: birthplace of the captain of.

    What is asked of the last may stand behind the name: where was the captain of … born.
    """
    for _ in range(MOST_STEPS):
        named = list(relations_named(text, type, schema))
        if not named:
            break
        found = max(named, key=lambda one: (one.end, one.end - one.start))
        yield found.step
        text, type = text[: found.start], found.step.leads_to
    if (last := last_step(f"{text} {behind}", type, schema)) is not None:
        yield last


def next_step(text: str, type: ObjectType, schema: NetworkSchema) -> Found | None:
    """Return the first step that a text names, the longest of those that begin there."""
    found = [*relations_named(text, type, schema), *neighbours_named(text, type, schema)]
    return min(found, key=lambda one: (one.start, one.start - one.end), default=None)


def relations_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Found]:
    """Give where a text names a relation that leads out of a type."""
    for term in terms_in(text, schema):
        if term.kind == "relation" and term.type_id == type.id:
            relation = relation_of(schema, term.id)
            if other := schema.object_type(relation.target_object_type_id):
                yield Found(term.start, term.end, Step(relation.name, relation.name, OUTGOING, other))


def neighbours_named(text: str, type: ObjectType, schema: NetworkSchema) -> Iterator[Found]:
    """Give where a text names the type of what leads to a type: 船 behind a house that ships belong to."""
    types = [term for term in terms_in(text, schema) if term.kind == "type"]
    for relation in schema.relation_types:
        if relation.target_object_type_id == type.id and not relation.reflexive and is_only(relation, schema):
            for term in types:
                other = schema.object_type(relation.source_object_type_id)
                if other and term.id == other.id:
                    yield Found(term.start, term.end, Step(relation.name, other.name, INCOMING, other))


def is_only(relation: RelationType, schema: NetworkSchema) -> bool:
    """Return True if a relation is the only one between its ends: else a type does not tell which one is meant."""
    ends = {relation.source_object_type_id, relation.target_object_type_id}
    others = [{one.source_object_type_id, one.target_object_type_id} for one in schema.relation_types]
    return others.count(ends) == 1


def last_step(text: str, type: ObjectType, schema: NetworkSchema) -> Step | None:
    """Return the property that the rest of a question asks for; a name and a text on the whole are none."""
    hidden = (*keys_of(type, schema), type.display_key)
    labels = [one.display_name or one.name for one in type.properties if one.name not in hidden]
    asked = [
        (asks_for(text, one), one) for one in labels if one in text or not (TOLD.search(one) or ALIASES.search(one))
    ]
    worth, label = max(asked, default=(0.0, ""))
    return Step(label, label, None, type) if worth >= LAST else None
