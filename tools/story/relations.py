"""Relations as arguments and as text."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from tools.arguments import ONE_OF, shown
from tools.base import Scope
from tools.errors import ArgumentError
from tools.ports import StoryGraph
from tools.records import Relation
from tools.wording import Words

DATA_FIELDS = (
    "source",
    "type",
    "target",
    "description",
    "evidence",
    "part",
    "chapter",
    "task_id",
    "event_order",
    "source_kind",
    "target_kind",
)

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


def quote(relation: Relation) -> str:
    """Return the text that supports a relation: its verbatim evidence, else its description."""
    return relation.evidence or relation.description


def relation_data(relation: Relation) -> dict[str, Any]:
    """Return a relation for a program: its ends, type, place and evidence."""
    fields = asdict(relation)
    return {key: fields[key] for key in DATA_FIELDS}
