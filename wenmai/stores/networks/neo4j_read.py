"""What a knowledge network in Neo4j answers. Every query names the home of one network's content."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tools.networks.records import InstancePage, InstanceQuery, PathQuery, PathResult
from wenmai.knowledge.content import Content, Link, key_of
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec
from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.neo4j.schema import link_type
from wenmai.stores.networks.index import key_text
from wenmai.stores.networks.neo4j_index import Remembered, look_up, scope_of
from wenmai.stores.records.knowledge_answers import on_page, ordered, paged, to_instance
from wenmai.stores.records.knowledge_conditions import Evaluation, Scores
from wenmai.stores.records.knowledge_types import Types

NETWORK = "MATCH (n:KnowledgeNetwork {id: $id}) WHERE n.home IS NOT NULL RETURN n.home, n.revision"
KNOWN = "MATCH (n:KnowledgeNetwork) WHERE n.home = $home RETURN n.revision, n.spec, n.counts"
HOMES = "MATCH (n:KnowledgeNetwork) WHERE n.home IS NOT NULL RETURN n.home, n.revision, n.spec, n.counts ORDER BY n.id"
PLACES = "MATCH (i:KnowledgeInstance {scope: $scope}) RETURN i.place ORDER BY i.place"
OF_KIND = "MATCH (i:KnowledgeInstance {scope: $scope}) RETURN i.place, i.content ORDER BY i.place"
AT = "UNWIND $places AS place MATCH (i:KnowledgeInstance {home: $home, place: place}) RETURN i.place, i.content"
PLACE = "MATCH (i:KnowledgeInstance {scope: $scope, key: $key}) RETURN i.place"
BESIDE = (
    "MATCH (:KnowledgeInstance {home: $home, place: $place})%s(o:KnowledgeInstance {home: $home})"
    " RETURN o.place, o.content ORDER BY o.place LIMIT $limit"
)
PAIRS = (
    "MATCH (i:KnowledgeInstance {home: $home})-[:%s]->(o:KnowledgeInstance {home: $home})"
    " RETURN i.place, o.place ORDER BY i.place, o.place"
)
Rows = dict[int, dict[str, Any]]


class HomeGone(Exception):
    """An import has ended meanwhile, and what was read is being dropped: ask again."""


@dataclass(frozen=True, slots=True)
class Home:
    """The content of a network that is read now."""

    id: str
    types: Types
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Found:
    """One content, and the way to ask it within a transaction."""

    ask: Ask
    home: Home

    async def rows(self, query: str, **values: Any) -> Rows:
        """Return properties by place."""
        found = await self.ask(query, {"home": self.home.id, **values})
        return {place: json.loads(content) for place, content in found}

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the properties of the instances at these places. Raises HomeGone."""
        rows = await self.rows(AT, places=list(places))
        if len(rows) < len(places):
            raise HomeGone
        return rows

    async def of_kind(self, number: int) -> Rows:
        """Return the properties of all instances of a type, by place, in order."""
        return await self.rows(OF_KIND, scope=scope_of(self.home.id, number))

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        found = await self.ask(PAIRS % link_type(number), {"home": self.home.id})
        return [(one, other) for one, other in found]


async def revision_of(ask: Ask, network_id: str) -> str | None:
    """Return the revision that is current, None where there is no such network."""
    rows = await ask(NETWORK, {"id": network_id})
    return str(rows[0][1]) if rows else None


async def home_of(ask: Ask, network_id: str, kept: Home | None) -> Home | None:
    """Return the current home of a network; it is `kept` itself where that still holds."""
    rows = await ask(NETWORK, {"id": network_id})
    if not rows:
        return None
    home = rows[0][0]
    if kept is not None and kept.id == home:
        return kept
    found = await ask(KNOWN, {"home": home})
    return read_home([home, *found[0]]) if found else None


async def homes(ask: Ask) -> list[Home]:
    """Return the current homes of all networks, by id of the network."""
    return [read_home(row) for row in await ask(HOMES, {})]


def read_home(row: list[Any]) -> Home:
    """Return a home as it is stored."""
    home, revision, spec, counts = row
    return Home(home, Types(NetworkSpec.model_validate_json(spec), revision), json.loads(counts))


async def page(found: Found, query: InstanceQuery) -> InstancePage:
    """Return the matching instances. Raises KnowledgeRefused, KnowledgeQueryError."""
    number, kind = found.home.types.kind(query.object_type_id)
    scores = await matching(found, number, kind, query)
    sorting = await found.at(list(scores)) if query.sort else {}
    order = ordered(scores, query.sort, lambda places: sorting)
    return paged(kind, query, order, await found.at(on_page(order, query)), scores)


async def matching(found: Found, number: int, kind: ObjectSpec, query: InstanceQuery) -> Scores:
    """Return the score of every instance that matches, by place.

    The condition is gone through twice: what the first pass would look up is fetched for the second.
    """
    scope = scope_of(found.home.id, number)
    if query.condition is None:
        return {place: 1.0 for (place,) in await found.ask(PLACES, {"scope": scope})}
    index, wanted = Remembered(), list[bool]()

    def noted() -> Mapping[int, Mapping[str, Any]]:
        wanted.append(True)
        return {}

    Evaluation(kind, number, index, noted).scores(query.condition)
    await look_up(found.ask, scope, index)
    rows = await found.of_kind(number) if wanted else {}
    return Evaluation(kind, number, index, lambda: rows).scores(query.condition)


async def beside(found: Found, query: PathQuery) -> PathResult:
    """Return the neighbours of an instance. Raises KnowledgeRefused."""
    types = found.home.types
    number, kind = types.kind(query.object_type_id)
    relation = types.relation(query.relation.id)
    _, other = types.kind(query.neighbour_type_id)
    key = key_text([query.key.get(name) for name in kind.primary_keys])
    here = await found.ask(PLACE, {"scope": scope_of(found.home.id, number), "key": key})
    if not here:
        return PathResult()
    edge = f"-[:{link_type(relation)}]->" if query.direction == "outgoing" else f"<-[:{link_type(relation)}]-"
    rows = await found.rows(BESIDE % edge, place=here[0][0], limit=query.limit)
    return PathResult(neighbours=tuple(to_instance(other, row) for row in rows.values()))


async def whole(found: Found) -> Content:
    """Return all that a network holds. Raises HomeGone."""
    spec = found.home.types.spec
    rows = {kind.id: await found.of_kind(number) for number, kind in enumerate(spec.object_types)}
    links: dict[str, list[Link]] = {}
    for number, relation in enumerate(spec.relation_types):
        source, target = spec.object_type(relation.source), spec.object_type(relation.target)
        pairs = await found.pairs(number)
        if any(one not in rows[source.id] or other not in rows[target.id] for one, other in pairs):
            raise HomeGone
        links[relation.id] = [
            (key_of(rows[source.id][one], source), key_of(rows[target.id][other], target)) for one, other in pairs
        ]
    return Content(spec, {id: list(kept.values()) for id, kept in rows.items()}, links)
