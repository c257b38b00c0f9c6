"""Knowledge networks on a Neo4j server: instances as nodes, links as relations, values under indexes.

The content of a network is stored under a home, `<id>/<import>`; the node of the network names the current one. So an
import is seen as a whole or not at all, and a reader beside it notices that the home has changed.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar
from uuid import uuid4

from tools.errors import (
    InputError,
    KnowledgeFailed,
    KnowledgeQueryError,
    KnowledgeRefused,
    StoreError,
)
from tools.networks.records import (
    Account,
    InstancePage,
    InstanceQuery,
    NetworkSchema,
    PathQuery,
    PathResult,
)
from tools.wording import Words
from wenmai.knowledge.content import Content
from wenmai.knowledge.keeping import Imported, Progress, StoredNetwork, sizes
from wenmai.stores.neo4j.connection import Ask, Neo4jConnection
from wenmai.stores.networks.answers import ContentChanged, in_time, neighbours, page, require_limit, schema, whole
from wenmai.stores.networks.folders import unknown
from wenmai.stores.networks.neo4j_import import Import, drop_homes, remove
from wenmai.stores.networks.neo4j_read import Home, Neo4jContent, home_of, homes, revision_of
from wenmai.stores.records.knowledge import Types

IMPORTING = Words("知识网络 {id} 正在被导入：请稍后重试", "network {id} is being imported: try again later")
ATTEMPTS = 5  # of a question, which is asked again where an import has ended meanwhile
T = TypeVar("T")
Question = Callable[[Neo4jContent], Awaitable[T]]


@dataclass
class Neo4jKnowledge:
    """The KnowledgeStore over Neo4j."""

    connection: Neo4jConnection
    _homes: dict[str, Home] = field(default_factory=dict)

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        return await in_time(network_id, timeout_s, self._answer(network_id, schema))

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        require_limit(query)
        return await in_time(network_id, timeout_s, self._answer(network_id, lambda content: page(content, query)))

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction."""
        found = self._answer(network_id, lambda content: neighbours(content, query))
        return await in_time(network_id, timeout_s, found)

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id. Raises StoreError."""
        return [StoredNetwork(home.types.spec, home.counts) for home in await self.connection.read(homes)]

    async def has(self, network_id: str) -> bool:
        """Return True if a network is stored here. Raises KnowledgeFailed."""
        try:
            return await self.connection.read(lambda ask: revision_of(ask, network_id)) is not None
        except StoreError as error:
            raise KnowledgeFailed(str(error)) from error

    async def content(self, network_id: str) -> Content:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        return await self._answer(network_id, whole)

    async def put(self, content: Content, progress: Progress) -> Imported:
        """Make this the content of its network. Raises StoreLocked, StoreFull, StoreError."""
        id, revision, counts = content.spec.id, content.revision(), sizes(content)
        there = await self.connection.read(lambda ask: revision_of(ask, id))
        if there == revision:
            return Imported(id, counts, content.dangling, written=False)
        types = Types(content.spec, revision)
        await Import(self.connection, content, Home(f"{id}/{uuid4().hex}", types, counts), progress).run()
        return Imported(id, counts, content.dangling, written=True)

    async def remove(self, network_id: str) -> dict[str, int]:
        """Remove a network and return how much it held. Raises KnowledgeRefused (404)."""
        counts = await self._answer(network_id, counts_of)
        await self.connection.write(lambda ask: remove(ask, network_id))
        await drop_homes(self.connection, network_id)
        return counts

    async def close(self) -> None:
        """Close the connections."""
        await self.connection.close()

    async def _answer(self, network_id: str, question: Question[T]) -> T:
        async def work(ask: Ask) -> tuple[Home | None, T | None]:
            home = await home_of(ask, network_id, self._homes.get(network_id))
            if home is None:
                return None, None
            try:
                answer = await question(Neo4jContent(ask, home))
            except ContentChanged:
                return home, None
            return (home, answer) if await home_of(ask, network_id, home) is home else (home, None)

        try:
            for _ in range(ATTEMPTS):
                home, answer = await self.connection.read(work)
                if home is None:
                    raise unknown(network_id)
                self._homes[network_id] = home
                if answer is not None:
                    return answer
        except InputError as error:
            raise KnowledgeQueryError(str(error)) from error
        except (KnowledgeQueryError, KnowledgeRefused):
            raise
        except StoreError as error:
            raise KnowledgeFailed(str(error)) from error
        raise KnowledgeFailed(IMPORTING.of(id=network_id))


async def counts_of(content: Neo4jContent) -> dict[str, int]:
    """Return how much a network holds, without a query."""
    return content.home.counts
