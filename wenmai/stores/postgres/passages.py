"""Passages and memories in PostgreSQL: one table for all libraries of an embedder, one for memories.

The catalog is in the same database, so the libraries here are its own: they bear no mark of an owner.
"""

from dataclasses import dataclass

from wenmai.stores.files.owners import Owner
from wenmai.stores.postgres.points import PostgresPoints
from wenmai.stores.postgres.server import PostgresServer
from wenmai.stores.postgres.table import PostgresTable
from wenmai.stores.records.points import MEMORY_WORDS, collection_of
from wenmai.stores.records.words import passage_words, question_words
from wenmai.stores.vectors.memories import MEMORY_PLAN, VectorMemoryStore
from wenmai.stores.vectors.passages import PASSAGE_PLAN, Known, ServerPassageStore


def postgres_passages(server: PostgresServer, base: str, embedder: str, known: Known) -> ServerPassageStore:
    """Return the passages on a server.

    Args:
        server: where the table is, or will be.
        base: COLLECTION_NAME.
        embedder: identity of the embedding model in use; each has its own table.
        known: raises LibraryNotFound for a library that was never made.
    """
    table = PostgresTable(server, f"wenmai_{collection_of(base, embedder)}", embedder, PASSAGE_PLAN)
    return ServerPassageStore(PostgresPoints(table, passage_words()), known, NoMarks(f"PostgreSQL（{server.place}）"))


@dataclass(frozen=True, slots=True)
class NoMarks:
    """The marks of libraries that are all the catalog's of their database."""

    place: str

    async def owner_of(self, library: str) -> Owner | None:
        return None

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark nothing."""

    async def unmark(self, library: str) -> None:
        """Take no mark away."""

    async def require_mine(self, library: str) -> None:
        """Raise nothing: every library here is the catalog's."""

    async def prepare(self, library: str, dimension: int) -> None:
        """Prepare nothing: the first write makes the table."""

    async def claim(self, library: str) -> None:
        """Mark nothing."""


MEMORIES = "wenmai_memories"


def postgres_memories(server: PostgresServer, embedder: str) -> VectorMemoryStore:
    table = PostgresTable(server, MEMORIES, embedder, MEMORY_PLAN)
    return VectorMemoryStore(PostgresPoints(table, question_words(MEMORY_WORDS)))
