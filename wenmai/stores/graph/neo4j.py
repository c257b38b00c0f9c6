"""Story graphs on a Neo4j server: all libraries in one database, each kept apart in every query.

One database holds many libraries: every node carries its library, and every unique key begins with it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, TypeVar

from tools.errors import LibraryNotFound
from tools.records import Horizon, Neighbourhood
from tools.wording import Words
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner, OwnerSource, require_owner
from wenmai.stores.graph.engine import GraphSession, Label, Work
from wenmai.stores.graph.rows import Row, entity_visible, record_visible
from wenmai.stores.neo4j import Ask, Neo4jConnection

# Types of relations that are types in the database, too. Any other stands in the property `type` alone: the server
# never frees names of types, and no text of a user becomes part of a query.
RELATION_TYPES = frozenset(
    {
        "FRIEND_OF",
        "ENEMY_OF",
        "PARTNER_OF",
        "FAMILY_OF",
        "TEACHER_OF",
        "MEMBER_OF",
        "LEADER_OF",
        "OWNER_OF",
        "PARTICIPATED_IN",
        "EXPERIENCES",
        "OCCURRED_AT",
        "LOCATED_IN",
        "MENTIONED_IN",
        "CONTAINS",
        "LEADS_TO",
        "NEXT",
        "INTERACTS_WITH",
    }
)
OTHER_TYPE = "RELATION"
IN_LIBRARY = "library: $library"


class Neo4jDialect:
    """The Dialect of Neo4j; every query has the parameter `library`."""

    event_id = "digest"

    def event_id_of(self, key: str) -> str:
        """Return the key's digest, as an index holds no value of any length."""
        return sha256(key.encode()).hexdigest()

    def node(self, variable: str, label: Label, keys: str = "") -> str:
        return f"({variable}:{label} {{{', '.join(filter(None, (IN_LIBRARY, keys)))}}})"

    def edge(self, type: str | None = None) -> str:
        return "[r]" if type is None else f"[r:{self.stored_type(type)}]"

    def stored_type(self, type: str) -> str:
        return type if type in RELATION_TYPES else OTHER_TYPE

    def shortest_paths(self, max_hops: int, horizon: Horizon | None) -> str:
        passable = "(NOT y.kind IN $avoid OR y.name = $there) AND y.library = $library"
        visible = f"{record_visible('r', horizon)} AND {entity_visible('y', horizon)}"
        return (
            f"MATCH p = ALL SHORTEST {self.node('a', 'Entity', 'name: $here')}"
            f" ((x:Entity)-[r]-(y:Entity) WHERE {visible} AND {passable}){{1,{int(max_hops)}}}"
            f" {self.node('b', 'Entity', 'name: $there')}"
            f" WHERE {entity_visible('a', horizon)} RETURN DISTINCT [n IN nodes(p) | n.name]"
        )


DROP_ROWS = 10_000  # nodes of one transaction
# Locks the library until the transaction ends, so that its writers follow one another, and tells readers of a change.
# Versions begin with the time: a library that is deleted and made anew repeats none.
BEGIN = (
    "MERGE (l:Library {name: $library}) SET l.version = coalesce(l.version, timestamp()) + 1,"
    " l.place = CASE WHEN l.owner IS NULL THEN $place ELSE l.place END, l.owner = coalesce(l.owner, $owner)"
    " RETURN l.version, l.owner, l.place"
)
STATE = "MATCH (l:Library {name: $library}) RETURN l.version, l.owner, l.place"
MARK = "MATCH (l:Library {name: $library}) SET l.owner = $owner, l.place = $place"
DROP_SOME = (
    "MATCH (n:Entity|Alias|MajorEvent) WHERE n.library = $library WITH n LIMIT $limit DETACH DELETE n RETURN count(*)"
)
DROP_LIBRARY = "MATCH (l:Library {name: $library}) DELETE l"
GONE = Words(
    "{server}里没有资料库 {library} 的图谱：请再次运行 wenmai ingest，它会按登记库的记录重新写入图谱",
    "{server} has no graph of library {library}: run wenmai ingest again, it writes the graph anew from the catalog",
)
T = TypeVar("T")


@dataclass
class Neo4jEngine:
    """The GraphEngine over Neo4j, where other catalogs may have libraries, too.

    Attributes:
        connection: the server.
        owner: returns this catalog, whose libraries alone are read and written.
    """

    connection: Neo4jConnection
    owner: OwnerSource
    dialect = Neo4jDialect()

    @property
    def place(self) -> str:
        return f"Neo4j（{self.connection.endpoint.uri}）"

    async def open(self, library: str) -> None:
        """Look for a library's graph before it is read. Raises LibraryNotFound, StoreForeign, StoreError."""
        owner = await self.owner()
        await self.connection.read(lambda ask: self._version(ask, library, owner))

    async def read(self, library: str, work: Work[T]) -> T:
        """Return the result of `work`; only where it found nothing, the library itself is looked for.

        Raises LibraryNotFound, StoreForeign, StoreError.
        """
        owner = await self.owner()

        async def checked(ask: Ask) -> T:
            found = await work(self._session(ask, library, owner))
            if not found or isinstance(found, Neighbourhood | dict):
                await self._version(ask, library, owner)
            return found

        return await self.connection.read(checked)

    async def write(self, library: str, work: Work[T]) -> T:
        """Do all of `work` or nothing of it, on a library that is this catalog's. Raises StoreForeign, StoreError."""
        check_name(library)
        owner = await self.owner()

        async def owned(ask: Ask) -> T:
            [state] = await ask(BEGIN, {"library": library, "owner": owner.id, "place": owner.place})
            require_owner(self.place, library, _owner(state), owner)
            return await work(self._session(ask, library, owner))

        return await self.connection.write(owned)

    async def owner_of(self, library: str) -> Owner | None:
        found = await self._state(library)
        return _owner(found[0]) if found else None

    async def holds(self, library: str) -> bool:
        return bool(await self._state(library))

    async def mark(self, library: str, owner: Owner) -> None:
        mark = {"library": check_name(library), "owner": owner.id, "place": owner.place}
        await self.connection.write(lambda ask: ask(MARK, mark))

    async def drop(self, library: str) -> None:
        values = {"library": library, "limit": DROP_ROWS}
        while (await self.connection.write(lambda ask: ask(DROP_SOME, values)))[0][0]:
            pass
        await self.connection.write(lambda ask: ask(DROP_LIBRARY, values))

    async def release(self, library: str) -> None:
        """Do nothing: the connections are those of all libraries."""

    async def close(self) -> None:
        await self.connection.close()

    async def _state(self, library: str) -> list[Row]:
        return await self.connection.read(lambda ask: ask(STATE, {"library": check_name(library)}))

    def _session(self, ask: Ask, library: str, owner: Owner) -> GraphSession:
        async def run(query: str, values: Mapping[str, Any]) -> list[Row]:
            return await ask(query, {**values, "library": library})

        return GraphSession(self.dialect, run, lambda: self._version(ask, library, owner))

    async def _version(self, ask: Ask, library: str, owner: Owner) -> int:
        """Return a number that grows with each write to a library. Raises LibraryNotFound, StoreForeign, InputError."""
        rows = await ask(STATE, {"library": check_name(library)})
        if not rows:
            raise LibraryNotFound(GONE.of(server=self.place, library=library))
        require_owner(self.place, library, _owner(rows[0]), owner)
        return int(rows[0][0])


def _owner(state: Row) -> Owner | None:
    _, id, place = state
    return None if id is None else Owner(id, place)
