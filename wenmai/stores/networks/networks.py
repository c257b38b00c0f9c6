"""The KnowledgeNetwork port over all networks: those stored here, then those of a service if there is one."""

from dataclasses import dataclass

from tools.networks.records import Account, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult
from tools.ports import KnowledgeNetwork
from wenmai.knowledge.keeping import KnowledgeStore
from wenmai.settings.settings import Settings
from wenmai.stores.networks.service import MANAGER_BASE, QUERY_BASE, Endpoint, KnowledgeService


@dataclass(frozen=True, slots=True)
class KnowledgeNetworks:
    """Asks the store of a network, or else the service; an id that is stored here is never asked of the service."""

    local: KnowledgeStore
    service: KnowledgeService | None

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        store = await self._store_of(network_id)
        return await store.schema(network_id, account, timeout_s=timeout_s)

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        store = await self._store_of(network_id)
        return await store.instances(network_id, query, account, timeout_s=timeout_s)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction."""
        store = await self._store_of(network_id)
        return await store.neighbours(network_id, query, account, timeout_s=timeout_s)

    async def close(self) -> None:
        """Close files and connections."""
        await self.local.close()
        if self.service is not None:
            await self.service.close()

    async def is_local(self, network_id: str) -> bool:
        """Return True if the store here answers for a network."""
        return self.service is None or await self.local.has(network_id)

    async def _store_of(self, network_id: str) -> KnowledgeNetwork:
        if self.service is None or await self.is_local(network_id):
            return self.local
        return self.service


def knowledge_service_of(settings: Settings) -> KnowledgeService | None:
    """Return the service of the settings; where one of its addresses is given, the other has its default."""
    if not settings.has_knowledge_service:
        return None
    token = settings.knowledge_network_token
    return KnowledgeService(
        Endpoint(
            query_base=settings.knowledge_network_query_api_base or QUERY_BASE,
            manager_base=settings.knowledge_network_api_base or MANAGER_BASE,
            token=token.get_secret_value() if token else "",
            business_domain=settings.knowledge_network_business_domain or "",
        )
    )
