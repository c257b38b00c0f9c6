"""What a local network answers, from its open files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tools.errors import KnowledgeRefused
from tools.knowledge import Instance, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult, Sort
from wenmai.knowledge.content import Content, Link, Row, key_of, sortable
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec, to_schema
from wenmai.stores.knowledge_conditions import Evaluation, Scores
from wenmai.stores.knowledge_folders import Kept
from wenmai.stores.knowledge_graph import KnowledgeGraph
from wenmai.stores.knowledge_index import KnowledgeIndex


@dataclass
class Opened:
    """One network's files, open."""

    kept: Kept
    graph: KnowledgeGraph
    index: KnowledgeIndex

    @classmethod
    def of(cls, kept: Kept) -> "Opened":
        """Open the files of a network."""
        return cls(kept, KnowledgeGraph(kept.folder), KnowledgeIndex(kept.folder))

    @cached_property
    def schema(self) -> NetworkSchema:
        """The schema as tools read it."""
        return to_schema(self.spec, self.kept.revision)

    @property
    def spec(self) -> NetworkSpec:
        """The schema as it is written."""
        return self.kept.spec

    def kind(self, id: str) -> tuple[int, ObjectSpec]:
        """Return an object type and its number. Raises KnowledgeRefused (404)."""
        for number, kind in enumerate(self.spec.object_types):
            if kind.id == id:
                return number, kind
        raise KnowledgeRefused(f"知识网络 {self.spec.id} 没有对象类型 {id}", 404)

    def relation(self, id: str) -> int:
        """Return the number of a relation type. Raises KnowledgeRefused (404)."""
        for number, relation in enumerate(self.spec.relation_types):
            if relation.id == id:
                return number
        raise KnowledgeRefused(f"知识网络 {self.spec.id} 没有关系类型 {id}", 404)

    def close(self) -> None:
        """Close the files."""
        self.graph.close()
        self.index.close()


def page(opened: Opened, query: InstanceQuery) -> InstancePage:
    """Return the matching instances. Raises KnowledgeRefused, KnowledgeQueryError."""
    number, kind = opened.kind(query.object_type_id)
    scores = matching(opened, number, kind, query)
    order = ordered(opened, scores, query.sort)
    begin = int(query.search_after[0]) if query.search_after else 0
    chosen = order[begin : begin + query.limit]
    rows = opened.graph.at(chosen)
    end = begin + len(chosen)
    return InstancePage(
        rows=tuple(to_instance(kind, rows[place], query.properties, scores[place]) for place in chosen),
        total_count=len(order) if query.need_total and not query.search_after and order else None,
        search_after=(end,) if end < len(order) else (),
    )


def matching(opened: Opened, number: int, kind: ObjectSpec, query: InstanceQuery) -> Scores:
    """Return the score of every instance that matches, by place."""
    if query.condition is None:
        return dict.fromkeys(opened.graph.places(number), 1.0)
    return Evaluation(kind, number, opened.index, lambda: opened.graph.of_kind(number)).scores(query.condition)


def ordered(opened: Opened, scores: Scores, sort: Sequence[Sort]) -> list[int]:
    """Return places in order: better scores first, then by primary keys, unless another order is asked for (KNO-14)."""
    order = sorted(scores, key=lambda place: (-scores[place], place))
    rows = opened.graph.at(order) if sort else {}
    for one in reversed(sort):
        order.sort(key=lambda place: sortable([rows[place].get(one.field)]), reverse=one.direction == "desc")
    return order


def beside(opened: Opened, query: PathQuery) -> PathResult:
    """Return the neighbours of an instance. Raises KnowledgeRefused."""
    number, kind = opened.kind(query.object_type_id)
    relation = opened.relation(query.relation.id)
    _, other = opened.kind(query.neighbour_type_id)
    place = opened.index.place(number, [query.key.get(name) for name in kind.primary_keys])
    if place is None:
        return PathResult()
    outgoing = query.direction == "outgoing"
    rows = opened.graph.beside(relation, place, outgoing=outgoing, limit=query.limit)
    return PathResult(neighbours=tuple(to_instance(other, row) for row in rows))


def whole(opened: Opened) -> Content:
    """Return all that a network holds."""
    kinds = list(enumerate(opened.spec.object_types))
    rows = {kind.id: opened.graph.of_kind(number) for number, kind in kinds}
    links: dict[str, list[Link]] = {}
    for number, relation in enumerate(opened.spec.relation_types):
        source, target = opened.spec.object_type(relation.source), opened.spec.object_type(relation.target)
        links[relation.id] = [
            (key_of(rows[source.id][one], source), key_of(rows[target.id][other], target))
            for one, other in opened.graph.pairs(number)
        ]
    return Content(opened.spec, {id: list(kept.values()) for id, kept in rows.items()}, links)


def to_instance(kind: ObjectSpec, row: Row, wanted: Sequence[str] = (), score: float | None = None) -> Instance:
    """Return a row as an instance."""
    properties: Mapping[str, Any] = {name: value for name, value in row.items() if not wanted or name in wanted}
    return Instance(
        object_type_id=kind.id,
        object_type_name=kind.name,
        properties=properties,
        identity={name: row.get(name) for name in kind.primary_keys},
        display=str(row.get(kind.display_key) or ""),
        score=score,
    )
