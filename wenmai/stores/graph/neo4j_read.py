"""What the story graph in Neo4j is asked: every query carries library and spoiler guard, every value is a parameter.

`ask` knows the library: its name is the parameter `library` of every query.
"""

from tools.records import Entity, EventType, Horizon, MajorEvent, Name, Participant, Relation, story_position
from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.neo4j.schema import stored_type
from wenmai.stores.records.story_guard import edge_shown, guard, reached, shown, told
from wenmai.stores.records.story_order import in_order
from wenmai.stores.records.story_rows import EVENT_COLUMNS, RELATION_COLUMNS, position, to_event, to_relation

MINE = "library: $library"


async def read_names(ask: Ask, horizon: Horizon | None) -> list[Name]:
    """Return every visible spelling, by text, then entity."""
    own = await ask(
        f"MATCH (e:Entity {{{MINE}}}) WHERE {shown('e', horizon)}"
        " RETURN e.name AS text, e.name AS entity, e.kind, e.part, e.chapter, e.mentions",
        guard(horizon),
    )
    others = await ask(
        f"MATCH (e:Entity {{{MINE}}})-[h:HAS_ALIAS]->(s:Alias {{{MINE}}})"
        f" WHERE {shown('e', horizon)} AND {reached('h', horizon)}"
        " RETURN s.text, e.name, e.kind, h.part, h.chapter, e.mentions",
        guard(horizon),
    )
    names = [
        Name(text=text, entity=entity, kind=kind, first=position(part, chapter), mentions=mentions)
        for text, entity, kind, part, chapter, mentions in (*own, *others)
    ]
    return sorted(names, key=lambda name: (name.text, name.entity))


async def read_entity(ask: Ask, name: str, horizon: Horizon | None) -> Entity | None:
    """Return an entity with its visible aliases. Under a guard its description, which has no chapter, is left out."""
    rows = await ask(
        f"MATCH (e:Entity {{{MINE}, name: $name}}) WHERE {shown('e', horizon)}"
        f" OPTIONAL MATCH (e)-[h:HAS_ALIAS]->(s:Alias {{{MINE}}}) WHERE {reached('h', horizon)}"
        " WITH e, h, s ORDER BY h.place"
        " RETURN e.kind, e.description, e.part, e.chapter, e.mentions,"
        " [x IN collect([s.text, h.part, h.chapter]) WHERE x[0] IS NOT NULL]",
        {"name": name, **guard(horizon)},
    )
    if not rows:
        return None
    kind, description, part, chapter, mentions, aliases = rows[0]
    return Entity(
        name=name,
        kind=kind,
        description=description if horizon is None else "",
        aliases=tuple(text for text, _, _ in aliases),
        alias_first=tuple(position(part, chapter) for _, part, chapter in aliases),
        first=position(part, chapter),
        mentions=mentions,
    )


async def read_types(ask: Ask, horizon: Horizon | None) -> list[str]:
    """Return the types of the visible relations, sorted."""
    rows = await ask(
        f"MATCH (a:Entity {{{MINE}}})-[r]->(b:Entity {{{MINE}}}) WHERE {edge_shown(horizon)} RETURN DISTINCT r.type",
        guard(horizon),
    )
    return sorted(row[0] for row in rows)


async def read_relations(
    ask: Ask, name: str, horizon: Horizon | None, other: str | None, type: str | None
) -> list[Relation]:
    """Return the relations of one hop in both directions, in story position."""
    conditions = [edge_shown(horizon), *(["y.name = $other"] if other is not None else []), *of_type(type)]
    rows = await ask(
        f"MATCH (x:Entity {{{MINE}, name: $name}})-[r{pattern(type)}]-(y:Entity {{{MINE}}})"
        f" WITH DISTINCT r, startNode(r) AS a, endNode(r) AS b, y WHERE {' AND '.join(conditions)}"
        f" RETURN DISTINCT elementId(r), {RELATION_COLUMNS}",
        {"name": name, "other": other, "type": type, **guard(horizon)},
    )
    return in_order(to_relation(row[1:]) for row in rows)


async def read_events(ask: Ask, name: str, event_type: EventType | None, horizon: Horizon | None) -> list[MajorEvent]:
    """Return the events that an entity takes part in, in story position."""
    wanted = "" if event_type is None else " AND m.event_type = $type"
    rows = await ask(
        f"MATCH (e:Entity {{{MINE}, name: $name}})-[:EXPERIENCES]->(m:MajorEvent {{{MINE}}})"
        f" WHERE {shown('e', horizon)} AND {told('m', horizon)}{wanted}"
        f" OPTIONAL MATCH (m)<-[x:EXPERIENCES]-(o:Entity {{{MINE}}}) WHERE {shown('o', horizon)}"
        " WITH m, x, o ORDER BY x.place"
        f" RETURN {EVENT_COLUMNS}, collect([o.name, x.role])",
        {"name": name, "type": event_type, **guard(horizon)},
    )
    records = [to_event(row[:-1], tuple(Participant(*who) for who in row[-1])) for row in rows]
    return sorted(records, key=lambda event: (story_position(event), event.event_type, event.name))


def pattern(relation: str | None) -> str:
    """Return the type of a relation as it stands in a pattern: one of ours, never a user's text (PLA-26)."""
    return "" if relation is None else f":{stored_type(relation)}"


def of_type(relation: str | None) -> list[str]:
    """Return the condition that a relation is of a type."""
    return [] if relation is None else ["r.type = $type"]
