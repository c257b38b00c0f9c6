"""What is written to the story graph in Neo4j. The caller opens the transaction; `ask` knows the library."""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from tools.records import Entity, MajorEvent, Relation
from wenmai.stores.graph.neo4j_read import MINE
from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.neo4j.schema import stored_type
from wenmai.stores.records.story_guard import shown, told
from wenmai.stores.records.story_rows import alias_rows, end_rows, entity_row, event_row, experience_rows, relation_row

WRITE_ROWS = 1_000
DROP_ROWS = 10_000
# Locks the library until the transaction ends, so that its writers follow one another, and tells readers of a change.
BEGIN = (
    "MERGE (l:Library {name: $library}) SET l.version = coalesce(l.version, 0) + 1,"
    " l.place = CASE WHEN l.owner IS NULL THEN $place ELSE l.place END, l.owner = coalesce(l.owner, $owner)"
    " RETURN l.version, l.owner, l.place"
)
STATE = "MATCH (l:Library {name: $library}) RETURN l.version, l.owner, l.place"
MARK = "MATCH (l:Library {name: $library}) SET l.owner = $owner, l.place = $place"
SET_ENTITY = f"UNWIND $rows AS row MERGE (e:Entity {{{MINE}, name: row.name}}) SET e += row.fields"
ADD_ENTITY = (
    f"UNWIND $rows AS row MERGE (e:Entity {{{MINE}, name: row.name}})"
    " ON CREATE SET e.description = '', e.mentions = 0, e += row.fields"
)
ADD_ALIAS = f"UNWIND $rows AS row MERGE (:Alias {{{MINE}, text: row.fields.text}})"
LINK_ALIAS = (
    f"UNWIND $rows AS row MATCH (e:Entity {{{MINE}, name: row.name}}) MATCH (s:Alias {{{MINE}, text: row.fields.text}})"
    " CREATE (e)-[:HAS_ALIAS {place: row.fields.place, part: row.fields.part, chapter: row.fields.chapter}]->(s)"
)
DROP_LINKS = f"MATCH (e:Entity {{{MINE}}})-[h:HAS_ALIAS]->(:Alias) WHERE e.name IN $names DELETE h"
DROP_LOOSE_ALIASES = f"MATCH (s:Alias {{{MINE}}}) WHERE NOT EXISTS {{ (s)<-[:HAS_ALIAS]-(:Entity) }} DELETE s"
ADD_RELATIONS = (
    f"UNWIND $rows AS row MATCH (a:Entity {{{MINE}, name: row.source}}) MATCH (b:Entity {{{MINE}, name: row.target}})"
    " CREATE (a)-[r:%s]->(b) SET r = row.fields"
)
DROP_SAME_EVENTS = f"UNWIND $digests AS digest MATCH (m:MajorEvent {{{MINE}, digest: digest}}) DETACH DELETE m"
ADD_EVENT = f"UNWIND $rows AS row CREATE (m:MajorEvent {{{MINE}, digest: row.digest}}) SET m += row.fields"
ADD_EXPERIENCE = (
    f"UNWIND $rows AS row MATCH (e:Entity {{{MINE}, name: row.name}})"
    f" MATCH (m:MajorEvent {{{MINE}, digest: row.digest}}) CREATE (e)-[x:EXPERIENCES]->(m) SET x = row.fields"
)
EDGES = f"MATCH (:Entity {{{MINE}}})-[r]->(:Entity {{{MINE}}})"
EVENTS = f"MATCH (m:MajorEvent {{{MINE}}})"
COUNTS = {
    "entities": f"MATCH (n:Entity {{{MINE}}}) WHERE {shown('n', None)} RETURN count(n)",
    "aliases": f"MATCH (n:Entity {{{MINE}}})-[h:HAS_ALIAS]->(:Alias) WHERE {shown('n', None)} RETURN count(h)",
    "relations": f"{EDGES} WHERE {told('r', None)} RETURN count(r)",
    "events": f"{EVENTS} WHERE {told('m', None)} RETURN count(m)",
}
DROP_SOME = (
    "MATCH (n:Entity|Alias|MajorEvent) WHERE n.library = $library WITH n LIMIT $limit DETACH DELETE n RETURN count(*)"
)
DROP_LIBRARY = "MATCH (l:Library {name: $library}) DELETE l"


