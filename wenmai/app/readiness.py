"""Whether a process can answer now: which of its stores does, and what its servers say of themselves."""

import asyncio
import logging
import shutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from tools.documents.records import DocumentScope
from tools.errors import LibraryNotFound, StoreError, StoreForeign, StoreLocked, WenmaiError
from tools.memory.records import MemoryFilter
from tools.records import PassageFilter
from tools.wording import Words
from wenmai.app.container import Services
from wenmai.app.doctor.check_words import Check
from wenmai.settings.settings import Settings
from wenmai.stores.files.folder import FREE_BYTES

THREADS = Words("会话", "conversations")
BOTH = Words("会话和登记库", "conversations and the catalog")
NOT_LOADED = Words("还没有装入", "not loaded yet")
ALL = Words("会话、登记库和向量（pgvector {version}）", "conversations, catalog and vectors (pgvector {version})")
POSTGRES = Words("{place}，版本 {version}，保存{what}", "{place}, version {version}, keeps {what}")
NEO4J = Words("{place}，版本 {version}（需要 5.26 或更新）", "{place}, version {version} (5.26 or newer is needed)")
QDRANT = Words("{place}，版本 {version}（需要 1.19 或更新）", "{place}, version {version} (1.19 or newer is needed)")
PGVECTOR = "SELECT extversion FROM pg_extension WHERE extname = 'vector'"


async def qdrant_version(services: Services) -> str:
    """Return the address and version of the Qdrant server. Raises StoreError."""
    from wenmai.stores.qdrant.server import QdrantServer

    assert isinstance(services.vector_server, QdrantServer)
    with services.vector_server.errors():
        info = await services.vector_server.client.info()
    return QDRANT.say(place=services.vector_server.place, version=info.version)


async def neo4j_version(services: Services) -> str:
    """Return the address and version of the Neo4j server. Raises StoreError."""
    assert services.neo4j is not None
    [[version]] = await services.neo4j.read(
        lambda ask: ask("CALL dbms.components() YIELD versions RETURN versions[0]", {})
    )
    return NEO4J.say(place=services.neo4j.endpoint.uri, version=version)


async def postgres_version(services: Services) -> str:
    """Return the address and version of the PostgreSQL server. Raises StoreError."""
    from psycopg import AsyncConnection

    from wenmai.stores.postgres.connection import address_of, bounded, postgres_errors

    assert services.settings.postgres_uri is not None
    uri = services.settings.postgres_uri.get_secret_value()
    with postgres_errors(address_of(uri)):
        async with await AsyncConnection.connect(bounded(uri)) as connection:
            version = connection.info.server_version
            found = await (await connection.execute(PGVECTOR)).fetchone()
    keeps = BOTH.say() if services.settings.has_postgres_catalog else THREADS.say()
    if services.settings.vectors is not None:
        keeps = ALL.say(version=found[0] if found else NOT_LOADED)
    return POSTGRES.say(place=address_of(uri), version=version // 10000, what=keeps)


async def check_servers(services: Services) -> list[Check]:
    """Ask each server that is set for its version."""
    return [
        await check_server(name, version(services))
        for name, version, is_set in (
            ("Qdrant", qdrant_version, services.settings.qdrant_address is not None),
            ("Neo4j", neo4j_version, services.neo4j is not None),
            ("PostgreSQL", postgres_version, services.settings.postgres_uri is not None),
        )
        if is_set
    ]


async def check_server(name: str, asking: Awaitable[str]) -> Check:
    """Say what a server answers."""
    try:
        return Check(name, True, await asking)
    except StoreError as error:
        return Check(name, False, str(error))


STORE_SECONDS = 3.0  # a load balancer waits no longer
PAUSE_S = 2.0  # probes of several load balancers within it share one look
NOBODY = "readiness"  # a user without memories

log = logging.getLogger("wenmai.app.readiness")
Probe = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class Looks:
    """The last look at the stores of services: one at a time, and not more than one in a while."""

    services: Services
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    _at: float = 0.0
    _down: dict[str, bool] = field(default_factory=dict)

    async def down(self) -> dict[str, bool]:
        """Return the stores by name, and whether each is down."""
        async with self._lock:
            now = asyncio.get_running_loop().time()
            if not self._down or now - self._at >= PAUSE_S:
                stores, turns = await asyncio.gather(
                    Probes(self.services).down(), checkpoints_down(self.services.settings)
                )
                self._down, self._at = stores | turns, now
            return self._down


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


async def checkpoints_down(settings: Settings) -> dict[str, bool]:
    """Return whether the server of the threads' checkpoints is down, {} where they are in DATA_DIR."""
    if settings.postgres_uri is None:
        return {}
    from wenmai.checkpoints.postgres import reach  # only where there is a server

    uri = settings.postgres_uri.get_secret_value()
    return await asked({"checkpoints": lambda: reach(uri)})


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
