"""Walks over the story graph: neighbourhoods and shortest paths."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Literal

from tools.records import Horizon, Neighbour, Neighbourhood, Relation
from wenmai.stores.ladybug_read import BOTH_ENDS, edge_shown, in_order
from wenmai.stores.ladybug_schema import RELATION_COLUMNS, Ask, guard, shown, to_relation


def read_neighbourhood(
    ask: Ask, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
) -> Neighbourhood:
    """Return the neighbours of a breadth-first walk and the edges that it took to them."""
    hops = {name: 0}
    relations: dict[str, str] = {}
    frontier = [name]
    for hop in range(1, depth + 1):
        frontier = _next_hop(ask, frontier, relation, horizon, hops, relations, hop)
        if not frontier:
            break
    found = sorted((hops[other], relations[other], other) for other in relations)
    kept = [other for _, _, other in found[:limit]]
    edges = _tree_edges(ask, [name, *kept], relation, horizon, hops)
    neighbours = tuple(_neighbour(other, hops, edges) for other in kept)
    return Neighbourhood(neighbours=neighbours, edges=tuple(edges), total=len(found))


def read_path(
    ask: Ask, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
) -> list[Relation]:
    """Return the edges of the first shortest path by the names along it."""
    if start == end:
        return []
    values = {"here": start, "there": end, "avoid": list(avoid_kinds), **guard(horizon)}
    walks = ask(
        f"MATCH p = (a:Entity {{name: $here}})-[r:RELATION* ALL SHORTEST 1..{int(max_hops)}"
        f" (r, n | WHERE {shown('r', horizon)} AND {shown('n', horizon)} AND NOT n.kind IN $avoid)]"
        f"-(b:Entity {{name: $there}}) WHERE {shown('a', horizon)} AND {shown('b', horizon)}"
        " RETURN DISTINCT properties(nodes(p), 'name')",
        values,
    )
    if not walks:
        return []
    names: list[str] = min(row[0] for row in walks)
    edges = _edges_among(ask, names, None, horizon)
    return [
        next(edge for edge in edges if {edge.source, edge.target} == {here, there}) for here, there in pairwise(names)
    ]


def _next_hop(
    ask: Ask,
    frontier: list[str],
    relation: str | None,
    horizon: Horizon | None,
    hops: dict[str, int],
    relations: dict[str, str],
    hop: int,
) -> list[str]:
    """Add the nodes one step beyond `frontier` to `hops`, with the first relation that leads there."""
    wanted = "" if relation is None else " AND r.type = $relation"
    values = {"names": frontier, **guard(horizon), **({} if relation is None else {"relation": relation})}
    where = f"a.name IN $names AND {edge_shown(horizon)}{wanted}"
    found: dict[str, str] = {}
    for pattern in ("(a:Entity)-[r:RELATION]->(b:Entity)", "(a:Entity)<-[r:RELATION]-(b:Entity)"):
        for other, type in ask(f"MATCH {pattern} WHERE {where} RETURN DISTINCT b.name, r.type", values):
            if other not in hops:
                found[other] = min(type, found.get(other, type))
    hops.update(dict.fromkeys(found, hop))
    relations.update(found)
    return sorted(found)


def _edges_among(ask: Ask, names: list[str], relation: str | None, horizon: Horizon | None) -> list[Relation]:
    wanted = "" if relation is None else " AND r.type = $relation"
    values = {"names": names, **guard(horizon), **({} if relation is None else {"relation": relation})}
    rows = ask(
        f"{BOTH_ENDS} WHERE a.name IN $names AND b.name IN $names AND {edge_shown(horizon)}{wanted}"
        f" RETURN {RELATION_COLUMNS}",
        values,
    )
    return in_order(to_relation(row) for row in rows)


def _tree_edges(
    ask: Ask, names: list[str], relation: str | None, horizon: Horizon | None, hops: dict[str, int]
) -> list[Relation]:
    """Return the edges of the walk: those that lead from one hop to the next."""
    edges = _edges_among(ask, names, relation, horizon)
    return [edge for edge in edges if abs(hops[edge.source] - hops[edge.target]) == 1]


def _neighbour(name: str, hops: dict[str, int], edges: list[Relation]) -> Neighbour:
    """Describe a neighbour by its last edge: the first by type, then outgoing before incoming, then story order."""
    last = [
        (edge.type, direction, place, edge)
        for place, edge in enumerate(edges)
        for direction, near, far in (("in", edge.target, edge.source), ("out", edge.source, edge.target))
        if far == name and hops[near] == hops[name] - 1
    ]
    _, _, _, edge = min(last, key=lambda item: (item[0], item[1] != "out", item[2]))
    direction: Literal["out", "in"] = "out" if edge.target == name else "in"
    kind = edge.target_kind if direction == "out" else edge.source_kind
    return Neighbour(
        name=name, kind=kind, relation=edge.type, direction=direction, hop=hops[name], description=edge.description
    )
