"""Reads from a story graph: every query carries the spoiler guard, every value is a parameter."""

from collections.abc import Sequence
from itertools import pairwise

from tools.records import (
    Entity,
    EventType,
    Horizon,
    MajorEvent,
    Name,
    Neighbour,
    Neighbourhood,
    Participant,
    Relation,
    story_position,
)
from wenmai.stores.graph.engine import Dialect, Session
from wenmai.stores.graph.rows import (
    EVENT_COLUMNS,
    RELATION_COLUMNS,
    Direction,
    Step,
    by_relation,
    edge_visible,
    entity_visible,
    guard_values,
    in_order,
    neighbour,
    position,
    record_visible,
    to_event,
    to_relation,
    within_horizon,
)


async def read_names(session: Session, horizon: Horizon | None) -> list[Name]:
    """Return every visible spelling, by text, then entity."""
    entity, alias = session.dialect.node("e", "Entity"), session.dialect.node("s", "Alias")
    canonical = await session.run(
        f"MATCH {entity} WHERE {entity_visible('e', horizon)}"
        " RETURN e.name AS text, e.name AS entity, e.kind, e.part, e.chapter, e.mentions",
        guard_values(horizon),
    )
    aliases = await session.run(
        f"MATCH {entity}-[h:HAS_ALIAS]->{alias} WHERE {entity_visible('e', horizon)} AND {within_horizon('h', horizon)}"
        " RETURN s.text, e.name, e.kind, h.part, h.chapter, e.mentions",
        guard_values(horizon),
    )
    names = [
        Name(text=text, entity=entity, kind=kind, first=position(part, chapter), mentions=mentions)
        for text, entity, kind, part, chapter, mentions in (*canonical, *aliases)
    ]
    return sorted(names, key=lambda name: (name.text, name.entity))


async def read_entity(session: Session, name: str, horizon: Horizon | None) -> Entity | None:
    """Return an entity with its visible aliases. Under a guard its description, which has no chapter, is left out."""
    dialect = session.dialect
    rows = await session.run(
        f"MATCH {dialect.node('e', 'Entity', 'name: $name')} WHERE {entity_visible('e', horizon)}"
        f" OPTIONAL MATCH (e)-[h:HAS_ALIAS]->{dialect.node('s', 'Alias')} WHERE {within_horizon('h', horizon)}"
        " RETURN e.kind, e.description, e.part, e.chapter, e.mentions, s.text, h.part, h.chapter ORDER BY h.place",
        {"name": name, **guard_values(horizon)},
    )
    if not rows:
        return None
    kind, description, part, chapter, mentions = rows[0][:5]
    aliases = [row[5:] for row in rows if row[5] is not None]
    return Entity(
        name=name,
        kind=kind,
        description=description if horizon is None else "",
        aliases=tuple(text for text, _, _ in aliases),
        alias_first=tuple(position(part, chapter) for _, part, chapter in aliases),
        first=position(part, chapter),
        mentions=mentions,
    )


async def read_types(session: Session, horizon: Horizon | None) -> list[str]:
    rows = await session.run(
        f"MATCH {directed(session.dialect)} WHERE {edge_visible(horizon)} RETURN DISTINCT r.type", guard_values(horizon)
    )
    return sorted(row[0] for row in rows)


async def read_relations(
    session: Session, name: str, horizon: Horizon | None, other: str | None, type: str | None
) -> list[Relation]:
    """Return the relations of one hop in both directions, by story position."""
    dialect, key = session.dialect, "name: $name"
    visible = f"{edge_visible(horizon)}{of_type(type)}"
    outgoing, incoming = ("", "") if other is None else (" AND b.name = $other", " AND a.name = $other")
    rows = await session.run(
        f"MATCH {directed(dialect, type, source_keys=key)} WHERE {visible}{outgoing} RETURN {RELATION_COLUMNS}"
        f" UNION ALL MATCH {directed(dialect, type, target_keys=key)}"
        f" WHERE a.name <> b.name AND {visible}{incoming} RETURN {RELATION_COLUMNS}",
        {"name": name, **type_value(type), **({} if other is None else {"other": other}), **guard_values(horizon)},
    )
    return in_order(to_relation(row) for row in rows)


