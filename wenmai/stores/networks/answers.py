"""What the content of a network answers, whatever engine holds it."""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from tools.errors import KnowledgeQueryError, KnowledgeTimeout
from tools.networks.records import (
    MOST_INSTANCES,
    Condition,
    Instance,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
    Sort,
)
from tools.wording import Words
from wenmai.knowledge.content import Content, Link, Row, key_of, sortable
from wenmai.knowledge.spec import ObjectSpec
from wenmai.stores.records.knowledge import Scores, Types

BAD_LIMIT = Words("limit 必须在 1..{most} 之间，收到 {limit}", "limit is 1 to {most}, got {limit}")
TIMED_OUT = Words("知识网络 {id} 在 {seconds:g} 秒内没有回答", "network {id} did not answer within {seconds:g} seconds")
Rows = Mapping[int, Row]  # properties of instances by their place
T = TypeVar("T")


class ContentChanged(Exception):
    """An import has ended meanwhile, and what was read is being deleted: read again."""


class NetworkContent(Protocol):
    """One content of a network. Instances are known by their place, types by their number."""

    @property
    def types(self) -> Types:
        """The types of the network."""
        ...

    async def scores(self, number: int, kind: ObjectSpec, condition: Condition | None) -> Scores:
        """Return the score of every instance of a type that matches, by place. Raises KnowledgeQueryError."""
        ...

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the instances at these places. Raises ContentChanged."""
        ...

    async def of_kind(self, number: int) -> Rows:
        """Return all instances of a type, in order."""
        ...

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        ...

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        ...

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        ...


async def in_time(network_id: str, timeout_s: float, answer: Awaitable[T]) -> T:
    """Return the answer of a network. Raises KnowledgeTimeout where it takes longer than `timeout_s` seconds."""
    try:
        async with asyncio.timeout(timeout_s):
            return await answer
    except TimeoutError as error:
        raise KnowledgeTimeout(TIMED_OUT.of(id=network_id, seconds=timeout_s)) from error


def require_limit(query: InstanceQuery) -> None:
    """Raise KnowledgeQueryError unless a page of a query has an allowed length."""
    if not 1 <= query.limit <= MOST_INSTANCES:
        raise KnowledgeQueryError(BAD_LIMIT.of(most=MOST_INSTANCES, limit=query.limit))


async def schema(content: NetworkContent) -> NetworkSchema:
    """Return the object types and relation types."""
    return content.types.schema


async def page(content: NetworkContent, query: InstanceQuery) -> InstancePage:
    """Return the matching instances. Raises KnowledgeRefused, KnowledgeQueryError."""
    number, kind = content.types.kind(query.object_type_id)
    scores = await content.scores(number, kind, query.condition)
    order = ordered(scores, query.sort, await content.at(list(scores)) if query.sort else {})
    begin = int(query.search_after[0]) if query.search_after else 0
    chosen = order[begin : begin + query.limit]
    end, rows = begin + len(chosen), await content.at(chosen)
    return InstancePage(
        rows=tuple(to_instance(kind, rows[place], query.properties, scores[place]) for place in chosen),
        total_count=len(order) if query.need_total and not query.search_after and order else None,
        search_after=(end,) if end < len(order) else (),
    )


async def neighbours(content: NetworkContent, query: PathQuery) -> PathResult:
    """Return the neighbours of an instance. Raises KnowledgeRefused."""
    number, kind = content.types.kind(query.object_type_id)
    relation = content.types.relation(query.relation.id)
    _, other = content.types.kind(query.neighbour_type_id)
    place = await content.place(number, [query.key.get(name) for name in kind.primary_keys])
    if place is None:
        return PathResult()
    rows = await content.beside(relation, place, outgoing=query.direction == "outgoing", limit=query.limit)
    return PathResult(neighbours=tuple(to_instance(other, row) for row in rows.values()))


async def whole(content: NetworkContent) -> Content:
    """Return all that a network holds. Raises ContentChanged."""
    spec = content.types.spec
    rows = {kind.id: await content.of_kind(number) for number, kind in enumerate(spec.object_types)}
    links: dict[str, list[Link]] = {}
    for number, relation in enumerate(spec.relation_types):
        source, target = spec.object_type(relation.source), spec.object_type(relation.target)
        pairs = await content.pairs(number)
        if any(one not in rows[source.id] or other not in rows[target.id] for one, other in pairs):
            raise ContentChanged
        links[relation.id] = [
            (key_of(rows[source.id][one], source), key_of(rows[target.id][other], target)) for one, other in pairs
        ]
    return Content(spec, {id: list(kept.values()) for id, kept in rows.items()}, links)


def ordered(scores: Scores, sort: Sequence[Sort], rows: Rows) -> list[int]:
    """Return places in order: better scores first, then by primary keys, unless another order is asked for.

    Args:
        scores: scores by place.
        sort: the order that is asked for.
        rows: the instances at these places, where there is such an order.
    """
    order = sorted(scores, key=lambda place: (-scores[place], place))
    for one in reversed(sort):
        order.sort(key=lambda place: sortable([rows[place].get(one.field)]), reverse=one.direction == "desc")
    return order


def to_instance(kind: ObjectSpec, row: Row, wanted: Sequence[str] = (), score: float | None = None) -> Instance:
    """Return a row as an instance; with `wanted` it has these properties alone."""
    properties: Mapping[str, Any] = {name: row[name] for name in row if name in wanted} if wanted else row
    return Instance(
        object_type_id=kind.id,
        object_type_name=kind.name,
        properties=properties,
        identity={name: row.get(name) for name in kind.primary_keys},
        display=str(row.get(kind.display_key) or ""),
        score=score,
    )
