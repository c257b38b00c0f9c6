"""Whether a process can answer now: which of its stores does, each asked for a little."""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from tools.documents.records import DocumentScope
from tools.memory.records import MemoryFilter
from tools.records import PassageFilter
from wenmai.app.container import Services
from wenmai.errors import LibraryNotFound, StoreForeign, StoreLocked, WenmaiError
from wenmai.stores.files.folder import FREE_BYTES

STORE_SECONDS = 3.0  # a load balancer waits no longer
NOBODY = "readiness"  # a user without memories

log = logging.getLogger("wenmai.app.readiness")
Probe = Callable[[], Awaitable[object]]


@dataclass(frozen=True, slots=True)
class Probes:
    """Asks every store of the services."""

    services: Services

    async def down(self) -> dict[str, bool]:
        """Return the stores by name, and whether each is down. Why stands in the log: it may name hosts and paths."""
        services = self.services
        of_a_library, others = await asyncio.gather(
            self.of_a_library(),
            asked(
                {
                    "memories": lambda: services.memories.count(NOBODY, MemoryFilter()),
                    "documents": lambda: services.documents.documents(DocumentScope()),
                    "disk": self.disk,
                }
            ),
        )
        return of_a_library | others

    async def of_a_library(self) -> dict[str, bool]:
        """Ask the catalog, and passages and story graph of its first library, where there is one."""
        services, names = self.services, list[str]()

        async def catalog() -> None:
            names.extend(one.name for one in await services.catalog.libraries() if one.problem is None)

        found = await asked({"catalog": catalog})
        if not names:
            return found
        stores: dict[str, Probe] = {
            "passages": lambda: services.passages.count(names[0], PassageFilter()),
            "story_graph": lambda: services.graph.counts(names[0]),
        }
        return found | await asked(stores)

    async def disk(self) -> None:
        """Look at the space for traces, checkpoints and embedded stores. Raises OSError."""
        place = self.services.settings.data_dir
        free = await asyncio.to_thread(lambda: shutil.disk_usage(place if place.exists() else place.parent).free)
        if free < FREE_BYTES:
            raise OSError(f"{place}: {free // 2**20} MB left")


async def asked(probes: Mapping[str, Probe]) -> dict[str, bool]:
    """Return the stores by name, and whether each is down."""
    found = await asyncio.gather(*(is_down(name, probe) for name, probe in probes.items()))
    return dict(zip(probes, found, strict=True))


async def is_down(name: str, probe: Probe) -> bool:
    """Ask one store. One that another process holds, or that has nothing of ours of a library, is well."""
    try:
        async with asyncio.timeout(STORE_SECONDS):
            await probe()
    except (StoreLocked, StoreForeign, LibraryNotFound) as error:
        log.info("%s: %s", name, error)
    except (WenmaiError, OSError, TimeoutError) as error:
        log.error("%s is down: %r", name, error)
        return True
    return False
