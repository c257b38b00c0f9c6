"""Walks over the story graph: neighbourhoods and shortest paths."""

from collections.abc import Sequence
from itertools import pairwise

from tools.records import Horizon, Neighbour, Neighbourhood, Relation
from wenmai.stores.graph.ladybug_read import BOTH_ENDS
from wenmai.stores.graph.ladybug_schema import Ask
from wenmai.stores.records.story_guard import edge_shown, guard, shown, told
from wenmai.stores.records.story_order import Direction, Step, by_relation, in_order, neighbour
from wenmai.stores.records.story_rows import RELATION_COLUMNS, to_relation


def read_neighbourhood(
    ask: Ask, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
) -> Neighbourhood:
    """Return the neighbours at their smallest hop and the edges that lead to them, hop by hop."""
    hops = _hops(ask, name, relation, depth, horizon)
    kept: list[Neighbour] = []
    edges: list[Relation] = []
    frontier = [name]
    for hop in range(1, depth + 1):
        steps = _steps(ask, frontier, relation, horizon, {other for other, at in hops.items() if at == hop})
        level = sorted((neighbour(other, hop, found) for other, found in steps.items()), key=by_relation)
        shown_here = level[: limit - len(kept)]
        kept += shown_here
        edges += in_order(edge for one in shown_here for _, edge in steps[one.name])
        frontier = [one.name for one in level]
        if not frontier or len(kept) >= limit:
            break
    return Neighbourhood(neighbours=tuple(kept), edges=tuple(edges), total=len(hops))


def read_path(
    ask: Ask, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
) -> list[Relation]:
    """Return the edges of the first shortest path by the names along it."""
    if start == end:
        return []
    # The engine holds the ends, too, against a condition on nodes: they are let through by name.
    values = {"here": start, "there": end, "free": [start, end], "avoid": list(avoid_kinds), **guard(horizon)}
    walks = ask(
        f"MATCH p = (a:Entity {{name: $here}})-[r:RELATION* ALL SHORTEST 1..{int(max_hops)}"
        f" (r, n | WHERE {told('r', horizon)} AND {shown('n', horizon)}"
        " AND (NOT n.kind IN $avoid OR n.name IN $free))]"
        f"-(b:Entity {{name: $there}}) WHERE {shown('a', horizon)} AND {shown('b', horizon)}"
        " RETURN DISTINCT properties(nodes(p), 'name')",
        values,
    )
    if not walks:
        return []
    names: list[str] = min(row[0] for row in walks)
    edges = _edges_among(ask, names, horizon)
    return [
        next(edge for edge in edges if {edge.source, edge.target} == {here, there}) for here, there in pairwise(names)
    ]


def _hops(ask: Ask, name: str, relation: str | None, depth: int, horizon: Horizon | None) -> dict[str, int]:
    """Return every entity within `depth` hops with its smallest one; the start, which walks may revisit, is none."""
    rows = ask(
        f"MATCH p = (a:Entity {{name: $name}})-[r:RELATION* SHORTEST 1..{int(depth)}"
        f" (r, n | WHERE {told('r', horizon)} AND {shown('n', horizon)}{_of_type(relation)})]-(b:Entity)"
        f" WHERE {shown('a', horizon)} AND {shown('b', horizon)} AND b.name <> a.name RETURN b.name, length(p)",
        {"name": name, **guard(horizon), **_type_value(relation)},
    )
    return {other: hop for other, hop in rows}


def _steps(
    ask: Ask, frontier: list[str], relation: str | None, horizon: Horizon | None, wanted: set[str]
) -> dict[str, list[Step]]:
    """Return the edges between `frontier` and the entities `wanted`, by those, as seen from `frontier`."""
    steps: dict[str, list[Step]] = {}
    values = {"names": frontier, **guard(horizon), **_type_value(relation)}
    directions: tuple[tuple[Direction, str], ...] = (("out", "a"), ("in", "b"))
    for direction, near in directions if wanted else ():
        rows = ask(
            f"{BOTH_ENDS} WHERE {near}.name IN $names AND {edge_shown(horizon)}{_of_type(relation)}"
            f" RETURN {RELATION_COLUMNS}",
            values,
        )
        for row in rows:
            far = row[2] if direction == "out" else row[0]
            if far in wanted:
                steps.setdefault(far, []).append((direction, to_relation(row)))
    return steps


def _of_type(relation: str | None) -> str:
    return "" if relation is None else " AND r.type = $relation"


def _type_value(relation: str | None) -> dict[str, str]:
    return {} if relation is None else {"relation": relation}


def _edges_among(ask: Ask, names: list[str], horizon: Horizon | None) -> list[Relation]:
    rows = ask(
        f"{BOTH_ENDS} WHERE a.name IN $names AND b.name IN $names AND {edge_shown(horizon)} RETURN {RELATION_COLUMNS}",
        {"names": names, **guard(horizon)},
    )
    return in_order(to_relation(row) for row in rows)
