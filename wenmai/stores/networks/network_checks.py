"""Checks before a run that its networks exist; those of a service are not checked again for a while."""

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
CHECKED_S = 60.0  # how long a check of a service's network holds
MAX_CHECKED = 1_000
TIMEOUT_S = 30.0
NOT_FOUND = 404


@dataclass(slots=True)
class NetworkChecks:
    """Checks that networks exist, all at once. Those stored here are checked each time, as they may be deleted."""

    networks: KnowledgeNetworks
    clock: MonotonicClock = monotonic
    _until: dict[tuple[Account, str], float] = field(default_factory=dict)

    async def require(self, asked: Networks) -> None:
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
        """Remember that a service has a network."""
        if await self.networks.is_local(id):
            return
        if len(self._until) >= MAX_CHECKED:
            self._until.clear()
        self._until[account, id] = self.clock() + CHECKED_S
