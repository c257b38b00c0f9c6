"""Passages, memories and documents in PostgreSQL: a table for all libraries of an embedder, one for each of the others.

The catalog is in the same database, so the libraries here are its own: they bear no mark of an owner.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed, is_named
from tools.messages import Message
from wenmai.stores.postgres.points import PointRow, PostgresPoints
from wenmai.stores.postgres.table import PostgresServer, PostgresTable
from wenmai.stores.vectors.conditions import Filter
from wenmai.stores.vectors.documents import (
    ABOUT,
    FIRST,
    VectorDocumentStore,
    held,
    in_session,
    moved_to,
    new_point,
    of_document,
    of_user,
    owned,
    place_in,
    succeeded,
    to_documents,
    visibility_of,
)
from wenmai.stores.vectors.memories import MEMORY_PLAN, VectorMemoryStore
from wenmai.stores.vectors.passages import PASSAGE_PLAN, Known, ServerPassageStore
from wenmai.stores.vectors.points import CHUNK_WORDS, DOCUMENT_INDEXES, MEMORY_WORDS, CollectionPlan, collection_of
from wenmai.stores.vectors.words import passage_words, question_words


def postgres_passages(server: PostgresServer, base: str, embedder: str, known: Known) -> ServerPassageStore:
    """Return the passages on a server.

    Args:
        server: where the table is, or will be.
        base: COLLECTION_NAME.
        embedder: identity of the embedding model in use; each has its own table.
        known: raises LibraryNotFound for a library that was never made.
    """
    table = PostgresTable(server, f"wenmai_{collection_of(base, embedder)}", embedder, PASSAGE_PLAN)
    points = PostgresPoints(table, passage_words())
    return ServerPassageStore(points, table, known, f"PostgreSQL（{server.place}）", None)


MEMORIES = "wenmai_memories"


def postgres_memories(server: PostgresServer, embedder: str) -> VectorMemoryStore:
    table = PostgresTable(server, MEMORIES, embedder, MEMORY_PLAN)
    return VectorMemoryStore(PostgresPoints(table, question_words(MEMORY_WORDS)), table)


DOCUMENTS = "wenmai_documents"
DOCUMENT_PLAN = CollectionPlan(
    Message("count.documents"), DOCUMENT_INDEXES, Message("store.or_drop_table", table=DOCUMENTS)
)
ONE_NAME = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


def postgres_documents(server: PostgresServer, embedder: str) -> VectorDocumentStore:
    table = PostgresTable(server, DOCUMENTS, embedder, DOCUMENT_PLAN)
    points = PostgresPoints(table, question_words(CHUNK_WORDS))
    return VectorDocumentStore(points, table, PostgresDocumentWrites(points))


@dataclass(frozen=True, slots=True)
class PostgresDocumentWrites:
    points: PostgresPoints

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        document, owner = chunks[0].document, chunks[0].document.owner
        visibility = visibility_of(owner)
        points = [new_point(chunk, vector, visibility) for chunk, vector in zip(chunks, vectors, strict=True)]
        name = json.dumps(["wenmai document", owner.user_id, place_in(owner), visibility, document.filename])
        async with self.points.table.writing(len(vectors[0])) as base:
            await base.execute(ONE_NAME, (name,))
            removed = await self.points.removed(succeeded(document, replaces), ABOUT, base)
            await self.points.insert(base, points)
        return next((one for one in _documents(removed) if one.id != document.id), None)

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        await self.points.set_fields(held(documents), moved_to(owner))

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        named = [] if document_id is None else [of_document(document_id)]
        return await self._removed(owned(owner, *named))

    async def remove_session(self, session_id: str) -> Removed:
        return await self._removed(in_session(session_id)) if is_named(session_id) else Removed()

    async def remove_user(self, user_id: str) -> Removed:
        return await self._removed(of_user(user_id)) if is_named(user_id) else Removed()

    async def recovered(self) -> None:
        """Do nothing: a transaction that a crash has cut short left nothing."""

    async def _removed(self, chunks: Filter) -> Removed:
        removed = await self.points.removed(chunks, ABOUT)
        return Removed(tuple(_documents(removed)), len(removed))


def _documents(chunks: Sequence[PointRow]) -> list[DocumentEntry]:
    return to_documents(row for row in chunks if row.payload["chunk_index"] == FIRST)
