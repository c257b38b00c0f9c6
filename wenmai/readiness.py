"""Whether a process can answer now: which of its stores does, each asked for a little."""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tools.documents import DocumentScope
from tools.memories import MemoryFilter
from tools.records import PassageFilter
from wenmai.errors import WenmaiError
from wenmai.services import Services
from wenmai.stores.folder import FREE_BYTES

STORE_SECONDS = 3.0  # a load balancer waits no longer
NOBODY = "readiness"  # a user without memories

log = logging.getLogger("wenmai.readiness")
Probe = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Probes:
    """Asks every store of the services."""

    services: Services

    async def down(self) -> dict[str, bool]:
        """Return the stores by name, and whether each is down. Why stands in the log: it may name hosts and paths."""
        probes = await self.probes()
        found = await asyncio.gather(*(is_down(name, probe) for name, probe in probes.items()))
        return dict(zip(probes, found, strict=True))

    async def probes(self) -> dict[str, Probe]:
        """Return what is asked of each store; passages and story graph of the first library, where there is one."""
        services = self.services
        probes: dict[str, Probe] = {
            "catalog": services.catalog.libraries,
            "memories": lambda: services.memories.count(NOBODY, MemoryFilter()),
            "documents": lambda: services.documents.documents(DocumentScope()),
            "disk": self.disk,
        }
        try:
            libraries = await services.catalog.libraries()
        except WenmaiError:
            return probes  # it is asked once more, and reported
        if libraries:
            name = libraries[0].name
            probes["passages"] = lambda: services.passages.count(name, PassageFilter())
            probes["story_graph"] = lambda: services.graph.counts(name)
        return probes

    async def disk(self) -> None:
        """Look at the space for traces, checkpoints and embedded stores. Raises OSError."""
        place = self.services.settings.data_dir
        free = await asyncio.to_thread(lambda: shutil.disk_usage(place if place.exists() else place.parent).free)
        if free < FREE_BYTES:
            raise OSError(f"{place}: {free // 2**20} MB left")


async def is_down(name: str, probe: Probe) -> bool:
    """Ask one store."""
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await probe()
    except (WenmaiError, OSError, TimeoutError) as error:
        log.error("%s is down: %r", name, error)
        return True
    return False
