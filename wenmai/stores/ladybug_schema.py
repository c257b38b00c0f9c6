"""The graph's tables, and records as rows of them.

Whole numbers that may be missing are stored as ABSENT: the typed engine cannot bind a column of nothing but nulls.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tools.records import Entity, Horizon, MajorEvent, Participant, Position, Relation

Row = list[Any]
Ask = Callable[[str, Mapping[str, Any]], list[Row]]

ABSENT = -1
TABLES = (
    "CREATE NODE TABLE IF NOT EXISTS Entity(name STRING PRIMARY KEY, kind STRING, description STRING,"
    " part INT64, chapter INT64, mentions INT64)",
    "CREATE NODE TABLE IF NOT EXISTS Alias(text STRING PRIMARY KEY)",
    "CREATE NODE TABLE IF NOT EXISTS MajorEvent(key STRING PRIMARY KEY, name STRING, event_type STRING,"
    " primary_character STRING, part INT64, chapter INT64, task_id STRING, event_order INT64, summary STRING,"
    " evidence STRING, outcome STRING, offset INT64, owner STRING, batch STRING)",
    "CREATE REL TABLE IF NOT EXISTS HAS_ALIAS(FROM Entity TO Alias, place INT64, part INT64, chapter INT64)",
    "CREATE REL TABLE IF NOT EXISTS RELATION(FROM Entity TO Entity, type STRING, part INT64, chapter INT64,"
    " task_id STRING, event_order INT64, evidence STRING, description STRING, offset INT64, owner STRING,"
    " batch STRING)",
    "CREATE REL TABLE IF NOT EXISTS EXPERIENCES(FROM Entity TO MajorEvent, role STRING, outcome STRING, place INT64)",
)
# Columns that came later: a database made before gets them when it is opened, and its records are then never veiled.
SPANS = (("Entity", ("until",)), ("RELATION", ("since", "until")), ("MajorEvent", ("since", "until")))
LATER_COLUMNS = tuple(
    f"ALTER TABLE {table} ADD IF NOT EXISTS {mark}_{unit} INT64 DEFAULT {ABSENT}"
    for table, marks in SPANS
    for mark in marks
    for unit in ("part", "chapter")
)
RELATION_COLUMNS = (
    "a.name, r.type, b.name, r.part, r.chapter, r.task_id, r.event_order, r.evidence, r.description, r.offset,"
    " a.kind, b.kind"
)
EVENT_COLUMNS = (
    "m.key, m.name, m.event_type, m.primary_character, m.part, m.chapter, m.task_id, m.event_order, m.summary,"
    " m.evidence, m.outcome, m.offset"
)


def reached(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which the place of `record`, a variable of the query, is not beyond (STO-19)."""
    if horizon is None:
        return "true"
    return (
        f"({record}.chapter >= 0 AND ({record}.part < $part OR ({record}.part = $part AND {record}.chapter <= $upto)))"
    )


def shown(entity: str, horizon: Horizon | None) -> str:
    """Return the condition under which an entity is visible: a guise only until it is told whose it is."""
    if horizon is None:
        return f"{entity}.until_part = {ABSENT}"
    return f"({reached(entity, horizon)} AND {_lasting(entity)})"


def told(record: str, horizon: Horizon | None) -> str:
    """Return the condition under which a relation or event is visible in this wording."""
    if horizon is None:
        return f"{record}.until_part = {ABSENT}"
    since = f"({record}.since_part < $part OR ({record}.since_part = $part AND {record}.since_chapter <= $upto))"
    return f"({reached(record, horizon)} AND {since} AND {_lasting(record)})"


def _lasting(record: str) -> str:
    until = f"{record}.until_part > $part OR ({record}.until_part = $part AND {record}.until_chapter > $upto)"
    return f"({record}.until_part = {ABSENT} OR {until})"


def guard(horizon: Horizon | None) -> dict[str, int]:
    """Return the parameters of these conditions."""
    return {} if horizon is None else {"part": horizon.part, "upto": horizon.chapter}


def stored(number: int | None) -> int:
    """Return a whole number as the tables hold it."""
    return ABSENT if number is None else number


def loaded(number: int) -> int | None:
    """Return a stored whole number as records hold it."""
    return None if number == ABSENT else number


def position(part: int, chapter: int) -> tuple[int, int] | None:
    """Return a stored position as records hold it."""
    return None if ABSENT in (part, chapter) else (part, chapter)


def marked(mark: str, place: Position | None) -> dict[str, int]:
    """Return a position as the columns `<mark>_part` and `<mark>_chapter`."""
    part, chapter = place or (ABSENT, ABSENT)
    return {f"{mark}_part": part, f"{mark}_chapter": chapter}


def entity_row(entity: Entity) -> dict[str, Any]:
    """Return an entity's columns."""
    part, chapter = entity.first or (ABSENT, ABSENT)
    return {
        "name": entity.name,
        "kind": entity.kind,
        "description": entity.description,
        "part": part,
        "chapter": chapter,
        "mentions": entity.mentions,
        **marked("until", entity.until),
    }


def alias_rows(entity: Entity) -> list[dict[str, Any]]:
    """Return one row for each alias of an entity, in the order given; the canonical name is no alias."""
    firsts = entity.alias_first or (None,) * len(entity.aliases)
    rows: dict[str, dict[str, Any]] = {}
    for place, (text, first) in enumerate(zip(entity.aliases, firsts, strict=True)):
        part, chapter = first or (ABSENT, ABSENT)
        if text != entity.name:
            rows.setdefault(text, {"name": entity.name, "text": text, "place": place, "part": part, "chapter": chapter})
    return list(rows.values())


def relation_row(relation: Relation, owner: str, batch: str) -> dict[str, Any]:
    """Return a relation's columns; `owner` and `batch` tell who may replace it."""
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
        **marked("since", relation.since),
        **marked("until", relation.until),
        "owner": owner,
        "batch": batch,
    }


def to_relation(row: Sequence[Any]) -> Relation:
    """Return a row of RELATION_COLUMNS as a record."""
    source, type, target, part, chapter, task, order, evidence, description, start, kind, other_kind = row
    return Relation(
        source=source,
        type=type,
        target=target,
        part=loaded(part),
        chapter=loaded(chapter),
        task_id=task,
        event_order=loaded(order),
        evidence=evidence,
        description=description,
        start=loaded(start),
        source_kind=kind,
        target_kind=other_kind,
    )


def to_event(row: Sequence[Any], participants: tuple[Participant, ...]) -> MajorEvent:
    """Return a row of EVENT_COLUMNS as a record."""
    _, name, event_type, primary, part, chapter, task, order, summary, evidence, outcome, start = row
    return MajorEvent(
        name=name,
        event_type=event_type,
        primary_character=primary,
        participants=participants,
        part=loaded(part),
        chapter=loaded(chapter),
        task_id=task,
        event_order=loaded(order),
        summary=summary,
        evidence=evidence,
        outcome=outcome,
        start=loaded(start),
    )


def event_key(event: MajorEvent) -> str:
    """Return the unique key of S003-D15; JSON keeps its parts apart whatever they hold.

    The wordings that readers know until something is told are events beside the one that it is in the end.
    """
    wording = [event.until] if event.until else []
    parts = (event.task_id, event.chapter, event.event_type, event.primary_character, event.name, *wording)
    return json.dumps(parts, ensure_ascii=False)


def event_row(event: MajorEvent, owner: str, batch: str) -> dict[str, Any]:
    """Return an event's columns."""
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
        **marked("since", event.since),
        **marked("until", event.until),
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
