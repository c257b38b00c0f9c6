"""What a reader may see of a story graph, as conditions of its queries, and rows of an engine as records."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal

from tools.records import Horizon, MajorEvent, Neighbour, Participant, Relation, story_position

ABSENT = -1


def within_horizon(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which the place of `record`, a variable of the query, is not beyond the horizon."""
    if horizon is None:
        return "true"
    return (
        f"({record}.chapter >= 0 AND ({record}.part < $part OR ({record}.part = $part AND {record}.chapter <= $upto)))"
    )


def entity_visible(entity: str, horizon: Horizon | None) -> str:
    """Return the condition under which an entity is visible; an assumed identity is only until it is revealed."""
    if horizon is None:
        return f"{entity}.until_part = {ABSENT}"
    return f"({within_horizon(entity, horizon)} AND {_lasting(entity)})"


def record_visible(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which a relation or event is visible in this wording."""
    if horizon is None:
        return f"{record}.until_part = {ABSENT}"
    since = f"({record}.since_part < $part OR ({record}.since_part = $part AND {record}.since_chapter <= $upto))"
    return f"({within_horizon(record, horizon)} AND {since} AND {_lasting(record)})"


def _lasting(record: str) -> str:
    until = f"{record}.until_part > $part OR ({record}.until_part = $part AND {record}.until_chapter > $upto)"
    return f"({record}.until_part = {ABSENT} OR {until})"


def guard_values(horizon: Horizon | None) -> dict[str, int]:
    """Return the parameters of these conditions."""
    return {} if horizon is None else {"part": horizon.part, "upto": horizon.chapter}


def edge_visible(horizon: Horizon | None) -> str:
    """Return the condition under which an edge `r` between `a` and `b` is visible: so must be its ends."""
    return f"{record_visible('r', horizon)} AND {entity_visible('a', horizon)} AND {entity_visible('b', horizon)}"


Direction = Literal["out", "in"]
Step = tuple[Direction, Relation]


def in_order(relations: Iterable[Relation]) -> list[Relation]:
    """Return relations in story position, ties by their text."""
    return sorted(relations, key=edge_order)


def edge_order(edge: Relation) -> tuple[object, ...]:
    start = -1 if edge.start is None else edge.start
    told = (edge.evidence, start, edge.description, edge.task_id)
    return (story_position(edge), edge.source, edge.type, edge.target, *told)


def neighbour(name: str, hop: int, steps: list[Step]) -> Neighbour:
    """Describe a neighbour by its last edge: the first by type, then outgoing before incoming, then story order."""
    direction, edge = min(steps, key=lambda step: (step[1].type, step[0] != "out", edge_order(step[1])))
    return Neighbour(
        name=name,
        kind=edge.target_kind if direction == "out" else edge.source_kind,
        relation=edge.type,
        direction=direction,
        hop=hop,
        description=edge.description,
    )


Row = list[Any]

RELATION_COLUMNS = (
    "a.name, r.type, b.name, r.part, r.chapter, r.task_id, r.event_order, r.evidence, r.description, r.offset,"
    " a.kind, b.kind"
)
EVENT_COLUMNS = (
    "m.key, m.name, m.event_type, m.primary_character, m.part, m.chapter, m.task_id, m.event_order, m.summary,"
    " m.evidence, m.outcome, m.offset"
)


def read_number(number: int) -> int | None:
    return None if number == ABSENT else number


def position(part: int, chapter: int) -> tuple[int, int] | None:
    return None if ABSENT in (part, chapter) else (part, chapter)


def to_relation(row: Sequence[Any]) -> Relation:
    source, type, target, part, chapter, task, order, evidence, description, start, kind, other_kind = row
    return Relation(
        source=source,
        type=type,
        target=target,
        part=read_number(part),
        chapter=read_number(chapter),
        task_id=task,
        event_order=read_number(order),
        evidence=evidence,
        description=description,
        start=read_number(start),
        source_kind=kind,
        target_kind=other_kind,
    )


def to_event(row: Sequence[Any], participants: tuple[Participant, ...]) -> MajorEvent:
    _, name, event_type, primary, part, chapter, task, order, summary, evidence, outcome, start = row
    return MajorEvent(
        name=name,
        event_type=event_type,
        primary_character=primary,
        participants=participants,
        part=read_number(part),
        chapter=read_number(chapter),
        task_id=task,
        event_order=read_number(order),
        summary=summary,
        evidence=evidence,
        outcome=outcome,
        start=read_number(start),
    )
