"""Memories of all users in PostgreSQL: one table."""

from wenmai.stores.postgres.points import PostgresPoints
from wenmai.stores.postgres.server import PostgresServer
from wenmai.stores.postgres.table import PostgresTable
from wenmai.stores.records.vector_policy import MEMORY_WORDS
from wenmai.stores.records.words import question_words
from wenmai.stores.vectors.memories import PLAN, VectorMemoryStore

MEMORIES = "wenmai_memories"


def postgres_memories(server: PostgresServer, embedder: str) -> VectorMemoryStore:
    """Return the memories on a server. A write is done whole or not at all."""
    table = PostgresTable(server, MEMORIES, embedder, PLAN)
    return VectorMemoryStore(PostgresPoints(table, question_words(MEMORY_WORDS)))
