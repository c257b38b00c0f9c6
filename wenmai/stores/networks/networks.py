"""The KnowledgeNetwork port over all networks: those stored here, then those of a service if there is one."""

import asyncio
import logging
from dataclasses import dataclass, field
from time import monotonic

from tools.errors import InputError, KnowledgeRefused, StoreUnavailable
from tools.networks.lexicon import NetworkSelection
from tools.networks.records import Account, InstancePage, InstanceQuery, NetworkSchema, PathQuery, PathResult
from tools.ports import KnowledgeNetwork, MonotonicClock
from wenmai.knowledge.content import KnowledgeStore
from wenmai.settings.settings import Settings
from wenmai.stores.networks.service import MANAGER_BASE, QUERY_BASE, KnowledgeService, ServiceEndpoint

log = logging.getLogger("wenmai.mind")
CHECKED_S = 60.0  # how long a check of a service's network holds
MAX_CHECKED = 1_000
TIMEOUT_S = 30.0
NOT_FOUND = 404


@dataclass(frozen=True, slots=True)
class KnowledgeNetworks:
    """Asks the store of a network, or else the service; an id that is stored here is never asked of the service."""

    local: KnowledgeStore
    service: KnowledgeService | None

    async def schema(self, network_id: str, account: Account, *, timeout_s: float) -> NetworkSchema:
        store = await self._store_of(network_id)
        return await store.schema(network_id, account, timeout_s=timeout_s)

    async def instances(
        self, network_id: str, query: InstanceQuery, account: Account, *, timeout_s: float
    ) -> InstancePage:
        store = await self._store_of(network_id)
        return await store.instances(network_id, query, account, timeout_s=timeout_s)

    async def neighbours(self, network_id: str, query: PathQuery, account: Account, *, timeout_s: float) -> PathResult:
        store = await self._store_of(network_id)
        return await store.neighbours(network_id, query, account, timeout_s=timeout_s)

    async def close(self) -> None:
        await self.local.close()
        if self.service is not None:
            await self.service.close()

    async def is_local(self, network_id: str) -> bool:
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
        ServiceEndpoint(
            query_base=settings.knowledge_network_query_api_base or QUERY_BASE,
            manager_base=settings.knowledge_network_api_base or MANAGER_BASE,
            token=token.get_secret_value() if token else "",
            business_domain=settings.knowledge_network_business_domain or "",
        )
    )


@dataclass(slots=True)
class NetworkChecks:
    """Checks that networks exist, all at once. Those stored here are checked each time, as they may be deleted."""

    networks: KnowledgeNetworks
    clock: MonotonicClock = monotonic
    _until: dict[tuple[Account, str], float] = field(default_factory=dict)

    async def require(self, asked: NetworkSelection) -> None:
        """Check the networks of a run, so that an unknown one is the caller's error. Raises InputError.

        One that does not answer now is no error here: the tool that asks it reports it.
        """
        found = await asyncio.gather(*(self.check(id, asked.account) for id in asked.ids), return_exceptions=True)
        for error in found:
            if isinstance(error, BaseException):
                raise error

    async def check(self, id: str, account: Account) -> None:
        """Check one network. Raises InputError."""
        if self.clock() < self._until.get((account, id), 0.0):
            return
        try:
            await self.networks.schema(id, account, timeout_s=TIMEOUT_S)
        except KnowledgeRefused as error:
            if error.status == NOT_FOUND:
                raise InputError(str(error)) from error
        except StoreUnavailable as error:
            log.warning("%s", error)
        else:
            await self._remember(id, account)

    async def _remember(self, id: str, account: Account) -> None:
        if await self.networks.is_local(id):
            return
        if len(self._until) >= MAX_CHECKED:
            self._until.clear()
        self._until[account, id] = self.clock() + CHECKED_S