async def write_entities(ask: Ask, entities: Sequence[Entity]) -> None:
    """Write entities and put their aliases in the place of the old ones."""
    latest = {entity.name: entity for entity in entities}
    await _each(ask, SET_ENTITY, [_row(entity_row(entity), "name") for entity in latest.values()])
    if not latest:
        return
    await ask(DROP_LINKS, {"names": list(latest)})
    aliases = [_row(row, "name") for entity in latest.values() for row in alias_rows(entity)]
    await _each(ask, ADD_ALIAS, aliases)
    await _each(ask, LINK_ALIAS, aliases)
    await ask(DROP_LOOSE_ALIASES, {})


async def write_batch(
    ask: Ask, owner: str, batch: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
) -> None:
    """Replace a batch; equal relations are written once, of events with one key the last."""
    await _drop(ask, "batch", batch)
    unique = list(dict.fromkeys(relations))
    keyed = {row["key"]: (row, event) for event in events for row in [event_row(event, owner, batch)]}
    latest = [event for _, event in keyed.values()]
    await ask(DROP_SAME_EVENTS, {"digests": [digest(key) for key in keyed]})
    await _each(ask, ADD_ENTITY, [_row(row, "name") for row in end_rows(unique, latest)])
    rows = [_row(relation_row(relation, owner, batch), "source", "target") for relation in unique]
    for type in dict.fromkeys(stored_type(relation.type) for relation in unique):
        mine = [row for row, relation in zip(rows, unique, strict=True) if stored_type(relation.type) == type]
        await _each(ask, ADD_RELATIONS % type, mine)
    await _each(ask, ADD_EVENT, [{"digest": digest(key), "fields": row} for key, (row, _) in keyed.items()])
    cast = [row for event in latest for row in experience_rows(event)]
    await _each(ask, ADD_EXPERIENCE, [_row(row, "name", "key") | {"digest": digest(row["key"])} for row in cast])


async def drop_owner(ask: Ask, owner: str) -> dict[str, int]:
    """Delete a source's relations and events and return their counts."""
    return await _drop(ask, "owner", owner)


async def drop_entities(ask: Ask, names: Sequence[str]) -> int:
    """Delete entities with their aliases and edges and return how many there were."""
    if not names:
        return 0
    there = await ask(
        f"MATCH (e:Entity {{{MINE}}}) WHERE e.name IN $names DETACH DELETE e RETURN count(*)", {"names": list(names)}
    )
    await ask(DROP_LOOSE_ALIASES, {})
    return int(there[0][0])


async def counts(ask: Ask) -> dict[str, int]:
    """Return how much of each kind there is."""
    return {kind: int((await ask(query, {}))[0][0]) for kind, query in COUNTS.items()}


def digest(key: str) -> str:
    """Return an event's key as the index holds it: a key of any length has one of the same."""
    return sha256(key.encode()).hexdigest()


async def _drop(ask: Ask, field: str, value: str) -> dict[str, int]:
    edges = await ask(
        f"{EDGES} WHERE r.{field} = $value WITH r, {told('r', None)} AS counted DELETE r"
        " RETURN sum(CASE WHEN counted THEN 1 ELSE 0 END)",
        {"value": value},
    )
    events = await ask(
        f"{EVENTS} WHERE m.{field} = $value WITH m, {told('m', None)} AS counted DETACH DELETE m"
        " RETURN sum(CASE WHEN counted THEN 1 ELSE 0 END)",
        {"value": value},
    )
    return {"relations": int(edges[0][0]), "events": int(events[0][0])}


def _row(fields: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    """Return a row of a batch: what it is found by, and the properties that are kept."""
    return {key: fields[key] for key in keys} | {"fields": {k: v for k, v in fields.items() if k not in keys}}


async def _each(ask: Ask, query: str, rows: Sequence[Mapping[str, Any]]) -> None:
    for begin in range(0, len(rows), WRITE_ROWS):
        await ask(query, {"rows": list(rows[begin : begin + WRITE_ROWS])})
