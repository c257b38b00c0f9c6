"""Walks over a story graph: neighbourhoods and shortest paths."""

from collections.abc import Sequence
from itertools import pairwise

from tools.records import Horizon, Neighbour, Neighbourhood, Relation
from wenmai.stores.graph.engine import Session
from wenmai.stores.graph.read import directed, of_type, type_value
from wenmai.stores.records.story_guard import edge_visible, guard_values
from wenmai.stores.records.story_order import Direction, Step, by_relation, in_order, neighbour
from wenmai.stores.records.story_rows import RELATION_COLUMNS, to_relation

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
    """Return the entities beside `frontier` that were not seen."""
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
