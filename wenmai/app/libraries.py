"""Libraries as a whole: who writes them, whose they are on servers, how they change hands and are dropped."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.errors import LibraryNotFound, StoreCorrupt, StoreLocked
from tools.wording import Words
from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.leaving import leaving
from wenmai.stores.files.owners import Claim, Owner
from wenmai.stores.files.ownership import LibraryServer, claim_library, foreign_copies
from wenmai.stores.files.removal import discard, set_aside

if TYPE_CHECKING:
    from wenmai.app.container import Services

BUSY = Words(
    "资料库 {library} 正在被修改（例如导入文本）：请等它结束后重试",
    "library {library} is being changed (by an ingest, say): try again when that is done",
)
EMBEDDED = ("passages", "graph", "catalog", "answers")  # properties of Services


@dataclass(frozen=True, slots=True)
class Libraries:
    """Changes whole libraries over all stores of a process.

    On a server, libraries of several catalogs may have the same name; each bears the mark of the catalog that owns it.
    """

    services: "Services"
    dropped: Counter[str] = field(default_factory=Counter, init=False, repr=False)  # how often by this process
    _changing: set[str] = field(default_factory=set, init=False, repr=False)  # by this process

    @asynccontextmanager
    async def writing(self, library: str, transfer_from: Owner | None = None) -> AsyncIterator[None]:
        """Be the only one that changes a library, which must be this catalog's on every server.

        With `transfer_from` it may be that catalog's, too, and is this one's from now on.

        Raises:
            StoreLocked: this or another process changes it.
            StoreForeign: it is another catalog's.
        """
        async with self.alone(library):
            await self._claim(library, transfer_from)
            yield

    @asynccontextmanager
    async def alone(self, library: str) -> AsyncIterator[None]:
        """Be the only one that changes a library. Raises StoreLocked where this or another process does already."""
        self.require_free(library)
        self._changing.add(library)
        try:
            async with self._only_process(library):
                yield
        finally:
            self._changing.remove(library)

    def require_free(self, library: str) -> None:
        """Raise StoreLocked while this process changes a library."""
        if library in self._changing:
            raise StoreLocked(BUSY.of(library=library))

    @asynccontextmanager
    async def _only_process(self, library: str) -> AsyncIterator[None]:
        """Be the only process that changes a library; an embedded engine locks its folder for that."""
        services = self.services
        if services.server_catalog is not None:
            async with services.server_catalog.writing(library):
                yield
        elif services.settings.shares_libraries:
            with LibraryFolders(services.settings.data_dir).writing(library):
                yield
        else:
            yield

    async def foreign_owners(self, library: str) -> list[Owner]:
        """Return the other catalogs of which servers have a library of this name, UNKNOWN among them."""
        return list(dict.fromkeys(owner for _, owner in await self._foreign_copies(library)))

    async def drop_abandoned(self, library: str) -> None:
        """Delete what other catalogs have left of a library on servers. Raises StoreLocked, StoreError."""
        async with self.alone(library):
            for store, _ in await self._foreign_copies(library):
                await store.drop(library)

    async def adopt(self, library: str) -> list[Owner]:
        """Mark a library that the catalog has as its own on servers; return the owners whose marks it bore there.

        Raises LibraryNotFound, StoreLocked, StoreError.
        """
        with suppress(StoreCorrupt):
            await self.services.catalog.info(library)
        async with self.alone(library):
            mine, found = await self.services.catalog.owner(), await self._foreign_copies(library)
            for store, _ in found:
                await store.mark(library, mine)
        return list(dict.fromkeys(owner for _, owner in found))

    async def drop(self, library: str, *, with_folder: bool = False) -> None:
        """Delete what servers keep of a library, and with `with_folder` what is below DATA_DIR. Raises StoreError.

        The catalog on a server, or else the folder, goes last: until then the library can be found and deleted again.
        The folder goes at once: whoever reads it then is told that it is gone, and what fails before leaves all of it.
        """
        services = self.services
        if services.server_graph is not None:
            await services.server_graph.drop(library)
        if services.server_passages is not None:
            await services.server_passages.drop(library)
        if with_folder:
            folders = LibraryFolders(services.settings.data_dir)
            with leaving(folders.path(library)):
                self.dropped[library] += 1
                await self._release_embedded(library)
                left = await asyncio.to_thread(set_aside, folders, library)
            await asyncio.to_thread(discard, left)
        if services.server_catalog is not None:
            await services.server_catalog.drop(library)

    async def _release_embedded(self, library: str) -> None:
        """Close what embedded stores have open of a library, also files that cannot be read."""
        services = self.services
        graph = services.graph if services.server_graph is not None else None
        on_servers = (services.server_passages, graph, services.server_catalog)
        for name in EMBEDDED:
            store = vars(services).get(name)  # where cached_property keeps it
            if store is not None and store not in on_servers:
                with suppress(StoreCorrupt, LibraryNotFound):
                    await store.release(library)

    async def _claim(self, library: str, transfer_from: Owner | None) -> None:
        if not self._servers:
            return
        knows = transfer_from is not None or await self._has(library)
        await claim_library(self._servers, library, Claim(await self.services.catalog.owner(), knows, transfer_from))

    @property
    def _servers(self) -> list[LibraryServer]:
        """The servers on which another catalog may have a library of the same name."""
        stores = (self.services.server_graph, self.services.server_passages)
        return [store for store in stores if store is not None]

    async def _foreign_copies(self, library: str) -> list[tuple[LibraryServer, Owner]]:
        mine, knows = await self.services.catalog.owner(), await self._has(library)
        return await foreign_copies(self._servers, library, mine, knows=knows)

    async def _has(self, library: str) -> bool:
        """Return True if the catalog has a library; one that cannot be read is there, and may be deleted."""
        with suppress(StoreCorrupt):
            try:
                await self.services.catalog.info(library)
            except LibraryNotFound:
                return False
        return True
