"""The live objects of a process, imported and opened at their first use: a list of libraries loads no mind."""

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from wenmai.app import engines
from wenmai.app.closing import ClosableT
from wenmai.app.heaps import share_heaps
from wenmai.observability.untraced import refuse
from wenmai.settings.settings import Settings, validate_config

if TYPE_CHECKING:
    from tools.memory.ranking import MemoryRanking
    from tools.memory.service import MemoryService
    from tools.recall.context import MemoryCaches
    from wenmai.access.keyring import KeyRing
    from wenmai.app.assembly import AgentAssembly
    from wenmai.app.engines import Catalog, DenseEmbedder, Passages, VectorServer
    from wenmai.app.libraries import Libraries
    from wenmai.app.opening import Opening
    from wenmai.app.readiness import Looks
    from wenmai.documents.service import DocumentService
    from wenmai.ingestion.contracts import Stores
    from wenmai.knowledge.content import KnowledgeStore
    from wenmai.memories.forgetting import Forgetting
    from wenmai.minds.model.extractor import ModelExtractor
    from wenmai.observability.langsmith import SafeClient
    from wenmai.reader.reader import Reader
    from wenmai.stores.catalog.model_cache import SqliteAnswers
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
    from wenmai.stores.graph.neo4j import Neo4jEngine
    from wenmai.stores.graph.store import StoryGraphStore
    from wenmai.stores.neo4j.connection import Neo4jConnection
    from wenmai.stores.networks.networks import KnowledgeNetworks, NetworkChecks
    from wenmai.stores.vectors.documents import VectorDocumentStore
    from wenmai.stores.vectors.memories import VectorMemoryStore
    from wenmai.stores.vectors.passages import ServerPassageStore

FLUSH_SECONDS = 5.0  # how long the end of a process waits for traces that are still to be sent


