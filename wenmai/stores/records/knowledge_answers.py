"""What a local network answers, from its open files."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tools.errors import KnowledgeFailed
from tools.networks.records import Instance, InstancePage, InstanceQuery, PathQuery, PathResult, Sort
from wenmai.knowledge.content import Content, Link, Row, key_of, sortable
from wenmai.knowledge.spec import ObjectSpec
from wenmai.stores.networks.folders import Kept, in_layout
from wenmai.stores.networks.graph import KnowledgeGraph
from wenmai.stores.networks.index import KnowledgeIndex
from wenmai.stores.records.knowledge_conditions import Evaluation, Scores
from wenmai.stores.records.knowledge_types import Types


@dataclass
class Opened:
    """One network's files, open."""

    types: Types
    graph: KnowledgeGraph
    index: KnowledgeIndex

    @classmethod
    def of(cls, kept: Kept) -> "Opened":
        """Open the files of a network. Raises KnowledgeFailed for those of an earlier version."""
        if not kept.revision.endswith(in_layout("")):
            raise KnowledgeFailed(f"知识网络 {kept.spec.id} 的文件来自其他版本：请用 wenmai knowledge import 重新导入")
        types = Types(kept.spec, kept.revision)
        return cls(types, KnowledgeGraph(kept.folder), KnowledgeIndex(kept.folder))

    def close(self) -> None:
        """Close the files."""
        self.graph.close()
        self.index.close()


def page(opened: Opened, query: InstanceQuery) -> InstancePage:
    """Return the matching instances. Raises KnowledgeRefused, KnowledgeQueryError."""
    number, kind = opened.types.kind(query.object_type_id)
    scores = matching(opened, number, kind, query)
    order = ordered(scores, query.sort, opened.graph.at)
    chosen = on_page(order, query)
    return paged(kind, query, order, opened.graph.at(chosen), scores)


def on_page(order: Sequence[int], query: InstanceQuery) -> list[int]:
    """Return the places that a page shows."""
    begin = int(query.search_after[0]) if query.search_after else 0
    return list(order[begin : begin + query.limit])


def paged(
    kind: ObjectSpec, query: InstanceQuery, order: Sequence[int], rows: Mapping[int, Row], scores: Scores
) -> InstancePage:
    """Return a page of the instances in order; `rows` are those that it shows."""
    chosen = on_page(order, query)
    end = (int(query.search_after[0]) if query.search_after else 0) + len(chosen)
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


def ordered(scores: Scores, sort: Sequence[Sort], at: Callable[[list[int]], Mapping[int, Row]]) -> list[int]:
    """Return places in order: better scores first, then by primary keys, unless another order is asked for (KNO-14).

    Args:
        scores: scores by place.
        sort: the order that is asked for.
        at: gives the properties of places.
    """
    order = sorted(scores, key=lambda place: (-scores[place], place))
    rows = at(order) if sort else {}
    for one in reversed(sort):
        order.sort(key=lambda place: sortable([rows[place].get(one.field)]), reverse=one.direction == "desc")
    return order


def beside(opened: Opened, query: PathQuery) -> PathResult:
    """Return the neighbours of an instance. Raises KnowledgeRefused."""
    number, kind = opened.types.kind(query.object_type_id)
    relation = opened.types.relation(query.relation.id)
    _, other = opened.types.kind(query.neighbour_type_id)
    place = opened.index.place(number, [query.key.get(name) for name in kind.primary_keys])
    if place is None:
        return PathResult()
    outgoing = query.direction == "outgoing"
    places = opened.index.beside(relation, place, outgoing=outgoing, limit=query.limit)
    rows = opened.graph.at(places) if places else {}
    return PathResult(neighbours=tuple(to_instance(other, rows[one]) for one in places))


def whole(opened: Opened) -> Content:
    """Return all that a network holds."""
    kinds = list(enumerate(opened.types.spec.object_types))
    rows = {kind.id: opened.graph.of_kind(number) for number, kind in kinds}
    links: dict[str, list[Link]] = {}
    for number, relation in enumerate(opened.types.spec.relation_types):
        source, target = opened.types.spec.object_type(relation.source), opened.types.spec.object_type(relation.target)
        links[relation.id] = [
            (key_of(rows[source.id][one], source), key_of(rows[target.id][other], target))
            for one, other in opened.graph.pairs(number)
        ]
    return Content(opened.types.spec, {id: list(kept.values()) for id, kept in rows.items()}, links)


def to_instance(kind: ObjectSpec, row: Row, wanted: Sequence[str] = (), score: float | None = None) -> Instance:
    """Return a row as an instance."""
    properties: Mapping[str, Any] = {name: row[name] for name in row if name in wanted} if wanted else row
    return Instance(
        object_type_id=kind.id,
        object_type_name=kind.name,
        properties=properties,
        identity={name: row.get(name) for name in kind.primary_keys},
        display=str(row.get(kind.display_key) or ""),
        score=score,
    )
