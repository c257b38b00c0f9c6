"""Which networks are known to exist: before a run they are asked for, those of a service not again for a while."""

import asyncio
import logging
from dataclasses import dataclass, field
from time import monotonic

from tools.clock import MonotonicClock
from tools.errors import InputError, KnowledgeRefused, StoreUnavailable
from tools.networks.lexicon import Networks
from tools.networks.records import Account
from wenmai.stores.networks.networks import KnowledgeNetworks

log = logging.getLogger("wenmai.mind")
KNOWN_S = 60.0  # that a service's network is taken to be there, once it was
MOST_KNOWN = 1_000
TIMEOUT_S = 30.0  # KNO-32
NOT_FOUND = 404


@dataclass(slots=True)
class KnownNetworks:
    """Looks for networks, all at once. What is kept here is looked up each time: it may have been deleted meanwhile."""

    networks: KnowledgeNetworks
    clock: MonotonicClock = monotonic
    _until: dict[tuple[Account, str], float] = field(default_factory=dict)

    async def require(self, asked: Networks) -> None:
        """Look for the networks of a run, so that an unknown one is the caller's error. Raises InputError.

        One that does not answer now is the tool's to tell of.
        """
        found = await asyncio.gather(*(self.look(id, asked.account) for id in asked.ids), return_exceptions=True)
        for error in found:
            if isinstance(error, BaseException):
                raise error

    async def look(self, id: str, account: Account) -> None:
        """Look for one network. Raises InputError."""
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
            await self.keep(id, account)

    async def keep(self, id: str, account: Account) -> None:
        """Remember that a service has a network."""
        if await self.networks.is_local(id):
            return
        if len(self._until) >= MOST_KNOWN:
            self._until.clear()
        self._until[account, id] = self.clock() + KNOWN_S
