"""The live objects of a process: stores, embedder, mind, tools, opened at their first use."""

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, cached_property
from typing import TYPE_CHECKING
from uuid import uuid4

from graph.builder import Parts
from graph.recall_builder import GraphRecall, RecallParts, build_recall
from nodes.answer import TraceSink
from nodes.modes import MEMORY_TOOLKIT, NETWORK_TOOLKIT, documents_alone, mode_of, reads_stories
from nodes.remember import Memories
from nodes.roles import Mind
from nodes.scope import networks_of
from state.context import Context
from tools.base import Tool
from tools.dispatch import Toolbox
from tools.documents.records import DocumentScope
from tools.errors import InputError, LibraryNotFound, StoreCorrupt
from tools.memory.ranking import MemoryRanking
from tools.memory.service import MemoryService
from tools.networks.knowledge_network_retrieval import retrieval_tool
from tools.networks.lexicon import Networks
from tools.networks.lexicons import Lexicons
from tools.recall.caches import MemoryCaches
from tools.recall.reader import MemoryReader
from tools.recall.recall_memories import RecallMemories
from tools.recall.registry import ENTRIES
from tools.records import LibraryInfo
from tools.story.linking import EntityLinker
from tools.toolboxes import DOCUMENT_TOOLKIT, TOOLKITS, document_tools, story_tools, toolbox_for
from wenmai.access.key_file import KeyFile
from wenmai.access.keyring import KeyRing
from wenmai.app.network_stores import knowledge_store_of
from wenmai.documents.parsing.parser import Parser
from wenmai.documents.service import MEGABYTE, DocumentService
from wenmai.embedders.choice import local_embedder
from wenmai.embedders.local import LocalEmbedder
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.losses import require_vectors
from wenmai.knowledge.keeping import KnowledgeStore
from wenmai.language.segmenting import cut
from wenmai.memories.forgetting import Forgetting, ThreadCleaner
from wenmai.memories.threads import SqliteThreads
from wenmai.minds.choice import breaker_of, clients_of, role_models
from wenmai.minds.extraction import embedder_of, extractor_of
from wenmai.minds.model.breaker import Breaker
from wenmai.minds.model.client import Clients
from wenmai.minds.model.embedder import GeminiEmbedder
from wenmai.minds.model.extractor import GeminiExtractor
from wenmai.minds.model.mind import gemini_mind
from wenmai.minds.model.patience import ONCE
from wenmai.minds.offline.mind import offline_mind
from wenmai.observability.traces import TraceFiles
from wenmai.observability.untraced import refuse
from wenmai.settings.settings import Settings
from wenmai.settings.validation import validate_config
from wenmai.stores.catalog.catalog import SqliteCatalog
from wenmai.stores.catalog.model_cache import SqliteAnswers
from wenmai.stores.edge.documents import EdgeDocumentStore
from wenmai.stores.edge.memories import EdgeMemoryStore
from wenmai.stores.edge.passages import EdgePassageStore
from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.owners import Claim, Owner
from wenmai.stores.files.ownership import LibraryServer, claim_library, foreign_copies
from wenmai.stores.graph.ladybug import LadybugEngine
from wenmai.stores.graph.neo4j import Neo4jEngine
from wenmai.stores.graph.store import StoryGraphStore
from wenmai.stores.neo4j.connection import Neo4jConnection, connection_of
from wenmai.stores.networks.network_checks import NetworkChecks
from wenmai.stores.networks.networks import KnowledgeNetworks, knowledge_service_of

if TYPE_CHECKING:
    from wenmai.observability.langsmith import SafeClient
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
    from wenmai.stores.qdrant.documents import QdrantDocumentStore
    from wenmai.stores.qdrant.memories import QdrantMemoryStore
    from wenmai.stores.qdrant.passages import QdrantPassageStore
    from wenmai.stores.qdrant.server import QdrantServer