async def read_events(
    session: Session, name: str, event_type: EventType | None, horizon: Horizon | None
) -> list[MajorEvent]:
    """Return the events that an entity takes part in, by story position."""
    dialect, wanted = session.dialect, "" if event_type is None else " AND m.event_type = $type"
    rows = await session.run(
        f"MATCH {dialect.node('e', 'Entity', 'name: $name')}-[:EXPERIENCES]->{dialect.node('m', 'MajorEvent')}"
        f" WHERE {entity_visible('e', horizon)} AND {record_visible('m', horizon)}{wanted}"
        f" WITH m MATCH (m)<-[x:EXPERIENCES]-{dialect.node('o', 'Entity')} WHERE {entity_visible('o', horizon)}"
        f" RETURN {EVENT_COLUMNS}, o.name, x.role ORDER BY x.place",
        {"name": name, **({} if event_type is None else {"type": event_type}), **guard_values(horizon)},
    )
    columns = {row[0]: row[:-2] for row in rows}
    casts: dict[str, list[Participant]] = {key: [] for key in columns}
    for row in rows:
        casts[row[0]].append(Participant(*row[-2:]))
    events = [to_event(row, tuple(casts[key])) for key, row in columns.items()]
    return sorted(events, key=lambda event: (story_position(event), event.event_type, event.name))


async def read_counts(session: Session, horizon: Horizon | None) -> dict[str, int]:
    """Return how many visible entities, aliases, relations and events there are."""
    dialect, values = session.dialect, guard_values(horizon)
    entity, shown = dialect.node("n", "Entity"), entity_visible("n", horizon)
    edge = edge_visible(horizon) if horizon else record_visible("r", None)
    queries = {
        "entities": f"MATCH {entity} WHERE {shown} RETURN count(n)",
        "aliases": f"MATCH {entity}-[h:HAS_ALIAS]->(:Alias) WHERE {shown} AND {within_horizon('h', horizon)}"
        " RETURN count(h)",
        "relations": f"MATCH {directed(dialect)} WHERE {edge} RETURN count(r)",
        "events": f"MATCH {dialect.node('m', 'MajorEvent')} WHERE {record_visible('m', horizon)} RETURN count(m)",
    }
    return {kind: int((await session.run(query, values))[0][0]) for kind, query in queries.items()}


def directed(dialect: Dialect, type: str | None = None, *, source_keys: str = "", target_keys: str = "") -> str:
    """Return the pattern of a relation `r` from entity `a` to entity `b`."""
    source, target = dialect.node("a", "Entity", source_keys), dialect.node("b", "Entity", target_keys)
    return f"{source}-{dialect.edge(type)}->{target}"


def of_type(type: str | None) -> str:
    """Return the condition that a relation is of a type, to be added to others."""
    return "" if type is None else " AND r.type = $type"


def type_value(type: str | None) -> dict[str, str]:
    return {} if type is None else {"type": type}


OUT: Direction = "out"
IN: Direction = "in"


async def read_neighbourhood(
    session: Session, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
) -> Neighbourhood:
    """Return the neighbours at their smallest hop and the edges that lead to them, hop by hop."""
    kept: list[Neighbour] = []
    edges: list[Relation] = []
    frontier, seen = [name], {name}
    for hop in range(1, depth + 1):
        if len(kept) < limit:
            steps = await _steps(session, frontier, relation, horizon, seen)
            level = sorted((neighbour(other, hop, found) for other, found in steps.items()), key=by_relation)
            shown_here = level[: limit - len(kept)]
            kept += shown_here
            edges += in_order(edge for one in shown_here for _, edge in steps[one.name])
            frontier = [one.name for one in level]
        else:  # the rest is only counted
            frontier = await _beyond(session, frontier, relation, horizon, seen)
        if not frontier:
            break
        seen.update(frontier)
    return Neighbourhood(neighbours=tuple(kept), edges=tuple(edges), total=len(seen) - 1)


