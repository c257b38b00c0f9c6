"""The stores, embedders and connections of a process, as the settings choose them, each opened at its first use."""

import asyncio
import ctypes
import logging
import sys
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Protocol, TypeVar
from weakref import WeakValueDictionary

from tools.errors import ConfigError
from tools.extras import require_extra
from tools.messages import say
from wenmai.app.clock import new_id, now
from wenmai.observability.cleaning import disable_tracing
from wenmai.settings.settings import Settings
from wenmai.stores.files.folder import require_space
from wenmai.stores.files.moving import COLLECTIONS, PENDING_FILE

if TYPE_CHECKING:
    from tools.memory.ranking import MemoryRanking
    from tools.memory.service import MemoryService
    from tools.messages import Text
    from tools.recall.context import MemoryCaches
    from wenmai.access.keyring import KeyRing
    from wenmai.documents.service import DocumentService
    from wenmai.embedders.local import LocalEmbedder
    from wenmai.ingestion.contracts import Stores
    from wenmai.knowledge.content import KnowledgeStore
    from wenmai.memories.forgetting import Forgetting, ThreadCleaner
    from wenmai.minds.model.embedder import GeminiEmbedder
    from wenmai.minds.model.extractor import ModelExtractor
    from wenmai.observability.langsmith import SafeClient
    from wenmai.reader.reader import Reader
    from wenmai.stores.catalog.catalog import SqliteCatalog
    from wenmai.stores.catalog.model_cache import SqliteAnswers
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
    from wenmai.stores.edge.passages import EdgePassageStore
    from wenmai.stores.graph.neo4j import Neo4jEngine
    from wenmai.stores.graph.store import StoryGraphStore
    from wenmai.stores.neo4j import GivenNeo4j, Neo4jConnection
    from wenmai.stores.networks.networks import KnowledgeNetworks, NetworkChecks
    from wenmai.stores.postgres.table import PostgresServer
    from wenmai.stores.qdrant.server import QdrantServer
    from wenmai.stores.vectors.documents import VectorDocumentStore
    from wenmai.stores.vectors.memories import VectorMemoryStore
    from wenmai.stores.vectors.passages import ServerPassageStore

    DenseEmbedder = LocalEmbedder | GeminiEmbedder
    Catalog = SqliteCatalog | PostgresCatalog
    Passages = EdgePassageStore | ServerPassageStore

log = logging.getLogger("wenmai.reader")
FLUSH_SECONDS = 5.0  # how long the end of a process waits for traces that are still to be sent
ARENA_MAX, ARENAS = -8, 2
"""glibc's mallopt, M_ARENA_MAX: a question over a novel holds 50 MB less with two, at the same speed."""


class Closable(Protocol):
    async def close(self) -> None: ...


ClosableT = TypeVar("ClosableT", bound=Closable | None)


