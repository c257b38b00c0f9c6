"""Records of a story graph as rows of an engine, and rows as records.

Positions that may be missing are stored as ABSENT: Ladybug cannot bind a column of nothing but nulls.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from tools.records import Entity, Horizon, MajorEvent, Neighbour, Participant, Position, Relation, story_position

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
    """Return the sort key of a relation among others."""
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


def chapter_batch(task_id: str, part: int, chapter: int | None) -> str:
    return json.dumps(["chapter", task_id, part, chapter], ensure_ascii=False)


def import_batch(task_id: str) -> str:
    return json.dumps(["import", task_id], ensure_ascii=False)


Row = list[Any]

RELATION_COLUMNS = (
    "a.name, r.type, b.name, r.part, r.chapter, r.task_id, r.event_order, r.evidence, r.description, r.offset,"
    " a.kind, b.kind"
)
EVENT_COLUMNS = (
    "m.key, m.name, m.event_type, m.primary_character, m.part, m.chapter, m.task_id, m.event_order, m.summary,"
    " m.evidence, m.outcome, m.offset"
)


def stored(number: int | None) -> int:
    return ABSENT if number is None else number


def read_number(number: int) -> int | None:
    return None if number == ABSENT else number


def position(part: int, chapter: int) -> tuple[int, int] | None:
    """Return a stored position as records hold it."""
    return None if ABSENT in (part, chapter) else (part, chapter)


def position_columns(mark: str, place: Position | None) -> dict[str, int]:
    """Return a position as the columns `<mark>_part` and `<mark>_chapter`."""
    part, chapter = place or (ABSENT, ABSENT)
    return {f"{mark}_part": part, f"{mark}_chapter": chapter}


def entity_row(entity: Entity) -> dict[str, Any]:
    part, chapter = entity.first or (ABSENT, ABSENT)
    return {
        "name": entity.name,
        "kind": entity.kind,
        "description": entity.description,
        "part": part,
        "chapter": chapter,
        "mentions": entity.mentions,
        **position_columns("until", entity.until),
    }


def alias_rows(entity: Entity) -> list[dict[str, Any]]:
    firsts = entity.alias_first or (None,) * len(entity.aliases)
    rows: dict[str, dict[str, Any]] = {}
    for place, (text, first) in enumerate(zip(entity.aliases, firsts, strict=True)):
        part, chapter = first or (ABSENT, ABSENT)
        if text != entity.name:
            rows.setdefault(text, {"name": entity.name, "text": text, "place": place, "part": part, "chapter": chapter})
    return list(rows.values())


def relation_row(relation: Relation, owner: str, batch: str) -> dict[str, Any]:
    return {
        "source": relation.source,
        "type": relation.type,
        "target": relation.target,
        "part": stored(relation.part),
        "chapter": stored(relation.chapter),
        "task_id": relation.task_id,
        "event_order": stored(relation.event_order),
        "evidence": relation.evidence,
        "description": relation.description,
        "offset": stored(relation.start),
        **position_columns("since", relation.since),
        **position_columns("until", relation.until),
        "owner": owner,
        "batch": batch,
    }


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


def event_key(event: MajorEvent) -> str:
    """Return the unique key of an event; JSON keeps its parts apart whatever they hold.

    Wordings that hold until something is revealed are events beside the final one.
    """
    wording = [event.until] if event.until else []
    parts = (event.task_id, event.chapter, event.event_type, event.primary_character, event.name, *wording)
    return json.dumps(parts, ensure_ascii=False)


def event_row(event: MajorEvent, owner: str, batch: str) -> dict[str, Any]:
    return {
        "key": event_key(event),
        "name": event.name,
        "event_type": event.event_type,
        "primary_character": event.primary_character,
        "part": stored(event.part),
        "chapter": stored(event.chapter),
        "task_id": event.task_id,
        "event_order": stored(event.event_order),
        "summary": event.summary,
        "evidence": event.evidence,
        "outcome": event.outcome,
        "offset": stored(event.start),
        **position_columns("since", event.since),
        **position_columns("until", event.until),
        "owner": owner,
        "batch": batch,
    }


def experience_rows(event: MajorEvent) -> list[dict[str, Any]]:
    """Return one row for each participant; a character that is named twice keeps its first role."""
    rows: dict[str, dict[str, Any]] = {}
    for place, participant in enumerate(event.participants):
        rows.setdefault(
            participant.name,
            {
                "name": participant.name,
                "key": event_key(event),
                "role": participant.role,
                "outcome": event.outcome,
                "place": place,
            },
        )
    return list(rows.values())


def end_rows(relations: Sequence[Relation], events: Sequence[MajorEvent]) -> list[dict[str, Any]]:
    """Return the entities that records name, each with the first position at which one does."""
    named = [
        (name, kind, edge.part, edge.chapter, edge.until)
        for edge in relations
        for name, kind in ((edge.source, edge.source_kind), (edge.target, edge.target_kind))
    ]
    for event in events:
        named += [(who.name, "Character", event.part, event.chapter, event.until) for who in event.participants]
    rows: dict[str, dict[str, Any]] = {}
    # A name that any record bears for good is an entity for good.
    order = sorted(named, key=lambda item: (item[4] is not None, item[3] is None, item[2] or 0, item[3] or 0))
    for name, kind, part, chapter, until in order:
        known = part is not None and chapter is not None
        at = {"part": stored(part), "chapter": stored(chapter)} if known else {"part": ABSENT, "chapter": ABSENT}
        rows.setdefault(name, {"name": name, "kind": kind, **at, **position_columns("until", until)})
    return list(rows.values())
