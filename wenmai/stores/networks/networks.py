"""The KnowledgeNetwork port over all networks: those kept here, then those of a service if there is one."""

from dataclasses import dataclass

from tools.networks.records import Account, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult
from tools.ports import KnowledgeNetwork
from wenmai.knowledge.keeping import KnowledgeKeeper
from wenmai.settings.settings import Settings
from wenmai.stores.networks.service import MANAGER_BASE, QUERY_BASE, Endpoint, KnowledgeService


@dataclass(frozen=True, slots=True)
class KnowledgeNetworks:
    """Asks whoever keeps a network; an id that is kept here stands for that one."""

    local: KnowledgeKeeper
    service: KnowledgeService | None

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        """Return the object types and relation types of a network."""
        keeper = await self._keeper(network_id)
        return await keeper.schema(network_id, account, timeout_s=timeout_s)

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        """Return the instances of one object type that match."""
        keeper = await self._keeper(network_id)
        return await keeper.instances(network_id, query, account, timeout_s=timeout_s)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        """Return the neighbours of one instance along one relation in one direction."""
        keeper = await self._keeper(network_id)
        return await keeper.neighbours(network_id, query, account, timeout_s=timeout_s)

    async def close(self) -> None:
        """Close files and connections."""
        await self.local.close()
        if self.service is not None:
            await self.service.close()

    async def is_local(self, network_id: str) -> bool:
        """Tell whether a network is asked for among those that are kept here."""
        return self.service is None or await self.local.has(network_id)

    async def _keeper(self, network_id: str) -> KnowledgeNetwork:
        if self.service is None or await self.is_local(network_id):
            return self.local
        return self.service


def knowledge_service_of(settings: Settings) -> KnowledgeService | None:
    """Return the service of the settings; where one of its addresses is given, the other has its default (KNO-01)."""
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
