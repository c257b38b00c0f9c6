"""Writes to a story graph, within a transaction that the engine opened.

Positions that may be missing are stored as ABSENT: Ladybug cannot bind a column of nothing but nulls.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tools.records import Entity, MajorEvent, Position, Relation
from wenmai.stores.graph.engine import Dialect, GraphSession, directed
from wenmai.stores.graph.rows import ABSENT, record_visible

WRITE_ROWS = 1_000  # of one query
BY_NAME = "name: row.name"
Rows = Sequence[Mapping[str, Any]]


async def write_entities(session: GraphSession, entities: Sequence[Entity]) -> None:
    """Write entities and put their aliases in the place of the old ones."""
    if not entities:
        return
    node, latest = session.dialect.node, {entity.name: entity for entity in entities}
    rows = [entity_row(entity) for entity in latest.values()]
    entity, alias = node("e", "Entity", BY_NAME), node("s", "Alias", "text: row.text")
    await _each(session, f"MERGE {entity} SET {_assigned('e', rows)}", rows)
    links = f"MATCH {node('e', 'Entity')}-[h:HAS_ALIAS]->(:Alias) WHERE e.name IN $names"
    await session.run(f"{links} DELETE h", {"names": list(latest)})
    aliases = [row for one in latest.values() for row in alias_rows(one)]
    await _each(session, f"MERGE {alias}", [{"text": text} for text in dict.fromkeys(row["text"] for row in aliases)])
    link = f"CREATE (e)-[:HAS_ALIAS {_properties(aliases, 'name', 'text')}]->(s)"
    await _each(session, f"{_both(entity, alias)} {link}", aliases)
    await _delete_unused_aliases(session)


async def write_batch(
    session: GraphSession, owner: str, batch: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
) -> None:
    """Replace a batch; equal relations are written once, of events with one key the last."""
    await _delete(session, "batch", batch)
    unique = list(dict.fromkeys(relations))
    keyed = {row["key"]: (row, event) for event in events for row in [event_row(event, owner, batch)]}
    latest = [event for _, event in keyed.values()]
    ends = end_rows(unique, latest)  # the entities that records name; those that are there stay as they are
    created = f"e.description = '', e.mentions = 0, {_assigned('e', ends)}"
    await _each(session, f"MERGE {session.dialect.node('e', 'Entity', BY_NAME)} ON CREATE SET {created}", ends)
    await _add_relations(session, [relation_row(relation, owner, batch) for relation in unique])
    await _replace_events(session, [row for row, _ in keyed.values()])
    await _add_experiences(session, [row for event in latest for row in experience_rows(event)])


async def delete_source(session: GraphSession, owner: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for kind, (one, found) in _records(session.dialect, "owner").items():
        rows = await session.run(f"{found} AND {record_visible(one, None)} RETURN count({one})", {"value": owner})
        counts[kind] = int(rows[0][0])
    await _delete(session, "owner", owner)
    return counts


async def delete_entities(session: GraphSession, names: Sequence[str]) -> int:
    """Delete entities with their aliases and edges and return how many there were."""
    if not names:
        return 0
    found, values = f"MATCH {session.dialect.node('e', 'Entity')} WHERE e.name IN $names", {"names": list(names)}
    count = await session.run(f"{found} RETURN count(e)", values)
    await session.run(f"{found} DETACH DELETE e", values)
    await _delete_unused_aliases(session)
    return int(count[0][0])


async def _add_relations(session: GraphSession, rows: Rows) -> None:
    dialect = session.dialect
    source, target = dialect.node("a", "Entity", "name: row.source"), dialect.node("b", "Entity", "name: row.target")
    for type in dict.fromkeys(dialect.stored_type(row["type"]) for row in rows):
        same = [row for row in rows if dialect.stored_type(row["type"]) == type]
        create = f"CREATE (a)-[:{type} {_properties(same, 'source', 'target')}]->(b)"
        await _each(session, f"{_both(source, target)} {create}", same)


async def _replace_events(session: GraphSession, rows: Rows) -> None:
    dialect = session.dialect
    found = [{**row, dialect.event_id: dialect.event_id_of(row["key"])} for row in rows]
    event = dialect.node("m", "MajorEvent", f"{dialect.event_id}: row.{dialect.event_id}")
    await _each(session, f"MATCH {event} DETACH DELETE m", [{dialect.event_id: row[dialect.event_id]} for row in found])
    created = dialect.node("m", "MajorEvent", _fields(found))
    await _each(session, f"CREATE {created}", found)


async def _add_experiences(session: GraphSession, rows: Rows) -> None:
    dialect = session.dialect
    found = [{**row, "key": dialect.event_id_of(row["key"])} for row in rows]
    event = dialect.node("m", "MajorEvent", f"{dialect.event_id}: row.key")
    ends = _both(dialect.node("e", "Entity", BY_NAME), event)
    await _each(session, f"{ends} CREATE (e)-[:EXPERIENCES {_properties(found, 'name', 'key')}]->(m)", found)


async def _delete(session: GraphSession, field: str, value: str) -> None:
    for one, found in _records(session.dialect, field).values():
        await session.run(f"{found} DETACH DELETE {one}" if one == "m" else f"{found} DELETE {one}", {"value": value})


def _records(dialect: Dialect, field: str) -> dict[str, tuple[str, str]]:
    """Return by kind the variable and the query for the records that have `$value` in a field."""
    return {
        "relations": ("r", f"MATCH {directed(dialect)} WHERE r.{field} = $value"),
        "events": ("m", f"MATCH {dialect.node('m', 'MajorEvent')} WHERE m.{field} = $value"),
    }


async def _delete_unused_aliases(session: GraphSession) -> None:
    alias = session.dialect.node("s", "Alias")
    await session.run(f"MATCH {alias} WHERE NOT EXISTS {{ MATCH (s)<-[:HAS_ALIAS]-(:Entity) }} DELETE s", {})


async def _each(session: GraphSession, query: str, rows: Rows) -> None:
    """Run a query for each `row`, in batches; for no rows it is not run."""
    for begin in range(0, len(rows), WRITE_ROWS):
        await session.run(f"UNWIND $rows AS row {query}", {"rows": list(rows[begin : begin + WRITE_ROWS])})


def _both(one: str, other: str) -> str:
    """Return a query for two nodes. In one MATCH Ladybug joins them before it looks at keys: five times the time."""
    variable = one[1 : one.index(":")]
    return f"MATCH {one} WITH row, {variable} MATCH {other}"


def _columns(rows: Rows, *without: str) -> Iterable[str]:
    return (field for row in rows[:1] for field in row if field not in without)


def _fields(rows: Rows, *without: str) -> str:
    return ", ".join(f"{field}: row.{field}" for field in _columns(rows, *without))


def _properties(rows: Rows, *without: str) -> str:
    return f"{{{_fields(rows, *without)}}}"


def _assigned(variable: str, rows: Rows) -> str:
    return ", ".join(f"{variable}.{field} = row.{field}" for field in _columns(rows, "name"))


def stored(number: int | None) -> int:
    return ABSENT if number is None else number


def position_columns(mark: str, place: Position | None) -> dict[str, int]:
    part, chapter = place or (ABSENT, ABSENT)
    return {f"{mark}_part": part, f"{mark}_chapter": chapter}


def entity_row(entity: Entity) -> dict[str, Any]:
    part, chapter = entity.first or (ABSENT, ABSENT)
    told = {"name": entity.name, "kind": entity.kind, "description": entity.description, "mentions": entity.mentions}
    return {**told, "part": part, "chapter": chapter, **position_columns("until", entity.until)}


def alias_rows(entity: Entity) -> list[dict[str, Any]]:
    firsts = entity.alias_first or (None,) * len(entity.aliases)
    rows: dict[str, dict[str, Any]] = {}
    for place, (text, first) in enumerate(zip(entity.aliases, firsts, strict=True)):
        part, chapter = first or (ABSENT, ABSENT)
        if text != entity.name:
            rows.setdefault(text, {"name": entity.name, "text": text, "place": place, "part": part, "chapter": chapter})
    return list(rows.values())


def record_columns(record: Relation | MajorEvent, owner: str, batch: str) -> dict[str, Any]:
    """Return the columns that relations and events have alike."""
    return {
        "part": stored(record.part),
        "chapter": stored(record.chapter),
        "task_id": record.task_id,
        "event_order": stored(record.event_order),
        "evidence": record.evidence,
        "offset": stored(record.start),
        **position_columns("since", record.since),
        **position_columns("until", record.until),
        "owner": owner,
        "batch": batch,
    }


def relation_row(relation: Relation, owner: str, batch: str) -> dict[str, Any]:
    ends = {"source": relation.source, "type": relation.type, "target": relation.target}
    return {**ends, "description": relation.description, **record_columns(relation, owner, batch)}


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
        "summary": event.summary,
        "outcome": event.outcome,
        **record_columns(event, owner, batch),
    }


def experience_rows(event: MajorEvent) -> list[dict[str, Any]]:
    """Return one row for each participant; a character that is named twice keeps its first role."""
    rows: dict[str, dict[str, Any]] = {}
    shared = {"key": event_key(event), "outcome": event.outcome}
    for place, who in enumerate(event.participants):
        rows.setdefault(who.name, {"name": who.name, **shared, "role": who.role, "place": place})
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