FLUSH_SECONDS = 5.0  # what a process waits at its end for traces that are still to be sent
NO_TOOL = (
    "agent 模式没有可用的文档工具：请把 ENABLE_SEMANTIC_SEARCH_TOOL、ENABLE_KEYWORD_SEARCH_TOOL 或 "
    "ENABLE_DOCUMENT_QUERY_TOOL 设为 true，或者改用 mode=rag"
)

log = logging.getLogger("wenmai.mind")
NOT_FOUND = 404


SOURCES = {"documents": "上传的文档", "memory": "用户的记忆"}  # of a run without a library, as a person calls them


def now() -> datetime:
    """Return the time; the one clock of a process."""
    return datetime.now(UTC)


def new_key() -> str:
    """Return a new key of a memory (MEM-03), or of a document."""
    return str(uuid4())


@dataclass(frozen=True)
class Services:
    """Everything that a run needs from outside; nothing is opened before it is asked for.

    Attributes:
        is_server: whether questions, calls and failures are counted for Prometheus.
    """

    settings: Settings
    is_server: bool = False

    def __post_init__(self) -> None:
        """Trace by our own client or not at all: nothing that runs here leaves unfiltered, an ingest neither."""
        if self.smith is None:
            refuse(os.environ)

    @cached_property
    def keys(self) -> KeyRing:
        """The keys of the server."""
        settings = self.settings
        file, required = KeyFile(settings.keys_path), settings.wenmai_require_keys
        return KeyRing(file, settings.wenmai_api_keys, now, time.monotonic, required)

    @cached_property
    def qdrant(self) -> "QdrantServer | None":
        """The server of passages, documents and memories, where there is one; nothing is sent before the first call."""
        if self.settings.qdrant_address is None:
            return None
        from wenmai.stores.qdrant.server import qdrant_server

        key = self.settings.qdrant_api_key
        secret = None if key is None else key.get_secret_value()
        return qdrant_server(self.settings.qdrant_address, secret, self.settings.qdrant_timeout_s)

    @cached_property
    def passages(self) -> "EdgePassageStore | QdrantPassageStore":
        """The vector store."""
        return self.server_passages or EdgePassageStore(self.settings.data_dir)

    @cached_property
    def server_passages(self) -> "QdrantPassageStore | None":
        """The vector store where it is on a server."""
        if self.qdrant is None:
            return None
        from wenmai.stores.qdrant.passages import QdrantPassageStore

        base, catalog = self.settings.collection_name, self.catalog
        return QdrantPassageStore(self.qdrant, base, self.embedder.name, catalog.info, owner=catalog.owner)

    @cached_property
    def neo4j(self) -> Neo4jConnection | None:
        """The connection to Neo4j, None where the embedded engines serve."""
        return connection_of(self.settings)

    @cached_property
    def graph(self) -> StoryGraphStore:
        """The story graph."""
        return StoryGraphStore(self.server_graph or LadybugEngine(self.settings.data_dir))

    @cached_property
    def server_graph(self) -> Neo4jEngine | None:
        """The engine of the story graph where it is on a server."""
        return Neo4jEngine(self.neo4j, self.catalog.owner) if self.neo4j else None

    @cached_property
    def catalog(self) -> "SqliteCatalog | PostgresCatalog":
        """The catalogue of libraries."""
        return self.server_catalog or SqliteCatalog(self.settings.data_dir, shared=self.settings.shares_libraries)

    @cached_property
    def server_catalog(self) -> "PostgresCatalog | None":
        """The catalogue where it is on a server."""
        if self.settings.postgres_uri is None or not self.settings.has_postgres_catalog:
            return None
        from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

        return PostgresCatalog(self.settings.postgres_uri.get_secret_value())

    @cached_property
    def answers(self) -> SqliteAnswers:
        """What models answered while texts were ingested."""
        return SqliteAnswers(self.settings.data_dir, shared=self.settings.shares_libraries)

    @cached_property
    def memories(self) -> "EdgeMemoryStore | QdrantMemoryStore":
        """The memories of all users."""
        if self.qdrant is None:
            return EdgeMemoryStore(self.settings.data_dir, self.embedder.name)
        from wenmai.stores.qdrant.memories import QdrantMemoryStore

        return QdrantMemoryStore(self.qdrant, self.embedder.name)

    @cached_property
    def documents(self) -> "EdgeDocumentStore | QdrantDocumentStore":
        """The uploaded documents of all sessions, and the preloaded ones."""
        if self.qdrant is None:
            return EdgeDocumentStore(self.settings.data_dir, self.embedder.name)
        from wenmai.stores.qdrant.documents import QdrantDocumentStore

        return QdrantDocumentStore(self.qdrant, self.embedder.name, now)

    @cached_property
    def local_knowledge(self) -> KnowledgeStore:
        """The knowledge networks that are kept here."""
        return knowledge_store_of(self.settings, self.neo4j)

    @cached_property
    def lexicons(self) -> Lexicons:
        """The names of the networks' instances."""
        return Lexicons(self.knowledge)

    @cached_property
    def knowledge(self) -> KnowledgeNetworks:
        """All knowledge networks: those that are kept here, and those of a service."""
        return KnowledgeNetworks(self.local_knowledge, knowledge_service_of(self.settings))

    @cached_property
    def network_checks(self) -> NetworkChecks:
        """Which of them are known to exist."""
        return NetworkChecks(self.knowledge)

    @cached_property
    def upload_embedder(self) -> LocalEmbedder | GeminiEmbedder:
        """The dense embedder for uploads, whose desk itself tries three times."""
        return embedder_of(self.settings, ONCE) if self.settings.embeds_by_gemini else self.embedder

    @cached_property
    def desk(self) -> DocumentService:
        """What takes documents in and gives them up."""
        settings = self.settings
        return DocumentService(
            store=self.documents,
            embedder=self.upload_embedder,
            parser=Parser(settings.chunk_size, settings.chunk_overlap),
            clock=now,
            new_key=new_key,
            max_bytes=settings.max_file_size_mb * MEGABYTE,
            max_files=settings.max_files_per_session,
            rewrite=self.documents.collection.rewrite,
        )

    @cached_property
    def memory_keeper(self) -> MemoryService:
        """What changes memories."""
        return MemoryService(
            self.memories, self.embedder, segment=cut, clock=now, new_key=new_key, changed=self.memory_changed
        )

    @cached_property
    def memory_ranking(self) -> MemoryRanking:
        """What searches memories."""
        return MemoryRanking(self.memories, self.embedder, segment=cut, scale=self.settings.semantic_scale, clock=now)

    @property
    def forget(self) -> Forgetting:
        """What forgets memories wherever they went."""
        return Forgetting(
            self.memory_keeper,
            self.memories.collection,
            self.threads,
            self.settings.trace_dir,
            cached=self.memory_caches.count,
        )

    @property
    def threads(self) -> ThreadCleaner:
        """What takes forgotten memories out of the threads."""
        if self.settings.postgres_uri is None:
            return SqliteThreads(self.settings.data_dir)
        from wenmai.memories.postgres_threads import PostgresThreads

        return PostgresThreads(self.settings.postgres_uri.get_secret_value())

    @cached_property
    def memory_caches(self) -> MemoryCaches:
        """What recalls need not ask for twice."""
        return MemoryCaches()

    def memory_changed(self, user_id: str) -> None:
        """Tell the caches that the memories of a user have changed."""
        self.memory_caches.drop(user_id)

    @property
    def stores(self) -> Stores:
        """What an ingest, a merge or a deletion writes to."""
        return Stores(passages=self.passages, graph=self.graph, catalog=self.catalog, answers=self.answers)

    @cached_property
    def embedder(self) -> LocalEmbedder | GeminiEmbedder:
        """The dense embedder; its model is loaded, or its connection opened, at the first text. Raises ConfigError."""
        return embedder_of(self.settings) if self.settings.embeds_by_gemini else local_embedder(self.settings)

    @cached_property
    def extractor(self) -> GeminiExtractor:
        """The model that reads ingested texts. Raises ConfigError."""
        return extractor_of(self.settings)

    @cached_property
    def linker(self) -> EntityLinker:
        """Name tables of the libraries."""
        return EntityLinker(self.graph)

    @cached_property
    def recall(self) -> GraphRecall:
        """What looks for memories for a question, which keeps the steps in its own trace."""
        return GraphRecall(build_recall(self.recall_parts()))

    @cached_property
    def own_recall(self) -> GraphRecall:
        """What looks for memories for a caller, with a trace of its own."""
        return GraphRecall(build_recall(self.recall_parts(self.traces)))

    @property
    def traces(self) -> TraceSink:
        """The trace files."""
        files = TraceFiles(self.settings.trace_dir)
        if not self.is_server:
            return files
        from wenmai.observability.metrics import MeasuredTraces

        return MeasuredTraces(files, frozenset((*self.tools, *(entry.name for entry in ENTRIES))))

    @cached_property
    def tools(self) -> dict[str, Tool]:
        """The tools of the agent, by name."""
        recall = RecallMemories(self.recall)
        networks = retrieval_tool(
            self.knowledge, new_key, self.settings.tool_timeout_s, self.settings.knowledge_session_s
        )
        documents = document_tools(self.documents, self.embedder, self.settings.top_k_retrieval)
        others: dict[str, Tool] = {**documents, recall.name: recall, networks.name: networks}
        tools = {**story_tools(self.passages, self.graph, self.embedder), **others}
        if not self.is_server:
            return tools
        from wenmai.observability.metrics import measured

        return measured(tools)

    def toolbox(self, toolkits: Sequence[str]) -> Toolbox:
        """Return the tools of these toolkits."""
        limits = (self.settings.tool_timeout_s, self.settings.recall_timeout_s)
        return toolbox_for(toolkits, self.tools, *limits, self.settings.disabled_tools)

    @cached_property
    def gemini(self) -> Clients:
        """The chat models of the Gemini endpoint, for minds and ingestion; loaded at their first use."""
        return clients_of(self.settings)

    @cached_property
    def breaker(self) -> Breaker:
        """The circuit breaker of the Gemini endpoint: who calls it by itself shares it."""
        return breaker_of(self.settings)

    @cached_property
    def offline(self) -> Mind:
        """The mind that needs no key."""
        return offline_mind(self.linker, self.passages, self.embedder, self.lexicons)

    @cached_property
    def mind(self) -> Mind:
        """The mind that answers: Gemini where there is a key."""
        if not self.settings.asks_gemini:
            log.info("没有设置 GOOGLE_API_KEY（或 USE_MOCK_LLM=true）：由离线规则回答。")
            return self.offline
        return gemini_mind(self.gemini, self.breaker, role_models(self.settings), self.linker, self.offline)

    @cached_property
    def smith(self) -> "SafeClient | None":
        """What sends traces to LangSmith, None where nobody wants them."""
        if not self.settings.langsmith_tracing:
            return None
        from wenmai.observability.langsmith import begin

        return begin(self.settings)

    def parts(self) -> Parts:
        """Return what the graph is built from."""
        return Parts(
            mind=self.mind,
            fallback=self.offline if self.mind is not self.offline else None,
            catalog=self.catalog,
            linker=self.linker,
            toolboxes=self.toolbox,
            traces=self.traces,
            policy=self.settings.policy(),
            clock=now,
            memories=Memories(self.memory_keeper, self.memory_reader),
            lexicons=self.lexicons,
            documents=self.documents,
        )

    @cached_property
    def memory_reader(self) -> MemoryReader:
        """What reads memories."""
        return MemoryReader(self.memories, self.memory_ranking, self.memory_caches)

    def recall_parts(self, traces: TraceSink | None = None) -> RecallParts:
        """Return what the graph memory_recall is built from; with `traces` each recall writes its own."""
        return RecallParts(
            mind=self.mind,
            fallback=self.offline if self.mind is not self.offline else None,
            reader=self.memory_reader,
            policy=self.settings.policy(),
            clock=now,
            traces=traces,
        )

    async def open(self, library: str) -> LibraryInfo:
        """Open a library before a run, so that a locked or unknown one is the caller's error, not an apology.

        Raises LibraryNotFound, StoreLocked, StoreCorrupt, StoreGone, EmbedderMismatch.
        """
        dimension = await self.dimension()
        info = await self.catalog.require_embedder(library, self.embedder.name, dimension)
        await self.passages.open(library)
        await require_vectors(self.passages, info)
        await self.graph.open(library)
        return info

    async def opened(self, context: Context) -> list[str]:
        """Open what a run reads and return it as a person calls it. Raises as `open` and `open_networks` do."""
        if any(toolkit != NETWORK_TOOLKIT for toolkit in context.toolkits):
            await self.open_embedder()
        await self.open_networks(networks_of(context))
        await self.open_documents(context)
        if MEMORY_TOOLKIT in context.toolkits:
            dimension = await self.dimension()  # first: the stores are named after the embedder
            await self.memories.collection.require_embedder(dimension)
        named = [f"知识网络 {id}" for id in context.kn_ids]
        if not reads_stories(context):
            return named + [SOURCES[one] for one in SOURCES if one in context.toolkits]
        info = await self.open(context.library)
        return [f"资料库 {info.name}《{info.title}》", *named]

    async def know_embedder(self) -> None:
        """Learn the embedder's name, which takes the reading of a whole model from files. Raises ConfigError."""
        if self.settings.embeds_by_files:
            await asyncio.to_thread(lambda: self.embedder.name)

    async def dimension(self) -> int:
        """Return the length of the vectors; where no file tells it, a model is loaded. Raises ConfigError."""
        await self.know_embedder()
        embedder = self.embedder
        return await asyncio.to_thread(lambda: embedder.dimension)

    async def open_embedder(self) -> None:
        """Load an embedder whose files may be missing, so that this is the caller's error. Raises ConfigError."""
        await self.know_embedder()
        if self.settings.embeds_by_files and isinstance(self.embedder, LocalEmbedder):
            await self.embedder.open()

    async def open_networks(self, networks: Networks | None) -> None:
        """Look for the networks of a run, so that an unknown one is the caller's error. Raises InputError."""
        if networks is not None:
            await self.network_checks.require(networks)

    async def open_documents(self, context: Context) -> None:
        """Open the documents where a run reads them. Raises StoreError, EmbedderMismatch among them.

        Raises InputError where no document tool is left to a run that has no other (S004-D07).
        """
        if DOCUMENT_TOOLKIT not in context.toolkits:
            return
        agent = documents_alone(context) and mode_of(context, self.settings.policy()) == "agent"
        if agent and len(self.settings.disabled_tools) == len(TOOLKITS[DOCUMENT_TOOLKIT]):
            raise InputError(NO_TOOL)
        dimension = await self.dimension()
        await self.documents.collection.require_embedder(dimension)
        await self.documents.documents(DocumentScope())

    @asynccontextmanager
    async def writing(self, library: str, transfer_from: Owner | None = None) -> AsyncIterator[None]:
        """Be the only process that changes a library, which must be this catalog's on every server.

        With `transfer_from` it may be that catalog's, too, and becomes this one's. Raises StoreLocked, StoreForeign.
        """
        async with self.alone(library):
            await self._claim(library, transfer_from)
            yield

    async def _claim(self, library: str, transfer_from: Owner | None) -> None:
        if not self._library_servers:
            return
        knows = transfer_from is not None or await self._has(library)
        await claim_library(self._library_servers, library, Claim(await self.catalog.owner(), knows, transfer_from))

    @property
    def _library_servers(self) -> "list[Neo4jEngine | QdrantPassageStore]":
        """The servers on which another catalog may have a library of the same name."""
        return [store for store in (self.server_graph, self.server_passages) if store is not None]

    async def foreign_owners(self, library: str) -> list[Owner]:
        """Return the other catalogs of which servers have a library of this name, UNKNOWN among them."""
        return list(dict.fromkeys(owner for _, owner in await self._foreign_copies(library)))

    async def drop_abandoned(self, library: str) -> None:
        """Delete what other catalogs have left of a library on servers. Raises StoreLocked, StoreError."""
        async with self.alone(library):
            for store, _ in await self._foreign_copies(library):
                await store.drop(library)

    async def adopt(self, library: str) -> list[Owner]:
        """Mark a library that the catalog has as its own on servers; return whose marks it bore there.

        Raises LibraryNotFound, StoreLocked, StoreError.
        """
        with suppress(StoreCorrupt):
            await self.catalog.info(library)
        async with self.alone(library):
            mine, found = await self.catalog.owner(), await self._foreign_copies(library)
            for store, _ in found:
                await store.mark(library, mine)
        return list(dict.fromkeys(owner for _, owner in found))

    async def _foreign_copies(self, library: str) -> list[tuple[LibraryServer, Owner]]:
        mine, knows = await self.catalog.owner(), await self._has(library)
        return await foreign_copies(self._library_servers, library, mine, knows=knows)

    async def _has(self, library: str) -> bool:
        """Tell whether the catalog has a library; one that cannot be read is there, and may be deleted."""
        with suppress(StoreCorrupt):
            try:
                await self.catalog.info(library)
            except LibraryNotFound:
                return False
        return True

    @asynccontextmanager
    async def alone(self, library: str) -> AsyncIterator[None]:
        """Be the only process that changes a library; an embedded engine holds its folder for that.

        Raises StoreLocked.
        """
        if self.server_catalog is not None:
            async with self.server_catalog.writing(library):
                yield
        elif self.settings.shares_libraries:
            with LibraryFolders(self.settings.data_dir).writing(library):
                yield
        else:
            yield

    async def drop(self, library: str, *, with_folder: bool = False) -> None:
        """Delete what servers keep of a library, and with `with_folder` what lies here. Raises StoreError.

        What tells of the library goes last, the catalog on a server or else the folder: until then it can be found
        and deleted again.
        """
        if self.server_graph is not None:
            await self.server_graph.drop(library)
        if self.server_passages is not None:
            await self.server_passages.drop(library)
        if with_folder:
            await self.let_folders_go()
            await asyncio.to_thread(LibraryFolders(self.settings.data_dir).remove, library)
        if self.server_catalog is not None:
            await self.server_catalog.drop(library)

    async def let_folders_go(self) -> None:
        """Close the embedded stores of libraries; what is asked of them next opens them again."""
        on_servers = (self.server_passages, self.server_catalog, self.graph if self.server_graph else None)
        for name in ("passages", "graph", "catalog", "answers"):
            store = self.__dict__.get(name)
            if store is not None and store not in on_servers:
                await store.close()

    async def close(self) -> None:
        """Close what was opened and let the libraries go."""
        stores = ("passages", "graph", "catalog", "answers", "memories", "documents", "knowledge", "local_knowledge")
        for name in ("gemini", "desk", *stores, "neo4j", "qdrant", "upload_embedder", "embedder"):
            if self.__dict__.get(name) is not None:
                await self.__dict__[name].close()
        if "extractor" in self.__dict__:
            await self.extractor.clients.close()
        if "smith" in self.__dict__ and self.smith is not None:
            await asyncio.to_thread(self.smith.flush, FLUSH_SECONDS)


@cache
def process_services() -> Services:
    """Return the services of a server's process: its graph and its input checks share them. Reads the settings."""
    return Services(validate_config(), is_server=True)