async def read_path(
    session: Session, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
) -> list[Relation]:
    """Return the edges of the first shortest path by the names along it."""
    if start == end:
        return []
    paths = await session.run(
        session.dialect.shortest_paths(max_hops, horizon),
        {"here": start, "there": end, "avoid": list(avoid_kinds), **guard_values(horizon)},
    )
    if not paths:
        return []
    names: list[str] = min(row[0] for row in paths)
    edges = await _edges_among(session, names, horizon)
    return [
        next(edge for edge in edges if {edge.source, edge.target} == {here, there}) for here, there in pairwise(names)
    ]


async def _steps(
    session: Session, frontier: list[str], relation: str | None, horizon: Horizon | None, seen: set[str]
) -> dict[str, list[Step]]:
    """Return the edges from `frontier` to entities that were not seen, by those, as seen from `frontier`.

    What was seen is left out here: as a condition it makes Ladybug read every entity.
    """
    found = f"MATCH {directed(session.dialect, relation)} WHERE {edge_visible(horizon)}{of_type(relation)}"
    rows = await session.run(
        f"{found} AND a.name IN $names RETURN true AS outgoing, {RELATION_COLUMNS}"
        f" UNION ALL {found} AND b.name IN $names RETURN false AS outgoing, {RELATION_COLUMNS}",
        {"names": frontier, **type_value(relation), **guard_values(horizon)},
    )
    steps: dict[str, list[Step]] = {}
    for outgoing, *row in rows:
        far, direction = (row[2], OUT) if outgoing else (row[0], IN)
        if far not in seen:
            steps.setdefault(far, []).append((direction, to_relation(row)))
    return steps


async def _beyond(
    session: Session, frontier: list[str], relation: str | None, horizon: Horizon | None, seen: set[str]
) -> list[str]:
    source, target = session.dialect.node("a", "Entity"), session.dialect.node("b", "Entity")
    rows = await session.run(
        f"MATCH {source}-{session.dialect.edge(relation)}-{target} WHERE a.name IN $names"
        f" AND {edge_visible(horizon)}{of_type(relation)} RETURN DISTINCT b.name",
        {"names": frontier, **type_value(relation), **guard_values(horizon)},
    )
    return [name for (name,) in rows if name not in seen]


async def _edges_among(session: Session, names: list[str], horizon: Horizon | None) -> list[Relation]:
    rows = await session.run(
        f"MATCH {directed(session.dialect)} WHERE a.name IN $names AND b.name IN $names AND {edge_visible(horizon)}"
        f" RETURN {RELATION_COLUMNS}",
        {"names": names, **guard_values(horizon)},
    )
    return in_order(to_relation(row) for row in rows)


async def list_relations(session: Session, type: str | None, horizon: Horizon | None) -> list[Relation]:
    """Return every relation, or those of a type, by story position."""
    visible = f"{edge_visible(horizon)}{of_type(type)}"
    rows = await session.run(
        f"MATCH {directed(session.dialect, type)} WHERE {visible} RETURN {RELATION_COLUMNS}",
        {**type_value(type), **guard_values(horizon)},
    )
    return in_order(to_relation(row) for row in rows)


async def list_events(session: Session, horizon: Horizon | None) -> list[MajorEvent]:
    """Return every event with those of its participants that are visible, by story position."""
    dialect = session.dialect
    rows = await session.run(
        f"MATCH {dialect.node('m', 'MajorEvent')}<-[x:EXPERIENCES]-{dialect.node('o', 'Entity')}"
        f" WHERE {record_visible('m', horizon)} AND {entity_visible('o', horizon)}"
        f" RETURN {EVENT_COLUMNS}, o.name, x.role ORDER BY x.place",
        guard_values(horizon),
    )
    columns = {row[0]: row[:-2] for row in rows}
    casts: dict[str, list[Participant]] = {key: [] for key in columns}
    for row in rows:
        casts[row[0]].append(Participant(*row[-2:]))
    events = [to_event(row, tuple(casts[key])) for key, row in columns.items()]
    return sorted(events, key=lambda event: (story_position(event), event.event_type, event.name))
