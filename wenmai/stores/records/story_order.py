"""The order of records that are read from a story graph, descriptions of neighbours, and keys of batches."""

import json
from collections.abc import Iterable
from typing import Literal

from tools.records import Neighbour, Relation, story_position

Direction = Literal["out", "in"]
Step = tuple[Direction, Relation]


def in_order(relations: Iterable[Relation]) -> list[Relation]:
    """Return relations in story position, ties by their text."""
    return sorted(relations, key=edge_order)


def edge_order(edge: Relation) -> tuple[object, ...]:
    """Return the sort key of a relation among others."""
    start = -1 if edge.start is None else edge.start
    told = (edge.evidence, start, edge.description, edge.task_id)
    return (story_position(edge), edge.source, edge.type, edge.target, *told)


def neighbour(name: str, hop: int, steps: list[Step]) -> Neighbour:
    """Describe a neighbour by its last edge: the first by type, then outgoing before incoming, then story order."""
    direction, edge = min(steps, key=lambda step: (step[1].type, step[0] != "out", edge_order(step[1])))
    return Neighbour(
        name=name,
        kind=edge.target_kind if direction == "out" else edge.source_kind,
        relation=edge.type,
        direction=direction,
        hop=hop,
        description=edge.description,
    )


def by_relation(one: Neighbour) -> tuple[str, str]:
    """Return the sort key of a neighbour within its hop."""
    return one.relation, one.name


def chapter_batch(task_id: str, part: int, chapter: int | None) -> str:
    """Return the mark of what was extracted from one chapter."""
    return json.dumps(["chapter", task_id, part, chapter], ensure_ascii=False)


def import_batch(task_id: str) -> str:
    """Return the mark of what was imported under one name."""
    return json.dumps(["import", task_id], ensure_ascii=False)
