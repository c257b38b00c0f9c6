"""What is written to the story graph. The caller opens the transaction."""

from collections.abc import Mapping, Sequence
from typing import Any

from tools.records import Entity, MajorEvent, Relation
from wenmai.stores.graph.ladybug_schema import Ask
from wenmai.stores.records.story_guard import shown, told
from wenmai.stores.records.story_rows import alias_rows, end_rows, entity_row, event_row, experience_rows, relation_row

WRITE_ROWS = 1_000
SET_ENTITY = (
    "UNWIND $rows AS row MERGE (e:Entity {name: row.name}) SET e.kind = row.kind, e.description = row.description,"
    " e.part = row.part, e.chapter = row.chapter, e.mentions = row.mentions, e.until_part = row.until_part,"
    " e.until_chapter = row.until_chapter"
)
ADD_ENTITY = (
    "UNWIND $rows AS row MERGE (e:Entity {name: row.name}) ON CREATE SET e.kind = row.kind, e.description = '',"
    " e.part = row.part, e.chapter = row.chapter, e.mentions = 0, e.until_part = row.until_part,"
    " e.until_chapter = row.until_chapter"
)
ADD_ALIAS = "UNWIND $rows AS row MERGE (s:Alias {text: row.text})"
# One MATCH after the other finds each end by its key; both in one MATCH are joined first, in five times the time.
LINK_ALIAS = (
    "UNWIND $rows AS row MATCH (e:Entity {name: row.name}) WITH row, e MATCH (s:Alias {text: row.text})"
    " CREATE (e)-[:HAS_ALIAS {place: row.place, part: row.part, chapter: row.chapter}]->(s)"
)
DROP_LINKS = "MATCH (e:Entity)-[h:HAS_ALIAS]->(:Alias) WHERE e.name IN $names DELETE h"
DROP_LOOSE_ALIASES = "MATCH (s:Alias) WHERE NOT EXISTS { MATCH (s)<-[:HAS_ALIAS]-(:Entity) } DELETE s"
ADD_RELATION = (
    "UNWIND $rows AS row MATCH (a:Entity {name: row.source}) WITH row, a MATCH (b:Entity {name: row.target})"
    " CREATE (a)-[:RELATION {type: row.type, part: row.part, chapter: row.chapter, task_id: row.task_id,"
    " event_order: row.event_order, evidence: row.evidence, description: row.description, offset: row.offset,"
    " since_part: row.since_part, since_chapter: row.since_chapter, until_part: row.until_part,"
    " until_chapter: row.until_chapter, owner: row.owner, batch: row.batch}]->(b)"
)
DROP_SAME_EVENTS = "MATCH (m:MajorEvent) WHERE m.key IN $keys DETACH DELETE m"
ADD_EVENT = (
    "UNWIND $rows AS row CREATE (:MajorEvent {key: row.key, name: row.name, event_type: row.event_type,"
    " primary_character: row.primary_character, part: row.part, chapter: row.chapter, task_id: row.task_id,"
    " event_order: row.event_order, summary: row.summary, evidence: row.evidence, outcome: row.outcome,"
    " offset: row.offset, since_part: row.since_part, since_chapter: row.since_chapter, until_part: row.until_part,"
    " until_chapter: row.until_chapter, owner: row.owner, batch: row.batch})"
)
ADD_EXPERIENCE = (
    "UNWIND $rows AS row MATCH (e:Entity {name: row.name}) WITH row, e MATCH (m:MajorEvent {key: row.key})"
    " CREATE (e)-[:EXPERIENCES {role: row.role, outcome: row.outcome, place: row.place}]->(m)"
)
COUNTS = {
    "entities": f"MATCH (n:Entity) WHERE {shown('n', None)} RETURN count(n)",
    "aliases": f"MATCH (n:Entity)-[h:HAS_ALIAS]->(:Alias) WHERE {shown('n', None)} RETURN count(h)",
    "relations": f"MATCH (:Entity)-[r:RELATION]->(:Entity) WHERE {told('r', None)} RETURN count(r)",
    "events": f"MATCH (m:MajorEvent) WHERE {told('m', None)} RETURN count(m)",
}


def write_entities(ask: Ask, entities: Sequence[Entity]) -> None:
    """Write entities and put their aliases in the place of the old ones."""
    latest = {entity.name: entity for entity in entities}
    rows = [entity_row(entity) for entity in latest.values()]
    aliases = [row for entity in latest.values() for row in alias_rows(entity)]
    _each(ask, SET_ENTITY, rows)
    if not latest:
        return
    ask(DROP_LINKS, {"names": list(latest)})
    _each(ask, ADD_ALIAS, [{"text": text} for text in dict.fromkeys(row["text"] for row in aliases)])
    _each(ask, LINK_ALIAS, aliases)
    ask(DROP_LOOSE_ALIASES, {})


def write_batch(ask: Ask, owner: str, batch: str, relations: Sequence[Relation], events: Sequence[MajorEvent]) -> None:
    """Replace a batch; equal relations are written once, of events with one key the last."""
    _drop(ask, "batch", batch)
    unique = list(dict.fromkeys(relations))
    keyed = {row["key"]: (row, event) for event in events for row in [event_row(event, owner, batch)]}
    if keyed:
        ask(DROP_SAME_EVENTS, {"keys": list(keyed)})
    latest = [event for _, event in keyed.values()]
    _each(ask, ADD_ENTITY, end_rows(unique, latest))
    _each(ask, ADD_RELATION, [relation_row(relation, owner, batch) for relation in unique])
    _each(ask, ADD_EVENT, [row for row, _ in keyed.values()])
    _each(ask, ADD_EXPERIENCE, [row for event in latest for row in experience_rows(event)])


def drop_owner(ask: Ask, owner: str) -> dict[str, int]:
    """Delete a source's relations and events and return their counts."""
    return _drop(ask, "owner", owner)


def drop_entities(ask: Ask, names: Sequence[str]) -> int:
    """Delete entities with their aliases and edges and return how many there were."""
    if not names:
        return 0
    there = ask("MATCH (e:Entity) WHERE e.name IN $names RETURN count(e)", {"names": list(names)})
    ask("MATCH (e:Entity) WHERE e.name IN $names DETACH DELETE e", {"names": list(names)})
    ask(DROP_LOOSE_ALIASES, {})
    return int(there[0][0])


def _drop(ask: Ask, field: str, value: str) -> dict[str, int]:
    edges, nodes = "MATCH (:Entity)-[r:RELATION]->(:Entity)", "MATCH (m:MajorEvent)"
    values = {"value": value}
    counts = {
        "relations": ask(f"{edges} WHERE r.{field} = $value AND {told('r', None)} RETURN count(r)", values)[0][0],
        "events": ask(f"{nodes} WHERE m.{field} = $value AND {told('m', None)} RETURN count(m)", values)[0][0],
    }
    ask(f"{edges} WHERE r.{field} = $value DELETE r", values)
    ask(f"{nodes} WHERE m.{field} = $value DETACH DELETE m", values)
    return counts


def _each(ask: Ask, query: str, rows: Sequence[Mapping[str, Any]]) -> None:
    for begin in range(0, len(rows), WRITE_ROWS):
        ask(query, {"rows": list(rows[begin : begin + WRITE_ROWS])})
