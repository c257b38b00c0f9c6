"""What a knowledge network in Neo4j answers. Every query names the home of one network's content."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tools.networks.records import Condition
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec
from wenmai.stores.neo4j.connection import Ask
from wenmai.stores.networks.answers import ContentChanged, Rows
from wenmai.stores.networks.index import key_text
from wenmai.stores.networks.neo4j_index import PrefetchedIndex, prefetch, scope_of
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


@dataclass(frozen=True, slots=True)
class Home:
    """The content of a network that is read now."""

    id: str
    types: Types
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class Neo4jContent:
    """The NetworkContent on a server, within a transaction."""

    ask: Ask
    home: Home

    @property
    def types(self) -> Types:
        """The types of the network."""
        return self.home.types

    async def scores(self, number: int, kind: ObjectSpec, condition: Condition | None) -> Scores:
        """Return the score of every instance of a type that matches, by place. Raises KnowledgeQueryError.

        The condition is evaluated twice: what the first time would look up is fetched for the second.
        """
        scope = scope_of(self.home.id, number)
        if condition is None:
            return {place: 1.0 for (place,) in await self.ask(PLACES, {"scope": scope})}
        index, is_scanned = PrefetchedIndex(), list[bool]()

        def scanned() -> Rows:
            is_scanned.append(True)
            return {}

        Evaluation(kind, number, index, scanned).scores(condition)
        await prefetch(self.ask, scope, index)
        rows = await self.of_kind(number) if is_scanned else {}
        return Evaluation(kind, number, index, lambda: rows).scores(condition)

    async def rows(self, query: str, **values: Any) -> Rows:
        """Return properties by place."""
        found = await self.ask(query, {"home": self.home.id, **values})
        return {place: json.loads(content) for place, content in found}

    async def at(self, places: Sequence[int]) -> Rows:
        """Return the properties of the instances at these places. Raises ContentChanged."""
        rows = await self.rows(AT, places=list(places))
        if len(rows) < len(places):
            raise ContentChanged
        return rows

    async def of_kind(self, number: int) -> Rows:
        """Return the properties of all instances of a type, by place, in order."""
        return await self.rows(OF_KIND, scope=scope_of(self.home.id, number))

    async def place(self, number: int, key: Sequence[Any]) -> int | None:
        """Return the place of the instance of a type with this primary key, None if there is none."""
        rows = await self.ask(PLACE, {"scope": scope_of(self.home.id, number), "key": key_text(key)})
        return int(rows[0][0]) if rows else None

    async def beside(self, relation: int, place: int, *, outgoing: bool, limit: int) -> Rows:
        """Return the first neighbours of an instance along a relation, in order."""
        edge = f"-[:{link_type(relation)}]->" if outgoing else f"<-[:{link_type(relation)}]-"
        return await self.rows(BESIDE % edge, place=place, limit=limit)

    async def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        found = await self.ask(PAIRS % link_type(number), {"home": self.home.id})
        return [(one, other) for one, other in found]


async def revision_of(ask: Ask, network_id: str) -> str | None:
    """Return the current revision of a network, None where there is none of this id."""
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


def link_type(number: int) -> str:
    """Return the type of a knowledge network's links; types go by number, so that no id can be a part of a query."""
    return f"KN_{int(number)}"
