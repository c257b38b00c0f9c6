"""The story graph over any engine that speaks Cypher.

Every query carries the spoiler guard, every value is a parameter.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
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
from wenmai.stores.graph import write
from wenmai.stores.graph.engine import GraphEngine, GraphSession, Label, directed
from wenmai.stores.graph.rows import (
    EVENT_COLUMNS,
    RELATION_COLUMNS,
    Direction,
    Row,
    Step,
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

CACHED_NAME_LISTS = 64  # of all libraries and horizons
Names = tuple[int, list[Name]]  # the version of the library, and its names
OUT: Direction = "out"
IN: Direction = "in"


@dataclass(eq=False)
class StoryGraphStore:
    """The StoryGraph port over an engine."""

    engine: GraphEngine
    _names: dict[tuple[str, Horizon | None], Names] = field(default_factory=dict, repr=False)

    async def open(self, library: str) -> None:
        await self.engine.open(library)

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        """Return every visible spelling, by text, then entity; until the next write it is the very same list.

        A caller that keeps a table of the names sees by the list's identity whether the table is current.
        """
        cached = self._names.get((library, horizon))

        async def work(session: GraphSession) -> Names:
            version = await session.version()  # first, so that a write in between is seen by the next call
            is_current = cached is not None and cached[0] == version
            return cached if cached and is_current else (version, await read_names(session, horizon))

        found = await self.engine.read(library, work)
        if (library, horizon) not in self._names and len(self._names) >= CACHED_NAME_LISTS:
            self._names.clear()
        self._names[library, horizon] = found
        return found[1]

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        """Return the entity of this canonical name, with its visible aliases.

        Under a guard its description, which has no chapter, is left out.
        """
        rows = await self._ask(
            library,
            f"MATCH {self._node('e', 'Entity', 'name: $name')} WHERE {entity_visible('e', horizon)}"
            f" OPTIONAL MATCH (e)-[h:HAS_ALIAS]->{self._node('s', 'Alias')} WHERE {within_horizon('h', horizon)}"
            " RETURN e.kind, e.description, e.part, e.chapter, e.mentions, s.text, h.part, h.chapter ORDER BY h.place",
            horizon,
            name=name,
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

    async def relation_types(self, library: str, horizon: Horizon | None) -> list[str]:
        query = f"MATCH {directed(self.engine.dialect)} WHERE {edge_visible(horizon)} RETURN DISTINCT r.type"
        return sorted(row[0] for row in await self._ask(library, query, horizon))

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        return await self.engine.read(
            library, lambda session: read_neighbourhood(session, name, relation, depth, limit, horizon)
        )

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        dialect, visible = self.engine.dialect, f"{edge_visible(horizon)}{of_type(type)}"
        outgoing, incoming = ("", "") if other is None else (" AND b.name = $other", " AND a.name = $other")
        rows = await self._ask(
            library,
            f"MATCH {directed(dialect, type, source_keys='name: $name')} WHERE {visible}{outgoing}"
            f" RETURN {RELATION_COLUMNS} UNION ALL MATCH {directed(dialect, type, target_keys='name: $name')}"
            f" WHERE a.name <> b.name AND {visible}{incoming} RETURN {RELATION_COLUMNS}",
            horizon,
            name=name,
            other=other,
            type=type,
        )
        return in_order(map(to_relation, rows))

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        """Return the edges of one shortest path, the first by the names along it, with their true directions."""
        return await self.engine.read(
            library, lambda session: read_path(session, start, end, max_hops, avoid_kinds, horizon)
        )

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        wanted = "" if event_type is None else " AND m.event_type = $type"
        rows = await self._ask(
            library,
            f"MATCH {self._node('e', 'Entity', 'name: $name')}-[:EXPERIENCES]->{self._node('m', 'MajorEvent')}"
            f" WHERE {entity_visible('e', horizon)} AND {record_visible('m', horizon)}{wanted}"
            f" WITH m MATCH (m)<-[x:EXPERIENCES]-{self._node('o', 'Entity')} WHERE {entity_visible('o', horizon)}"
            f" RETURN {EVENT_COLUMNS}, o.name, x.role ORDER BY x.place",
            horizon,
            name=name,
            type=event_type,
        )
        return _events(rows)

    async def every_relation(self, library: str, type: str | None, horizon: Horizon | None) -> list[Relation]:
        edges = directed(self.engine.dialect, type)
        query = f"MATCH {edges} WHERE {edge_visible(horizon)}{of_type(type)} RETURN {RELATION_COLUMNS}"
        return in_order(map(to_relation, await self._ask(library, query, horizon, type=type)))

    async def every_event(self, library: str, horizon: Horizon | None) -> list[MajorEvent]:
        """Return every event with those of its participants that are visible, by story position."""
        rows = await self._ask(
            library,
            f"MATCH {self._node('m', 'MajorEvent')}<-[x:EXPERIENCES]-{self._node('o', 'Entity')}"
            f" WHERE {record_visible('m', horizon)} AND {entity_visible('o', horizon)}"
            f" RETURN {EVENT_COLUMNS}, o.name, x.role ORDER BY x.place",
            horizon,
        )
        return _events(rows)

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        await self.engine.write(library, lambda session: write.write_entities(session, entities))

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        batch = json.dumps(["chapter", task_id, part, chapter], ensure_ascii=False)
        await self.engine.write(library, lambda session: write.write_batch(session, task_id, batch, relations, events))

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        batch = json.dumps(["import", task_id], ensure_ascii=False)
        await self.engine.write(library, lambda session: write.write_batch(session, task_id, batch, relations, events))

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        return await self.engine.write(library, lambda session: write.delete_source(session, task_id))

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        return await self.engine.write(library, lambda session: write.delete_entities(session, names))

    async def counts(self, library: str, horizon: Horizon | None = None) -> dict[str, int]:
        return await self.engine.read(library, lambda session: read_counts(session, horizon))

    async def close(self) -> None:
        await self.engine.close()

    async def release(self, library: str) -> None:
        await self.engine.release(library)

    def _node(self, variable: str, label: Label, keys: str = "") -> str:
        return self.engine.dialect.node(variable, label, keys)

    async def _ask(self, library: str, query: str, horizon: Horizon | None, **values: str | None) -> list[Row]:
        """Return the rows of a query; its parameters are the values that are not None, and those of the guard."""
        given = {name: value for name, value in values.items() if value is not None}
        return await self.engine.read(library, lambda session: session.run(query, {**given, **guard_values(horizon)}))


def of_type(type: str | None) -> str:
    """Return the condition that a relation is of a type, to be added to others; its parameter is `type`."""
    return "" if type is None else " AND r.type = $type"


def _events(rows: Iterable[Row]) -> list[MajorEvent]:
    """Return events by story position; each row has EVENT_COLUMNS, and a participant with its role."""
    casts: dict[str, list[Participant]] = {}
    columns: dict[str, Row] = {}
    for row in rows:
        columns[row[0]] = row[:-2]
        casts.setdefault(row[0], []).append(Participant(*row[-2:]))
    events = [to_event(row, tuple(casts[key])) for key, row in columns.items()]
    return sorted(events, key=lambda event: (story_position(event), event.event_type, event.name))


async def read_names(session: GraphSession, horizon: Horizon | None) -> list[Name]:
    entity, alias = session.dialect.node("e", "Entity"), session.dialect.node("s", "Alias")
    canonical = await session.run(
        f"MATCH {entity} WHERE {entity_visible('e', horizon)}"
        " RETURN e.name AS text, e.name AS entity, e.kind, e.part, e.chapter, e.mentions, e.description",
        guard_values(horizon),
    )
    aliases = await session.run(
        f"MATCH {entity}-[h:HAS_ALIAS]->{alias} WHERE {entity_visible('e', horizon)} AND {within_horizon('h', horizon)}"
        " RETURN s.text, e.name, e.kind, h.part, h.chapter, e.mentions, ''",
        guard_values(horizon),
    )
    names = [
        Name(
            text=text,
            entity=entity,
            kind=kind,
            first=position(part, chapter),
            mentions=mentions,
            description=description if horizon is None else "",
        )
        for text, entity, kind, part, chapter, mentions, description in (*canonical, *aliases)
    ]
    return sorted(names, key=lambda name: (name.text, name.entity))


async def read_counts(session: GraphSession, horizon: Horizon | None) -> dict[str, int]:
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


async def read_neighbourhood(
    session: GraphSession, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
) -> Neighbourhood:
    """Return the neighbours at their smallest hop and the edges that lead to them, hop by hop."""
    values = {**({} if relation is None else {"type": relation}), **guard_values(horizon)}
    visible = f"{edge_visible(horizon)}{of_type(relation)}"
    kept: list[Neighbour] = []
    edges: list[Relation] = []
    frontier, seen = [name], {name}

    async def steps() -> dict[str, list[Step]]:
        """Return the edges from `frontier` to entities that were not seen, by those, as seen from `frontier`.

        What was seen is left out here: as a condition it makes Ladybug read every entity.
        """
        found = f"MATCH {directed(session.dialect, relation)} WHERE {visible}"
        rows = await session.run(
            f"{found} AND a.name IN $names RETURN true AS outgoing, {RELATION_COLUMNS}"
            f" UNION ALL {found} AND b.name IN $names RETURN false AS outgoing, {RELATION_COLUMNS}",
            {"names": frontier, **values},
        )
        steps: dict[str, list[Step]] = {}
        for outgoing, *row in rows:
            far, direction = (row[2], OUT) if outgoing else (row[0], IN)
            if far not in seen:
                steps.setdefault(far, []).append((direction, to_relation(row)))
        return steps

    async def beyond() -> list[str]:
        """Return the entities beside `frontier` that were not seen."""
        source, target = session.dialect.node("a", "Entity"), session.dialect.node("b", "Entity")
        edge = session.dialect.edge(relation)
        query = f"MATCH {source}-{edge}-{target} WHERE a.name IN $names AND {visible} RETURN DISTINCT b.name"
        return [name for (name,) in await session.run(query, {"names": frontier, **values}) if name not in seen]

    for hop in range(1, depth + 1):
        if len(kept) < limit:
            found = await steps()
            level = sorted(
                (neighbour(far, hop, own) for far, own in found.items()), key=lambda one: (one.relation, one.name)
            )
            shown_here = level[: limit - len(kept)]
            kept += shown_here
            edges += in_order(edge for one in shown_here for _, edge in found[one.name])
            frontier = [one.name for one in level]
        else:  # the rest is only counted
            frontier = await beyond()
        if not frontier:
            break
        seen.update(frontier)
    return Neighbourhood(neighbours=tuple(kept), edges=tuple(edges), total=len(seen) - 1)


async def read_path(
    session: GraphSession, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
) -> list[Relation]:
    if start == end:
        return []
    paths = await session.run(
        session.dialect.shortest_paths(max_hops, horizon),
        {"here": start, "there": end, "avoid": list(avoid_kinds), **guard_values(horizon)},
    )
    if not paths:
        return []
    names: list[str] = min(row[0] for row in paths)
    rows = await session.run(
        f"MATCH {directed(session.dialect)} WHERE a.name IN $names AND b.name IN $names AND {edge_visible(horizon)}"
        f" RETURN {RELATION_COLUMNS}",
        {"names": names, **guard_values(horizon)},
    )
    edges = in_order(map(to_relation, rows))
    return [
        next(edge for edge in edges if {edge.source, edge.target} == {here, there}) for here, there in pairwise(names)
    ]