@dataclass(frozen=True)
class Engines:
    """What a process reads and writes: below DATA_DIR, or on servers where the settings name them."""

    settings: Settings
    is_server: bool = False
    """Calls are counted for Prometheus."""
    given_neo4j: "GivenNeo4j | None" = None
    """A connection to Neo4j that the caller has opened, in the place of one by the settings."""
    losses: "dict[str, Text]" = field(default_factory=dict, init=False, repr=False, compare=False)
    """By library, what was seen to be missing of it when it was last opened."""
    spoilt: "dict[str, Text]" = field(default_factory=dict, init=False, repr=False, compare=False)
    """By library, why it could not be read when it was last opened."""
    _shares: "WeakValueDictionary[str, asyncio.Lock]" = field(
        default_factory=WeakValueDictionary, init=False, repr=False, compare=False
    )
    _opened: AsyncExitStack = field(default_factory=AsyncExitStack, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Trace with the project's own client or not at all, so that nothing leaves unfiltered."""
        limit_malloc_arenas()
        if self.smith is None:
            disable_tracing()

    def share_of(self, user_id: str) -> asyncio.Lock:
        """Return what holds a user's writes one behind another: what they look for first stays so."""
        return self._shares.setdefault(user_id, asyncio.Lock())

    @cached_property
    def choosing(self) -> asyncio.Lock:
        """What holds choices of a model service one behind another."""
        return asyncio.Lock()

    @cached_property
    def ingest_places(self) -> asyncio.Semaphore:
        """The places of texts that are read into libraries at the same time."""
        return asyncio.Semaphore(self.settings.ingests_at_once)

    async def require_room(self) -> None:
        """Raise StoreFull where so little of the disk is left that nothing may be written any more."""
        needed = self.settings.disk_reserve_mb << 20
        await asyncio.to_thread(require_space, self.settings.data_dir, needed=needed)

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
        """The API keys of the server: those of the file and those of the environment."""
        from wenmai.access.keyring import KeyFile, KeyRing

        file, required = KeyFile(*self.settings.key_files), self.settings.wenmai_require_keys
        return KeyRing(file, self.settings.wenmai_api_keys, now, time.monotonic, required)

    @cached_property
    def postgres(self) -> "PostgresServer | None":
        """PostgreSQL where it keeps passages, documents and memories; nothing is sent before the first call."""
        if self.settings.vectors != "postgres" or self.settings.postgres_uri is None:
            return None
        from wenmai.stores.postgres.table import PostgresServer

        return self.closed_at_end(PostgresServer(self.settings.postgres_uri.get_secret_value()))

    @cached_property
    def qdrant(self) -> "QdrantServer | None":
        """Qdrant where it keeps passages, documents and memories; nothing is sent before the first call."""
        if self.settings.qdrant_address is None:
            return None
        require_extra("qdrant", "QDRANT_URL")
        from wenmai.stores.qdrant.server import qdrant_server

        key = self.settings.qdrant_api_key
        secret = None if key is None else key.get_secret_value()
        return self.closed_at_end(qdrant_server(self.settings.qdrant_address, secret, self.settings.qdrant_timeout_s))

    @cached_property
    def neo4j(self) -> "Neo4jConnection | None":
        """The connection to Neo4j; None where the embedded engine serves."""
        if self.settings.neo4j_uri is None:
            return None
        require_extra("neo4j", "NEO4J_URI")
        from wenmai.stores.neo4j import connection_of

        return self.given_neo4j or self.closed_at_end(connection_of(self.settings))

    @cached_property
    def embedder(self) -> "DenseEmbedder":
        """The dense embedder; its model is loaded, or its connection opened, at the first text. Raises ConfigError."""
        if self.settings.embeds_by_gemini:
            return self._gemini_embedder(repeats=True)
        from wenmai.embedders.local import local_embedder

        return self.closed_at_end(local_embedder(self.settings))

    @cached_property
    def upload_embedder(self) -> "DenseEmbedder":
        """The dense embedder for uploads: the service that takes them repeats a failed batch itself."""
        return self._gemini_embedder(repeats=False) if self.settings.embeds_by_gemini else self.embedder

    def _gemini_embedder(self, *, repeats: bool) -> "GeminiEmbedder":
        from wenmai.minds.extraction import embedder_of
        from wenmai.minds.model.patience import ONCE, PATIENCE

        return self.closed_at_end(embedder_of(self.settings, PATIENCE if repeats else ONCE))

    @cached_property
    def reader(self) -> "Reader | None":
        """The trained encoder; None, and a line in the log, where it is switched off or cannot be opened here."""
        if not self.settings.use_reader:
            log.warning(say("reader.not_available", reason="USE_READER=false"))
            return None
        from wenmai.reader.reader import open_reader

        try:
            return open_reader(self.settings.model_cache_dir)
        except ConfigError as error:
            log.warning(say("reader.not_available", reason=error))
            return None

    @cached_property
    def passages(self) -> "Passages":
        if self.server_passages is not None:
            return self.server_passages
        from wenmai.stores.edge.passages import EdgePassageStore

        return self.closed_at_end(EdgePassageStore(self.settings.data_dir))

    @cached_property
    def server_passages(self) -> "ServerPassageStore | None":
        """The passages on a server, in collections or tables that are named after COLLECTION_NAME."""
        base = self.settings.collection_name
        if self.postgres is not None:
            from wenmai.stores.postgres.stores import postgres_passages

            store = postgres_passages(self.postgres, base, self.embedder.name, self.catalog.info)
        elif self.qdrant is not None:
            from wenmai.stores.qdrant.stores import qdrant_passages

            catalog = self.catalog
            store = qdrant_passages(self.qdrant, base, self.embedder.name, catalog.info, catalog.owner)
        else:
            return None
        return self.closed_at_end(store)

    @cached_property
    def graph(self) -> "StoryGraphStore":
        from wenmai.stores.graph.ladybug import LadybugEngine
        from wenmai.stores.graph.store import StoryGraphStore

        return self.closed_at_end(StoryGraphStore(self.server_graph or LadybugEngine(self.settings.data_dir)))

    @cached_property
    def server_graph(self) -> "Neo4jEngine | None":
        if self.neo4j is None:
            return None
        from wenmai.stores.graph.neo4j import Neo4jEngine

        return Neo4jEngine(self.neo4j, self.catalog.owner)

    @cached_property
    def catalog(self) -> "Catalog":
        if self.server_catalog is not None:
            return self.server_catalog
        from wenmai.stores.catalog.catalog import SqliteCatalog

        return self.closed_at_end(SqliteCatalog(self.settings.data_dir, shared=self.settings.shares_libraries))

    @cached_property
    def server_catalog(self) -> "PostgresCatalog | None":
        if self.settings.postgres_uri is None or not self.settings.has_postgres_catalog:
            return None
        from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

        return self.closed_at_end(PostgresCatalog(self.settings.postgres_uri.get_secret_value()))

    @cached_property
    def answers(self) -> "SqliteAnswers":
        """What models answered while texts were ingested."""
        from wenmai.stores.catalog.model_cache import SqliteAnswers

        return self.closed_at_end(SqliteAnswers(self.settings.data_dir, shared=self.settings.shares_libraries))

    @property
    def stores(self) -> "Stores":
        """The four stores that an ingest, a merge or a deletion writes to."""
        from wenmai.ingestion.contracts import Stores

        return Stores(passages=self.passages, graph=self.graph, catalog=self.catalog, answers=self.answers)

    @cached_property
    def extractor(self) -> "ModelExtractor":
        """The model that reads ingested texts. Raises ConfigError."""
        from wenmai.minds.extraction import extractor_of

        extractor = extractor_of(self.settings)
        self.closed_at_end(extractor.provider)
        return extractor

    @cached_property
    def memories(self) -> "VectorMemoryStore":
        embedder = self.embedder.name
        if self.postgres is not None:
            from wenmai.stores.postgres.stores import postgres_memories

            return self.closed_at_end(postgres_memories(self.postgres, embedder))
        if self.qdrant is not None:
            from wenmai.stores.qdrant.stores import qdrant_memories

            return self.closed_at_end(qdrant_memories(self.qdrant, embedder))
        from wenmai.stores.edge.collections import edge_memories

        return self.closed_at_end(edge_memories(self.settings.data_dir, embedder))

    async def clean(self) -> None:
        """Take out of their files what was deleted and is still there after a crash or on a full disk.

        Nothing is opened where nothing is left. Raises WenmaiError.
        """
        folder = self.settings.data_dir / COLLECTIONS
        if await asyncio.to_thread(lambda: any(folder.glob(f"*/{PENDING_FILE}"))):
            for store in await asyncio.to_thread(lambda: (self.memories, self.documents)):  # they import much
                await store.collection.clean()

    @cached_property
    def memory_service(self) -> "MemoryService":
        """What changes memories."""
        from tools.memory.service import MemoryService
        from wenmai.language.segmenting import cut

        changed = self.memory_caches.drop
        return MemoryService(self.memories, self.embedder, segment=cut, clock=now, new_id=new_id, changed=changed)

    @cached_property
    def memory_ranking(self) -> "MemoryRanking":
        """What searches memories."""
        from tools.memory.ranking import MemoryRanking
        from wenmai.language.segmenting import cut

        scale = self.settings.semantic_scale
        return MemoryRanking(self.memories, self.embedder, segment=cut, scale=scale, clock=now)

    @cached_property
    def memory_caches(self) -> "MemoryCaches":
        """What recalls need not ask for twice."""
        from tools.recall.context import MemoryCaches

        return MemoryCaches()

    @property
    def forget(self) -> "Forgetting":
        """What forgets memories in the store, the threads, the traces and the caches."""
        from wenmai.memories.forgetting import Forgetting

        threads: ThreadCleaner
        if self.settings.postgres_uri is None:
            from wenmai.memories.threads import clean_threads

            threads = partial(clean_threads, self.settings.data_dir)
        else:
            from wenmai.memories.postgres_threads import clean_postgres_threads

            threads = partial(clean_postgres_threads, self.settings.postgres_uri.get_secret_value())
        service, traces, cached = self.memory_service, self.settings.trace_dir, self.memory_caches.count
        return Forgetting(service, self.memories.collection, threads, traces, cached=cached)

    @cached_property
    def documents(self) -> "VectorDocumentStore":
        embedder = self.embedder.name
        if self.postgres is not None:
            from wenmai.stores.postgres.stores import postgres_documents

            return self.closed_at_end(postgres_documents(self.postgres, embedder))
        if self.qdrant is not None:
            from wenmai.stores.qdrant.stores import qdrant_documents

            return self.closed_at_end(qdrant_documents(self.qdrant, embedder, now))
        from wenmai.stores.edge.collections import edge_documents

        return self.closed_at_end(edge_documents(self.settings.data_dir, embedder))

    @cached_property
    def document_service(self) -> "DocumentService":
        from wenmai.documents.originals import ORIGINALS, Originals
        from wenmai.documents.parsing.parser import Parser
        from wenmai.documents.service import MEGABYTE, DocumentService

        settings, store = self.settings, self.documents
        service = DocumentService(
            store=store,
            embedder=self.upload_embedder,
            parser=Parser(settings.chunk_size, settings.chunk_overlap),
            originals=Originals(settings.data_dir / ORIGINALS),
            clock=now,
            new_id=new_id,
            max_bytes=settings.max_file_size_mb * MEGABYTE,
            max_files=settings.max_files_per_session,
            clean=store.collection.clean,
        )
        return self.closed_at_end(service)

    @cached_property
    def local_knowledge(self) -> "KnowledgeStore":
        """The knowledge networks that are kept here: on a Neo4j server where there is one, else below DATA_DIR."""
        if self.neo4j is not None:
            from wenmai.stores.networks.neo4j import Neo4jKnowledge

            return self.closed_at_end(Neo4jKnowledge(self.neo4j))
        from wenmai.stores.networks.local import LocalKnowledge

        return self.closed_at_end(LocalKnowledge(self.settings.data_dir))

    @cached_property
    def knowledge(self) -> "KnowledgeNetworks":
        """All knowledge networks: those that are kept here, and those of the service of the settings."""
        from wenmai.stores.networks.networks import KnowledgeNetworks, knowledge_service_of

        return self.closed_at_end(KnowledgeNetworks(self.local_knowledge, knowledge_service_of(self.settings)))

    @cached_property
    def network_checks(self) -> "NetworkChecks":
        from wenmai.stores.networks.networks import NetworkChecks

        return NetworkChecks(self.knowledge)

    def closed_at_end(self, opened: ClosableT) -> ClosableT:
        if opened is not None:
            self._opened.push_async_callback(opened.close)
        return opened

    async def close(self) -> None:
        await self._opened.aclose()


def limit_malloc_arenas() -> None:
    """Let threads share the C library's heaps: models run in many, and a heap for each holds what none needs.

    It must be called before they begin.
    """
    if sys.platform == "linux" and hasattr(library := ctypes.CDLL(None), "mallopt"):
        library.mallopt(ARENA_MAX, ARENAS)
