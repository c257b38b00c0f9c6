"""The engine of passages, memories and documents, as the settings choose it: below DATA_DIR, Qdrant, or PostgreSQL."""

from typing import TYPE_CHECKING

from wenmai.app.clock import now
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from wenmai.stores.catalog.catalog import SqliteCatalog
    from wenmai.stores.catalog.postgres_catalog import PostgresCatalog
    from wenmai.stores.edge.passages import EdgePassageStore
    from wenmai.stores.postgres.server import PostgresServer
    from wenmai.stores.qdrant.server import QdrantServer
    from wenmai.stores.vectors.documents import VectorDocumentStore
    from wenmai.stores.vectors.memories import VectorMemoryStore
    from wenmai.stores.vectors.passages import ServerPassageStore

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
        from wenmai.stores.postgres.memories import postgres_memories

        return postgres_memories(server, embedder)
    from wenmai.stores.qdrant.memories import qdrant_memories

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
