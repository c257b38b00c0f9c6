"""Memories of all users on a Qdrant server: one collection."""

from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.points import QdrantPoints
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.vector_policy import MEMORY_WORDS
from wenmai.stores.records.words import question_words
from wenmai.stores.vectors.memories import PLAN, VectorMemoryStore

MEMORIES = "memories"


def qdrant_memories(server: QdrantServer, embedder: str, name: str = MEMORIES) -> VectorMemoryStore:
    """Return the memories on a server."""
    collection = QdrantCollection(server, name, embedder, PLAN)
    return VectorMemoryStore(QdrantPoints(collection, question_words(MEMORY_WORDS)))
