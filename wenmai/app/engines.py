"""The engine behind each store, as the settings choose it: embedded below DATA_DIR, or on a server."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tools.errors import ConfigError
from tools.memory.records import SemanticScale
from tools.wording import Words
from wenmai.app.clock import new_key, now
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from tools.memory.ranking import MemoryRanking
    from tools.memory.service import MemoryService
    from wenmai.access.keyring import KeyRing
    from wenmai.documents.service import DocumentService
    from wenmai.embedders.local import LocalEmbedder
    from wenmai.knowledge.content import KnowledgeStore
    from wenmai.memories.forgetting import ThreadCleaner
    from wenmai.minds.model.embedder import GeminiEmbedder
    from wenmai.reader.reader import Reader
    from wenmai.stores.catalog.catalog import SqliteCatalog
    from wenmai.stores.catalog.model_cache import SqliteAnswers
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
    from wenmai.stores.edge.passages import EdgePassageStore
    from wenmai.stores.graph.engine import GraphEngine
    from wenmai.stores.graph.neo4j import Neo4jEngine
    from wenmai.stores.graph.store import StoryGraphStore
    from wenmai.stores.neo4j.connection import Neo4jConnection
    from wenmai.stores.networks.networks import KnowledgeNetworks
    from wenmai.stores.postgres.server import PostgresServer
    from wenmai.stores.qdrant.server import QdrantServer
    from wenmai.stores.vectors.documents import VectorDocumentStore
    from wenmai.stores.vectors.memories import VectorMemoryStore
    from wenmai.stores.vectors.passages import ServerPassageStore

    DenseEmbedder = LocalEmbedder | GeminiEmbedder
    Catalog = SqliteCatalog | PostgresCatalog

    VectorServer = QdrantServer | PostgresServer
    Passages = EdgePassageStore | ServerPassageStore


def vector_server_of(settings: Settings) -> "VectorServer | None":
    """Return the server of the settings; nothing is sent before the first call."""
    if settings.vectors == "postgres" and settings.postgres_uri is not None:
        from wenmai.stores.postgres.server import PostgresServer

        return PostgresServer(settings.postgres_uri.get_secret_value())
    if settings.qdrant_address is None:
        return None
    from wenmai.stores.qdrant.server import qdrant_server

    key = settings.qdrant_api_key
    return qdrant_server(
        settings.qdrant_address, None if key is None else key.get_secret_value(), settings.qdrant_timeout_s
    )


def embedded_passages(settings: Settings) -> "EdgePassageStore":
    """Return the passages below DATA_DIR."""
    from wenmai.stores.edge.passages import EdgePassageStore

    return EdgePassageStore(settings.data_dir)


def server_passages(
    server: "VectorServer", base: str, embedder: str, catalog: "SqliteCatalog | PostgresCatalog"
) -> "ServerPassageStore":
    """Return the passages on a server, in collections or tables that are named after `base`."""
    from wenmai.stores.postgres.server import PostgresServer

    if isinstance(server, PostgresServer):
        from wenmai.stores.postgres.passages import postgres_passages

        return postgres_passages(server, base, embedder, catalog.info)
    from wenmai.stores.qdrant.passages import qdrant_passages

    return qdrant_passages(server, base, embedder, catalog.info, catalog.owner)


def memories_of(settings: Settings, server: "VectorServer | None", embedder: str) -> "VectorMemoryStore":
    """Return the memories, whose vectors are the named embedder's."""
    if server is None:
        from wenmai.stores.edge.memories import edge_memories

        return edge_memories(settings.data_dir, embedder)
    from wenmai.stores.postgres.server import PostgresServer

    if isinstance(server, PostgresServer):
        from wenmai.stores.postgres.passages import postgres_memories

        return postgres_memories(server, embedder)
    from wenmai.stores.qdrant.passages import qdrant_memories

    return qdrant_memories(server, embedder)


def documents_of(settings: Settings, server: "VectorServer | None", embedder: str) -> "VectorDocumentStore":
    """Return the documents, whose vectors are the named embedder's."""
    if server is None:
        from wenmai.stores.edge.documents import edge_documents

        return edge_documents(settings.data_dir, embedder)
    from wenmai.stores.postgres.server import PostgresServer

    if isinstance(server, PostgresServer):
        from wenmai.stores.postgres.documents import postgres_documents

        return postgres_documents(server, embedder)
    from wenmai.stores.qdrant.documents import qdrant_documents

    return qdrant_documents(server, embedder, now)


log = logging.getLogger("wenmai.reader")
NO_READER = Words(
    "没有阅读模型（{reason}）：导入时只认得别名文件、图谱文件和模型给出的名称，离线回答只按字词查找",
    "there is no reader ({reason}): an ingest knows only names of alias files, graph files and the model, and "
    "offline answers search by words",
)


def key_ring_of(settings: Settings) -> "KeyRing":
    """Return the API keys of the server: those of the file and those of the environment."""
    from wenmai.access.keyring import KeyFile, KeyRing

    file, required = KeyFile(settings.keys_path), settings.wenmai_require_keys
    return KeyRing(file, settings.wenmai_api_keys, now, time.monotonic, required)


def neo4j_of(settings: Settings) -> "Neo4jConnection | None":
    """Return the connection to the Neo4j server of the settings."""
    if settings.neo4j_uri is None:
        return None
    from wenmai.stores.neo4j.connection import connection_of

    return connection_of(settings)


