"""Walks over the story graph in Neo4j: neighbourhoods and shortest paths."""

from collections.abc import Sequence
from itertools import pairwise

from tools.records import Horizon, Neighbour, Neighbourhood, Relation
from wenmai.stores.graph.neo4j_read import MINE, of_type, pattern
from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.records.story_guard import edge_shown, guard, shown, told
from wenmai.stores.records.story_order import Step, by_relation, in_order, neighbour
from wenmai.stores.records.story_rows import RELATION_COLUMNS, to_relation


async def read_neighbourhood(
    ask: Ask, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
) -> Neighbourhood:
    """Return the neighbours at their smallest hop and the edges that lead to them, hop by hop."""
    kept: list[Neighbour] = []
    edges: list[Relation] = []
    frontier, seen = [name], {name}
    for hop in range(1, depth + 1):
        if len(kept) < limit:
            steps = await _steps(ask, frontier, relation, horizon, seen)
            level = sorted((neighbour(other, hop, found) for other, found in steps.items()), key=by_relation)
            shown_here = level[: limit - len(kept)]
            kept += shown_here
            edges += in_order(edge for one in shown_here for _, edge in steps[one.name])
            frontier = [one.name for one in level]
        else:  # the rest is only counted
            frontier = await _beyond(ask, frontier, relation, horizon, seen)
        seen.update(frontier)
    return Neighbourhood(neighbours=tuple(kept), edges=tuple(edges), total=len(seen) - 1)


async def read_path(
    ask: Ask, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
) -> list[Relation]:
    """Return the edges of the first shortest path by the names along it."""
    if start == end:
        return []
    free = "(NOT y.kind IN $avoid OR y.name = $there)"
    walks = await ask(
        f"MATCH p = ALL SHORTEST (a:Entity {{{MINE}, name: $here}})"
        f" ((x:Entity)-[r]-(y:Entity) WHERE {told('r', horizon)} AND {shown('y', horizon)} AND {free}"
        f" AND y.library = $library){{1,{int(max_hops)}}} (b:Entity {{{MINE}, name: $there}})"
        f" WHERE {shown('a', horizon)} RETURN DISTINCT [n IN nodes(p) | n.name]",
        {"here": start, "there": end, "avoid": list(avoid_kinds), **guard(horizon)},
    )
    if not walks:
        return []
    names: list[str] = min(row[0] for row in walks)
    edges = await _edges_among(ask, names, horizon)
    return [
        next(edge for edge in edges if {edge.source, edge.target} == {here, there}) for here, there in pairwise(names)
    ]


async def _steps(
    ask: Ask, frontier: list[str], relation: str | None, horizon: Horizon | None, seen: set[str]
) -> dict[str, list[Step]]:
    """Return the edges from `frontier` to entities that were not seen, by those, as seen from `frontier`."""
    rows = await ask(
        f"MATCH (x:Entity {{{MINE}}}) WHERE x.name IN $names"
        f" MATCH (x)-[r{pattern(relation)}]-(y:Entity {{{MINE}}}) WHERE NOT y.name IN $seen"
        f" WITH r, startNode(r) AS a, endNode(r) AS b, x"
        f" WHERE {' AND '.join([edge_shown(horizon), *of_type(relation)])}"
        f" RETURN a = x, {RELATION_COLUMNS}",
        {"names": frontier, "seen": list(seen), "type": relation, **guard(horizon)},
    )
    steps: dict[str, list[Step]] = {}
    for outgoing, *row in rows:
        steps.setdefault(row[2] if outgoing else row[0], []).append(("out" if outgoing else "in", to_relation(row)))
    return steps


async def _beyond(
    ask: Ask, frontier: list[str], relation: str | None, horizon: Horizon | None, seen: set[str]
) -> list[str]:
    """Return the entities beside `frontier` that were not seen."""
    rows = await ask(
        f"MATCH (x:Entity {{{MINE}}}) WHERE x.name IN $names"
        f" MATCH (x)-[r{pattern(relation)}]-(y:Entity {{{MINE}}}) WHERE NOT y.name IN $seen"
        f" AND {' AND '.join([told('r', horizon), shown('x', horizon), shown('y', horizon), *of_type(relation)])}"
        " RETURN DISTINCT y.name",
        {"names": frontier, "seen": list(seen), "type": relation, **guard(horizon)},
    )
    return [row[0] for row in rows]


async def _edges_among(ask: Ask, names: list[str], horizon: Horizon | None) -> list[Relation]:
    rows = await ask(
        f"MATCH (a:Entity {{{MINE}}})-[r]->(b:Entity {{{MINE}}})"
        f" WHERE a.name IN $names AND b.name IN $names AND {edge_shown(horizon)} RETURN {RELATION_COLUMNS}",
        {"names": names, **guard(horizon)},
    )
    return in_order(to_relation(row) for row in rows)
