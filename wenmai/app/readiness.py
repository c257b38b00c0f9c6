"""Whether a process can answer now: which of its stores does."""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tools.documents.records import DocumentScope
from tools.errors import LibraryNotFound, StoreCorrupt, StoreForeign, StoreFull, StoreLocked, WenmaiError
from tools.memory.records import MemoryFilter
from tools.messages import Text
from tools.records import PassageFilter
from wenmai.app.engines import Engines
from wenmai.checkpoints import CHECKPOINTS_FILE
from wenmai.settings.settings import Settings

STORE_SECONDS = 3.0  # a load balancer waits no longer
PAUSE_S = 2.0  # probes of several load balancers within it share one look
LIBRARY_STATES = ("ready", "in_use", "unfinished", "incomplete", "broken")
NOBODY = "readiness"  # a user without memories
OF_ONE_LIBRARY = (StoreCorrupt, StoreFull)  # of files of its own: the lists of libraries show it

log = logging.getLogger("wenmai.app.readiness")
Probe = Callable[[], Awaitable[object]]
T = TypeVar("T")


@dataclass(slots=True)
class SharedLook(Generic[T]):
    """What a look found, for all who ask within PAUSE_S; there is one at a time."""

    look: Callable[[], Awaitable[T]]
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _at: float = 0.0
    _found: T | None = None

    async def found(self) -> T:
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if self._found is None or now - self._at >= PAUSE_S:
                self._found, self._at = await self.look(), now
            return self._found


class Looks:
    """The last looks at the stores of services, and at their libraries."""

    def __init__(self, engines: Engines) -> None:
        self._down = SharedLook(lambda: everything_down(engines))
        self._states = SharedLook(lambda: states_of(engines))
        self._without_room = SharedLook(lambda: without_room(engines))

    async def library_states(self) -> Counter[str]:
        """Return how many libraries are in each of LIBRARY_STATES, as far as they have been opened."""
        return await self._states.found()

    async def down(self) -> dict[str, bool]:
        """Return the stores by name, and whether each is down."""
        return await self._down.found()

    async def without_room(self) -> dict[str, Text]:
        """Return the libraries that are closed and cannot be opened on what is left of the disk, each with why."""
        return await self._without_room.found()


async def everything_down(engines: Engines) -> dict[str, bool]:
    stores, turns = await asyncio.gather(stores_down(engines), checkpoints_down(engines.settings))
    return stores | turns


async def states_of(engines: Engines) -> Counter[str]:
    """Return how many libraries are in each of LIBRARY_STATES; one that is deleted meanwhile is in none."""
    from wenmai.ingestion.library.known_state import is_unfinished

    states = Counter[str](dict.fromkeys(LIBRARY_STATES, 0))
    for info in await engines.catalog.libraries():
        if info.problem is not None or info.name in engines.spoilt:
            states["broken"] += 1
            continue
        whole = "incomplete" if info.name in engines.losses else "ready"
        try:
            states["unfinished" if await is_unfinished(engines.catalog, info) else whole] += 1
        except StoreLocked:
            states["in_use"] += 1
        except StoreCorrupt:
            states["broken"] += 1
        except LibraryNotFound:
            continue
    return states


async def without_room(engines: Engines) -> dict[str, Text]:
    """Return the libraries that are closed and cannot be opened on what is left of the disk, each with why."""
    found: dict[str, Text] = {}
    with suppress(WenmaiError, OSError, TimeoutError):  # `down` says so
        async with asyncio.timeout(STORE_SECONDS):
            for info in await engines.catalog.libraries():
                try:
                    await engines.passages.require_room_to_open(info.name)
                except StoreFull as error:
                    found[info.name] = error.args[0]
    return found


async def stores_down(engines: Engines) -> dict[str, bool]:
    """Return the stores by name, and whether each is down. Why stands in the log: it may name hosts and paths."""
    names = list[str]()

    async def catalog() -> None:
        names.extend(one.name for one in await engines.catalog.libraries() if one.problem is None)

    async def of_a_library() -> dict[str, bool]:
        found = await probe_all({"catalog": catalog})
        if not names:
            return found
        stores: dict[str, Probe] = {
            "passages": lambda: engines.passages.count(names[0], PassageFilter()),
            "story_graph": lambda: engines.graph.counts(names[0]),
        }
        return found | await probe_all(stores, OF_ONE_LIBRARY)

    others: dict[str, Probe] = {
        "memories": lambda: engines.memories.count(NOBODY, MemoryFilter()),
        "documents": lambda: engines.documents.documents(DocumentScope()),
        "disk": engines.require_room,
    }
    first, second = await asyncio.gather(of_a_library(), probe_all(others))
    return first | second


async def checkpoints_down(settings: Settings) -> dict[str, bool]:
    """Return whether the checkpoints of the threads cannot be reached: a server, or the file in DATA_DIR, if any."""
    if settings.postgres_uri is None:
        from wenmai.checkpoints.sqlite import require_openable

        path = settings.data_dir / CHECKPOINTS_FILE
        if not path.exists():  # LangGraph's server has none; to look at it would make one
            return {}
        return await probe_all({"checkpoints": lambda: asyncio.to_thread(require_openable, path)})
    from wenmai.stores.postgres.connection import reach  # only where there is a server

    uri = settings.postgres_uri.get_secret_value()
    return await probe_all({"checkpoints": lambda: reach(uri)})


async def probe_all(probes: Mapping[str, Probe], well: tuple[type[WenmaiError], ...] = ()) -> dict[str, bool]:
    """Return whether each store is down; one that another process holds, or that has nothing of ours, is well.

    Args:
        well: what else does not mean that the store is down.
    """

    async def is_down(name: str, probe: Probe) -> bool:
        try:
            async with asyncio.timeout(STORE_SECONDS):
                await probe()
        except (WenmaiError, OSError, TimeoutError) as error:
            if isinstance(error, (StoreLocked, StoreForeign, LibraryNotFound, *well)):
                log.info("%s: %s", name, error)
                return False
            log.error("%s is down: %s", name, str(error) or type(error).__name__)
            return True
        return False

    found = await asyncio.gather(*(is_down(name, probe) for name, probe in probes.items()))
    return dict(zip(probes, found, strict=True))