@dataclass(frozen=True)
class Services:
    """What a run needs from outside, opened at its first use; a server (`is_server`) counts calls for Prometheus."""

    settings: Settings
    is_server: bool = False
    _opened: AsyncExitStack = field(default_factory=AsyncExitStack, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Trace with the project's own client or not at all, so that nothing leaves unfiltered."""
        share_heaps()
        if self.smith is None:
            refuse()

    @cached_property
    def smith(self) -> "SafeClient | None":
        """The client that sends traces to LangSmith; None without LANGSMITH_TRACING."""
        if not self.settings.langsmith_tracing:
            return None
        from wenmai.observability.langsmith import begin

        client = begin(self.settings)
        self._opened.push_async_callback(asyncio.to_thread, client.flush, FLUSH_SECONDS)
        return client

    @cached_property
    def keys(self) -> "KeyRing":
        """The API keys of the server."""
        return engines.key_ring_of(self.settings)

    @cached_property
    def vector_server(self) -> "VectorServer | None":
        """The server of passages, documents and memories; None where the embedded engine serves."""
        return self.closed_at_end(engines.vector_server_of(self.settings))

    @cached_property
    def neo4j(self) -> "Neo4jConnection | None":
        """The connection to Neo4j; None where the embedded engine serves."""
        return self.closed_at_end(engines.neo4j_of(self.settings))

    @cached_property
    def embedder(self) -> "DenseEmbedder":
        """The dense embedder; its model is loaded, or its connection opened, at the first text. Raises ConfigError."""
        return self.closed_at_end(engines.embedder_of(self.settings))

    @cached_property
    def reader(self) -> "Reader | None":
        """The trained encoder; None, and a line in the log, where it is switched off or cannot be opened here."""
        return engines.reader_of(self.settings)

    @cached_property
    def passages(self) -> "Passages":
        """The passages of all libraries."""
        return self.server_passages or self.closed_at_end(engines.embedded_passages(self.settings))

    @cached_property
    def server_passages(self) -> "ServerPassageStore | None":
        """The passages where they are on a server."""
        if self.vector_server is None:
            return None
        base, embedder = self.settings.collection_name, self.embedder.name
        return self.closed_at_end(engines.server_passages(self.vector_server, base, embedder, self.catalog))

    @cached_property
    def graph(self) -> "StoryGraphStore":
        """The story graphs of all libraries."""
        return self.closed_at_end(engines.graph_of(self.settings, self.server_graph))

    @cached_property
    def server_graph(self) -> "Neo4jEngine | None":
        """The story graphs where they are on a server."""
        return None if self.neo4j is None else engines.server_graph(self.neo4j, self.catalog)

    @cached_property
    def catalog(self) -> "Catalog":
        """The catalog of libraries."""
        return self.server_catalog or self.closed_at_end(engines.embedded_catalog(self.settings))

    @cached_property
    def server_catalog(self) -> "PostgresCatalog | None":
        """The catalog where it is on a server."""
        return self.closed_at_end(engines.server_catalog(self.settings))

    @cached_property
    def answers(self) -> "SqliteAnswers":
        """What models answered while texts were ingested."""
        return self.closed_at_end(engines.answers_of(self.settings))

    @property
    def stores(self) -> "Stores":
        """The four stores that an ingest, a merge or a deletion writes to."""
        from wenmai.ingestion.contracts import Stores

        return Stores(passages=self.passages, graph=self.graph, catalog=self.catalog, answers=self.answers)

    @cached_property
    def libraries(self) -> "Libraries":
        """Who may write libraries, and how they are dropped."""
        from wenmai.app.libraries import Libraries

        return Libraries(self)

    @cached_property
    def looks(self) -> "Looks":
        """Whether the stores can answer now."""
        from wenmai.app.readiness import Looks

        return Looks(self)

    @cached_property
    def opening(self) -> "Opening":
        """What opens the sources of a run before it starts."""
        from wenmai.app.opening import Opening

        return Opening(self)

    @cached_property
    def assembly(self) -> "AgentAssembly":
        """What the agent's graphs are built from."""
        from wenmai.app.assembly import AgentAssembly

        return AgentAssembly(self)

    @cached_property
    def extractor(self) -> "ModelExtractor":
        """The model that reads ingested texts. Raises ConfigError."""
        from wenmai.minds.extraction import extractor_of

        extractor = extractor_of(self.settings)
        self.closed_at_end(extractor.provider)
        return extractor

    @cached_property
    def memories(self) -> "VectorMemoryStore":
        """The memories of all users."""
        return self.closed_at_end(engines.memories_of(self.settings, self.vector_server, self.embedder.name))

    @cached_property
    def memory_service(self) -> "MemoryService":
        """What changes memories."""
        return engines.memory_service_of(self.memories, self.embedder, self.memory_caches.drop)

    @cached_property
    def memory_ranking(self) -> "MemoryRanking":
        """What searches memories."""
        return engines.memory_ranking_of(self.memories, self.embedder, self.settings.semantic_scale)

    @property
    def forget(self) -> "Forgetting":
        """What forgets memories in the store, the threads, the traces and the caches."""
        from wenmai.memories.forgetting import Forgetting

        service, caches, threads = self.memory_service, self.memory_caches, engines.thread_cleaner_of(self.settings)
        return Forgetting(service, self.memories.collection, threads, self.settings.trace_dir, cached=caches.count)

    @cached_property
    def memory_caches(self) -> "MemoryCaches":
        """What recalls need not ask for twice."""
        from tools.recall.context import MemoryCaches

        return MemoryCaches()

    @cached_property
    def documents(self) -> "VectorDocumentStore":
        """The uploaded documents of all sessions, and the preloaded ones."""
        return self.closed_at_end(engines.documents_of(self.settings, self.vector_server, self.embedder.name))

    @cached_property
    def upload_embedder(self) -> "DenseEmbedder":
        """The dense embedder for uploads: the service that takes them repeats a failed batch itself."""
        if not self.settings.embeds_by_gemini:
            return self.embedder
        return self.closed_at_end(engines.embedder_of(self.settings, repeats=False))

    @cached_property
    def document_service(self) -> "DocumentService":
        """What takes documents in, lists and removes them."""
        return self.closed_at_end(engines.document_service_of(self.settings, self.documents, self.upload_embedder))

    @cached_property
    def local_knowledge(self) -> "KnowledgeStore":
        """The knowledge networks that are kept here."""
        return self.closed_at_end(engines.local_knowledge_of(self.settings, self.neo4j))

    @cached_property
    def knowledge(self) -> "KnowledgeNetworks":
        """All knowledge networks: those that are kept here, and those of a service."""
        return self.closed_at_end(engines.networks_of(self.settings, self.local_knowledge))

    @cached_property
    def network_checks(self) -> "NetworkChecks":
        """Which networks are known to exist."""
        from wenmai.stores.networks.networks import NetworkChecks

        return NetworkChecks(self.knowledge)

    def closed_at_end(self, opened: ClosableT) -> ClosableT:
        """Close something with these services, and return it."""
        if opened is not None:
            self._opened.push_async_callback(opened.close)
        return opened

    async def close(self) -> None:
        """Close what was opened, the last first, and let the libraries go."""
        await self._opened.aclose()


@cache
def process_services() -> Services:
    """Return the services of a server's process: its graph and its input checks share them. Reads the settings."""
    return Services(validate_config(), is_server=True)
