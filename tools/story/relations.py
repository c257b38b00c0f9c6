"""Relations as arguments and as text, each statement once."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from tools.arguments import ONE_OF, shown
from tools.base import Scope
from tools.errors import ArgumentError
from tools.ports import StoryGraph
from tools.records import Relation
from tools.wording import Words

INNER_FIELDS = frozenset({"start", "since", "until"})
RELATION_TYPES = (
    "FRIEND_OF",
    "ENEMY_OF",
    "PARTNER_OF",
    "FAMILY_OF",
    "TEACHER_OF",
    "MEMBER_OF",
    "LEADER_OF",
    "OWNER_OF",
    "LOCATED_IN",
    "INTERACTS_WITH",
)
"""Types of relations between entities that any library may have."""
NO_TYPES = Words("（本库没有任何关系）", "(there are no relations here)")


async def relation_type(graph: StoryGraph, given: str | None, scope: Scope) -> str | None:
    """Return the stored spelling of a relation type. Raises ArgumentError that lists the types."""
    if given is None:
        return None
    types = await graph.relation_types(scope.library, scope.horizon)
    for stored in types:
        if stored.casefold() == given.casefold():
            return stored
    raise ArgumentError(ONE_OF.say(name="relation", choices="/".join(types) or NO_TYPES.say(), got=shown(given)))


def triple(relation: Relation) -> str:
    """Return a relation in its stored direction: `恰斯卡 --friend_of--> 卡齐娜`."""
    return f"{relation.source} --{relation.type.lower()}--> {relation.target}"


def arrow(relation: Relation) -> str:
    """Return a relation in its stored direction: `恰斯卡 -[FRIEND_OF]-> 卡齐娜`."""
    return f"{relation.source} -[{relation.type}]-> {relation.target}"


def chain(start: str, path: Sequence[Relation]) -> str:
    """Return a path from `start` with the true direction of each edge: `A -[R]-> B <-[R]- C`."""
    text, here = start, start
    for edge in path:
        forward = edge.source == here
        here = edge.target if forward else edge.source
        text += f" -[{edge.type}]-> {here}" if forward else f" <-[{edge.type}]- {here}"
    return text


def relation_data(relation: Relation) -> dict[str, Any]:
    """Return a relation for a program: its ends, type, place and evidence."""
    return {key: value for key, value in asdict(relation).items() if key not in INNER_FIELDS}


def without_doubles(relations: Iterable[Relation]) -> list[Relation]:
    """Return relations in order, once each that are stated of one chapter by the same words.

    A graph file and the text itself do so, and two wordings that fit one sentence; the store keeps both. The one that
    has a place in the text is shown, with the description of the other.
    """
    shown: list[Relation] = []
    places: dict[Hashable, list[int]] = {}
    for relation in relations:
        # what two records of one statement have in common; their directions may differ
        ends = frozenset((relation.source, relation.target))
        alike = places.setdefault((relation.type, ends, relation.part, relation.chapter), [])
        at = next((at for at in alike if _is_same(relation, shown[at])), None)
        if at is None:
            alike.append(len(shown))
            shown.append(relation)
        else:
            shown[at] = _joined(shown[at], relation)
    return shown


def _is_same(one: Relation, other: Relation) -> bool:
    if one.task_id == other.task_id:
        return bool(one.evidence) and (one.evidence, one.start) == (other.evidence, other.start)
    return one.evidence in other.evidence or other.evidence in one.evidence


def _joined(one: Relation, other: Relation) -> Relation:
    """Return the relation that has a place in the text, the first if both have, described as the other one is."""
    kept, left = (other, one) if one.start is None and other.start is not None else (one, other)
    return replace(kept, description=left.description or kept.description)
