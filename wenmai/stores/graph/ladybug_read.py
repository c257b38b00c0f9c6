"""What the story graph is asked: every query carries the spoiler guard, every value is a parameter."""

from tools.records import Entity, EventType, Horizon, MajorEvent, Name, Participant, Relation, story_position
from wenmai.stores.graph.ladybug_schema import Ask
from wenmai.stores.records.story_guard import edge_shown, guard, reached, shown, told
from wenmai.stores.records.story_order import in_order
from wenmai.stores.records.story_rows import EVENT_COLUMNS, RELATION_COLUMNS, position, to_event, to_relation

BOTH_ENDS = "MATCH (a:Entity)-[r:RELATION]->(b:Entity)"


def read_names(ask: Ask, horizon: Horizon | None) -> list[Name]:
    """Return every visible spelling, by text, then entity."""
    own = ask(
        f"MATCH (e:Entity) WHERE {shown('e', horizon)} RETURN e.name, e.name, e.kind, e.part, e.chapter, e.mentions",
        guard(horizon),
    )
    others = ask(
        "MATCH (e:Entity)-[h:HAS_ALIAS]->(s:Alias)"
        f" WHERE {shown('e', horizon)} AND {reached('h', horizon)}"
        " RETURN s.text, e.name, e.kind, h.part, h.chapter, e.mentions",
        guard(horizon),
    )
    names = [
        Name(text=text, entity=entity, kind=kind, first=position(part, chapter), mentions=mentions)
        for text, entity, kind, part, chapter, mentions in (*own, *others)
    ]
    return sorted(names, key=lambda name: (name.text, name.entity))


def read_entity(ask: Ask, name: str, horizon: Horizon | None) -> Entity | None:
    """Return an entity with its visible aliases. Under a guard its description, which has no chapter, is left out."""
    values = {"name": name, **guard(horizon)}
    rows = ask(
        f"MATCH (e:Entity {{name: $name}}) WHERE {shown('e', horizon)}"
        " RETURN e.kind, e.description, e.part, e.chapter, e.mentions",
        values,
    )
    if not rows:
        return None
    kind, description, part, chapter, mentions = rows[0]
    aliases = ask(
        f"MATCH (e:Entity {{name: $name}})-[h:HAS_ALIAS]->(s:Alias) WHERE {reached('h', horizon)}"
        " RETURN s.text, h.part, h.chapter ORDER BY h.place",
        values,
    )
    return Entity(
        name=name,
        kind=kind,
        description=description if horizon is None else "",
        aliases=tuple(row[0] for row in aliases),
        alias_first=tuple(position(row[1], row[2]) for row in aliases),
        first=position(part, chapter),
        mentions=mentions,
    )


def read_types(ask: Ask, horizon: Horizon | None) -> list[str]:
    """Return the types of the visible relations, sorted."""
    rows = ask(f"{BOTH_ENDS} WHERE {edge_shown(horizon)} RETURN DISTINCT r.type", {**guard(horizon)})
    return sorted(row[0] for row in rows)


def read_relations(ask: Ask, name: str, horizon: Horizon | None, other: str | None, type: str | None) -> list[Relation]:
    """Return the relations of one hop in both directions, in story position."""
    conditions = [edge_shown(horizon)]
    values: dict[str, object] = {"name": name, **guard(horizon)}
    if other is not None:
        conditions.append("(a.name = $other OR b.name = $other)" if other != name else "a.name = b.name")
        values["other"] = other
    if type is not None:
        conditions.append("r.type = $type")
        values["type"] = type
    where = " AND ".join(conditions)
    if other == name:
        del values["other"]
    outgoing = ask(
        f"MATCH (a:Entity {{name: $name}})-[r:RELATION]->(b:Entity) WHERE {where} RETURN {RELATION_COLUMNS}", values
    )
    incoming = ask(
        f"MATCH (b:Entity {{name: $name}})<-[r:RELATION]-(a:Entity) WHERE {where} AND a.name <> b.name"
        f" RETURN {RELATION_COLUMNS}",
        values,
    )
    return in_order(to_relation(row) for row in (*outgoing, *incoming))


def read_events(ask: Ask, name: str, event_type: EventType | None, horizon: Horizon | None) -> list[MajorEvent]:
    """Return the events that an entity takes part in, in story position."""
    wanted = "" if event_type is None else " AND m.event_type = $type"
    values = {"name": name, **guard(horizon), **({} if event_type is None else {"type": event_type})}
    visible = f"{shown('e', horizon)} AND {told('m', horizon)}{wanted}"
    events = ask(
        f"MATCH (e:Entity {{name: $name}})-[:EXPERIENCES]->(m:MajorEvent) WHERE {visible} RETURN {EVENT_COLUMNS}",
        values,
    )
    roles = ask(
        f"MATCH (e:Entity {{name: $name}})-[:EXPERIENCES]->(m:MajorEvent)<-[x:EXPERIENCES]-(o:Entity)"
        f" WHERE {visible} AND {shown('o', horizon)} RETURN m.key, o.name, x.role ORDER BY x.place",
        values,
    )
    cast: dict[str, list[Participant]] = {}
    for key, other, role in roles:
        cast.setdefault(key, []).append(Participant(other, role))
    records = [to_event(row, tuple(cast.get(row[0], ()))) for row in events]
    return sorted(records, key=lambda event: (story_position(event), event.event_type, event.name))
