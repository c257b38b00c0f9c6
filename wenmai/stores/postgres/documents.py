"""Uploaded documents in PostgreSQL: one table, the scope of the run inside every query.

A document is written, and the one that it replaces removed, in one transaction: it is there whole or not at all.
"""

import json
from collections.abc import AsyncIterator, Sequence

from psycopg import sql

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Matches,
    RankedChunk,
    Removed,
    is_named,
)
from tools.documents.text import matches
from wenmai.stores.postgres.points import PostgresPoints, Row
from wenmai.stores.postgres.server import PostgresServer
from wenmai.stores.postgres.table import PostgresTable
from wenmai.stores.records.collections import CollectionPlan
from wenmai.stores.records.conditions import Equals, Filter, all_of, has_id
from wenmai.stores.records.document_filter import (
    EVERY_DOCUMENT,
    between,
    in_session,
    listed,
    of_document,
    owned,
    visible,
)
from wenmai.stores.records.document_payload import (
    FIRST,
    WINDOWS,
    by_ids,
    in_order,
    joined,
    new_point,
    ranked,
    to_chunk,
    to_documents,
    visibility_of,
    with_vectors,
)
from wenmai.stores.records.points import point_ids
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DOCUMENT_INDEXES
from wenmai.stores.records.words import question_words

DOCUMENTS = "wenmai_documents"
PLAN = CollectionPlan("文档", DOCUMENT_INDEXES, f"或在服务器上删除表 {DOCUMENTS} 后重新上传")
ABOUT = sql.SQL("payload - 'content' - {}").format(sql.Literal(WINDOWS))
TEXTS = sql.SQL("payload - {}").format(sql.Literal(WINDOWS))
ONE_NAME = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"


class PostgresDocumentStore:
    """The DocumentStore port over PostgreSQL."""

    def __init__(self, server: PostgresServer, embedder: str, name: str = DOCUMENTS) -> None:
        self.collection = PostgresTable(server, name, embedder, PLAN)
        self._points = PostgresPoints(self.collection, question_words(CHUNK_WORDS))

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        document, owner = chunks[0].document, chunks[0].document.owner
        visibility = visibility_of(owner)
        points = [new_point(chunk, vector, visibility) for chunk, vector in zip(chunks, vectors, strict=True)]
        name = json.dumps(["wenmai document", owner.user_id, owner.session_id, document.filename])
        same_name = owned(owner, Equals("filename", document.filename))
        async with self.collection.writing(len(vectors[0])) as base:
            await base.execute(ONE_NAME, (name,))
            removed = await self._points.delete(same_name, ABOUT, base)
            await self._points.insert(base, points)
        return next((one for one in _documents(removed) if one.id != document.id), None)

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        return await self._entries(listed(scope, include_preloaded=include_preloaded))

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        await self.collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, visible(scope), limit, TEXTS), limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        A word weighs by how rare it is in the scope.
        """
        return ranked(await self._points.wording(text, visible(scope), limit, visible(scope), TEXTS), limit)

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0).

        They are asked for by their ids and the scope: an id alone is never enough.
        """
        ids = point_ids(chunk_ids)
        only = visible(scope, has_id(ids))
        if vector is None:
            return by_ids((RankedChunk(to_chunk(row), 0.0) for row in await self._points.listed(only)), chunk_ids)
        return by_ids(ranked(await self._points.compared(vector, only, len(ids)), len(ids)), chunk_ids)

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        They are compared here, by no tokenizer.
        """
        return matches(map(to_chunk, await self._points.listed(visible(scope), TEXTS)), terms, limit)

    async def neighbours(self, scope: DocumentScope, chunk: Chunk, reach: int = 1) -> list[Chunk]:
        """Return the chunks of its document within `reach` of its chunk_index, itself too, in order."""
        near = between(chunk.chunk_index - reach, chunk.chunk_index + reach)
        return await self._chunks(visible(scope, of_document(chunk.document.id), near))

    async def text(self, scope: DocumentScope, document_id: str) -> str | None:
        """Return the stored text that offsets refer to, None for a document that is unknown or not visible."""
        return joined(await self._chunks(visible(scope, of_document(document_id))))

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; one that is unknown or not the owner's is nothing removed."""
        return await self._remove(owned(owner, of_document(document_id)))

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        return await self._remove(owned(owner))

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a session that has ended, of any user; a blank id is no session."""
        return await self._remove(in_session(session_id)) if is_named(session_id) else Removed()

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        for entry in await self._entries(EVERY_DOCUMENT):
            yield with_vectors(await self._points.listed(all_of(of_document(entry.id)), vectors=True))

    async def close(self) -> None:
        """Close the connections."""
        await self.collection.close()

    async def _entries(self, first_chunks: Filter) -> list[DocumentEntry]:
        return to_documents(await self._points.listed(first_chunks, ABOUT))

    async def _chunks(self, condition: Filter) -> list[Chunk]:
        return in_order(await self._points.listed(condition, TEXTS))

    async def _remove(self, chunks: Filter) -> Removed:
        removed = await self._points.delete(chunks, ABOUT)
        return Removed(tuple(_documents(removed)), len(removed))


def _documents(chunks: Sequence[Row]) -> list[DocumentEntry]:
    """Return the documents of chunks."""
    return to_documents(row for row in chunks if row.payload["chunk_index"] == FIRST)