def embedder_of(settings: Settings, *, repeats: bool = True) -> "DenseEmbedder":
    """Return the dense embedder of the settings. Raises ConfigError.

    Args:
        settings: the settings of the process.
        repeats: whether a service that fails is asked again here; else the caller does that.
    """
    if not settings.embeds_by_gemini:
        from wenmai.embedders.choice import local_embedder

        return local_embedder(settings)
    from wenmai.minds.extraction import embedder_of as gemini_embedder
    from wenmai.minds.model.patience import ONCE, PATIENCE

    return gemini_embedder(settings, PATIENCE if repeats else ONCE)


def reader_of(settings: Settings) -> "Reader | None":
    """Return the trained encoder; None, with a warning, where it is switched off or cannot be opened."""
    if not settings.use_reader:
        log.warning(NO_READER.say(reason="USE_READER=false"))
        return None
    from wenmai.reader.opening import open_reader

    try:
        return open_reader(settings.model_cache_dir)
    except ConfigError as error:
        log.warning(NO_READER.say(reason=error))
        return None


def graph_of(settings: Settings, server: "GraphEngine | None") -> "StoryGraphStore":
    """Return the story graphs, on the server's engine or below DATA_DIR."""
    from wenmai.stores.graph.ladybug import LadybugEngine
    from wenmai.stores.graph.store import StoryGraphStore

    return StoryGraphStore(server or LadybugEngine(settings.data_dir))


def server_graph(connection: "Neo4jConnection", catalog: "Catalog") -> "Neo4jEngine":
    """Return the story graphs on a Neo4j server."""
    from wenmai.stores.graph.neo4j import Neo4jEngine

    return Neo4jEngine(connection, catalog.owner)


def embedded_catalog(settings: Settings) -> "SqliteCatalog":
    """Return the catalogs below DATA_DIR."""
    from wenmai.stores.catalog.catalog import SqliteCatalog

    return SqliteCatalog(settings.data_dir, shared=settings.shares_libraries)


def server_catalog(settings: Settings) -> "PostgresCatalog | None":
    """Return the catalog in PostgreSQL; None where the settings keep it below DATA_DIR."""
    if settings.postgres_uri is None or not settings.has_postgres_catalog:
        return None
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog

    return PostgresCatalog(settings.postgres_uri.get_secret_value())


def answers_of(settings: Settings) -> "SqliteAnswers":
    """Return what models answered while texts were ingested."""
    from wenmai.stores.catalog.model_cache import SqliteAnswers

    return SqliteAnswers(settings.data_dir, shared=settings.shares_libraries)


def memory_service_of(
    store: "VectorMemoryStore", embedder: "DenseEmbedder", changed: Callable[[str], None]
) -> "MemoryService":
    """Return what changes memories; `changed` is called with each user whose memories it changed."""
    from tools.memory.service import MemoryService
    from wenmai.language.segmenting import cut

    return MemoryService(store, embedder, segment=cut, clock=now, new_key=new_key, changed=changed)


def memory_ranking_of(store: "VectorMemoryStore", embedder: "DenseEmbedder", scale: SemanticScale) -> "MemoryRanking":
    """Return what searches memories."""
    from tools.memory.ranking import MemoryRanking
    from wenmai.language.segmenting import cut

    return MemoryRanking(store, embedder, segment=cut, scale=scale, clock=now)


def thread_cleaner_of(settings: Settings) -> "ThreadCleaner":
    """Return what takes forgotten memories out of the threads."""
    if settings.postgres_uri is None:
        from wenmai.memories.threads import clean_threads

        return partial(clean_threads, settings.data_dir)
    from wenmai.memories.postgres_threads import clean_postgres_threads

    return partial(clean_postgres_threads, settings.postgres_uri.get_secret_value())


def document_service_of(
    settings: Settings, store: "VectorDocumentStore", embedder: "DenseEmbedder"
) -> "DocumentService":
    """Return what takes documents in, within the limits of the settings."""
    from wenmai.documents.parsing.parser import Parser
    from wenmai.documents.service import MEGABYTE, DocumentService

    return DocumentService(
        store=store,
        embedder=embedder,
        parser=Parser(settings.chunk_size, settings.chunk_overlap),
        clock=now,
        new_key=new_key,
        max_bytes=settings.max_file_size_mb * MEGABYTE,
        max_files=settings.max_files_per_session,
        rewrite=store.collection.rewrite,
    )


def local_knowledge_of(settings: Settings, neo4j: "Neo4jConnection | None") -> "KnowledgeStore":
    """Return the networks that are kept here: on a Neo4j server where there is one, else below DATA_DIR."""
    if neo4j is not None:
        from wenmai.stores.networks.neo4j import Neo4jKnowledge

        return Neo4jKnowledge(neo4j)
    from wenmai.stores.networks.local import LocalKnowledge

    return LocalKnowledge(settings.data_dir)


def networks_of(settings: Settings, local: "KnowledgeStore") -> "KnowledgeNetworks":
    """Return all networks: those that are kept here, and those of the service of the settings."""
    from wenmai.stores.networks.networks import KnowledgeNetworks, knowledge_service_of

    return KnowledgeNetworks(local, knowledge_service_of(settings))
