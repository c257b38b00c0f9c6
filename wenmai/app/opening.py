"""What a run reads, opened before it starts: what is unknown, locked or lost is the caller's error, not an apology."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.documents.records import DocumentScope
from tools.errors import InputError, StoreCorrupt, StoreGone
from tools.messages import Message, Text, say
from tools.records import Horizon, LibraryInfo
from wenmai.app.libraries import Libraries, LibraryReading

log = logging.getLogger("wenmai.app")

if TYPE_CHECKING:
    from state.context import Context
    from wenmai.app.engines import Engines

SOURCES = {  # toolkits without a library, as a person calls them
    "documents": Message("source.uploaded_documents"),
    "memory": Message("source.user_memories"),
}


@dataclass(frozen=True, slots=True)
class Opening:
    services: "Engines"
    libraries: Libraries

    @asynccontextmanager
    async def reading(self, context: "Context", *, is_open: bool = False) -> AsyncIterator[LibraryReading]:
        """Open everything that a run reads, and read its library until the run is over. Raises as `open`."""
        from nodes.modes import reads_stories

        if not reads_stories(context):
            if not is_open:
                await self.open(context)
            yield LibraryReading()
            return
        async with self.libraries.reading(context.library) as reader:
            if not is_open:
                await self.open(context)
            yield reader

    async def open(self, context: "Context") -> list[str]:
        """Open everything that a run reads and return it as a person calls it.

        Raises:
            ConfigError: the embedder cannot be loaded.
            InputError: an unknown library, network or part, or no document tool is left.
            StoreError: a store is locked, corrupt, or built with another embedder.
        """
        from nodes.modes import MEMORY_TOOLKIT, NETWORK_TOOLKIT, reads_stories

        if any(toolkit != NETWORK_TOOLKIT for toolkit in context.toolkits):
            await self.open_embedder()
        await self.open_networks(context)
        await self.open_documents(context)
        if MEMORY_TOOLKIT in context.toolkits:
            dimension = await self.dimension()  # first: the stores are named after the embedder
            await self.services.memories.collection.require_embedder(dimension)
        if context.as_of_part is not None:  # a part may be one that the library lacks; the turn reads the guard itself
            await self.horizon(context)
        networks = [say("source.network", id=id) for id in context.kn_ids]
        if not reads_stories(context):
            return networks + [str(name) for one, name in SOURCES.items() if one in context.toolkits]
        info = await self.open_library(context.library)
        return [say("source.library_with_title", name=info.name, title=info.title), *networks]

    async def open_library(self, library: str) -> LibraryInfo:
        """Open the three stores of a library that is whole.

        Raises LibraryNotFound, StoreLocked, StoreUnfinished, StoreCorrupt, StoreGone, EmbedderMismatch.
        """
        services, dimension = self.services, await self.dimension()
        async with self.libraries.reading(library):
            with self.noting(library):
                info = await services.catalog.require_embedder(library, services.embedder.name, dimension)
                await services.passages.open(library)
                await self.count_lost(info)
                await services.graph.open(library)
        return info

    @contextmanager
    def noting(self, library: str) -> Iterator[None]:
        """Note whether the files of a library can be read, for those who ask for its state."""
        try:
            yield
        except (StoreCorrupt, StoreGone) as error:
            self.services.spoilt[library] = error.args[0]
            raise
        self.services.spoilt.pop(library, None)

    async def count_lost(self, info: LibraryInfo) -> Text | None:
        """Count the passages that a library has lost; return what is said of them, and note it. Raises StoreError."""
        from wenmai.ingestion.library.known_state import lost_passages

        losses, library = self.services.losses, info.name
        if not (lost := await lost_passages(self.services.passages, info)):
            losses.pop(library, None)
        elif library not in losses:
            losses[library] = Message("library.passages_lost", library=library, lost=lost)
            log.error("%s", losses[library])
        return losses.get(library)

    async def horizon(self, context: "Context") -> Horizon | None:
        """Return the spoiler guard of a run, with the part that it means.

        Raises FieldError for a part that the library lacks, StoreError.
        """
        from tools.story.guard import read_horizon
        from wenmai.inputs import FieldError

        try:
            return await read_horizon(self.services.catalog, context.library, context.as_of_chapter, context.as_of_part)
        except InputError as error:
            raise FieldError("as_of_part", error.args[0]) from error

    async def open_networks(self, context: "Context") -> None:
        from nodes.scope import networks_of

        networks = networks_of(context)
        if networks is not None:
            await self.services.network_checks.require(networks)

    async def open_documents(self, context: "Context") -> None:
        """Open the documents where a run reads them. Raises StoreError, EmbedderMismatch among them.

        Raises InputError where the settings leave no document tool to a run that has no other.
        """
        from nodes.modes import documents_alone, mode_of
        from tools.toolboxes import DOCUMENT_TOOLKIT, TOOLKITS

        if DOCUMENT_TOOLKIT not in context.toolkits:
            return
        services = self.services
        agent = documents_alone(context) and mode_of(context, services.settings.policy()) == "agent"
        if agent and len(services.settings.disabled_tools) == len(TOOLKITS[DOCUMENT_TOOLKIT]):
            raise InputError(Message("source.no_document_tool"))
        dimension = await self.dimension()
        await services.documents.collection.require_embedder(dimension)
        await services.documents.documents(DocumentScope())

    async def know_embedder(self) -> None:
        """Learn the embedder's name, which takes reading a whole model from files. Raises ConfigError."""
        if self.services.settings.embeds_by_files:
            await asyncio.to_thread(lambda: self.services.embedder.name)

    async def dimension(self) -> int:
        """Return the length of the vectors; where no file names it, a model is loaded. Raises ConfigError."""
        await self.know_embedder()
        embedder = self.services.embedder
        return await asyncio.to_thread(lambda: embedder.dimension)

    async def open_embedder(self) -> None:
        """Load an embedder whose files may be missing. Raises ConfigError."""
        from wenmai.embedders.local import LocalEmbedder

        await self.know_embedder()
        if self.services.settings.embeds_by_files and isinstance(self.services.embedder, LocalEmbedder):
            await self.services.embedder.open()
