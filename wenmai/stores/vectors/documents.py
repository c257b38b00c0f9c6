"""Uploaded documents: one collection, the scope of the run inside every query."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Matches,
    RankedChunk,
    Removed,
)
from tools.documents.scores import matches
from wenmai.stores.records.conditions import Filter, all_of, has_id
from wenmai.stores.records.documents import (
    EVERY_DOCUMENT,
    WINDOWS,
    by_ids,
    listed,
    of_document,
    ranked,
    to_chunk,
    to_documents,
    visible,
    with_vectors,
)
from wenmai.stores.records.points import point_ids
from wenmai.stores.vectors.points import Collection, Fields, Points

ABOUT = Fields(without=("content", WINDOWS))
TEXTS = Fields(without=(WINDOWS,))


class DocumentWrites(Protocol):
    """How an engine writes documents: each is there whole or not at all, also after a crash."""

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document and return the one that it replaced."""
        ...

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        ...

    async def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, of any user; a blank id is no session."""
        ...

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first list."""
        ...


class VectorDocumentStore:
    """The DocumentStore port over a vector engine."""

    def __init__(self, points: Points, writes: DocumentWrites) -> None:
        self._points = points
        self._writes = writes

    @property
    def collection(self) -> Collection:
        """Where they are."""
        return self._points.collection

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        return await self._writes.put(chunks, vectors)

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
        if not ids:
            return []
        if vector is None:
            return by_ids((RankedChunk(to_chunk(row), 0.0) for row in await self._points.listed(only)), chunk_ids)
        return by_ids(ranked(await self._points.compared(vector, only, len(ids)), len(ids)), chunk_ids)

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        They are compared here, by no tokenizer.
        """
        rows = await self._points.listed(visible(scope), TEXTS)
        return await asyncio.to_thread(matches, map(to_chunk, rows), terms, limit)  # long, where a scope is large

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; one that is unknown or not the owner's is nothing removed."""
        return await self._writes.remove(owner, document_id)

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        return await self._writes.remove(owner)

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a session that has ended, of any user; a blank id is no session."""
        return await self._writes.remove_session(session_id)

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        for entry in await self._entries(EVERY_DOCUMENT):
            yield with_vectors(await self._points.listed(all_of(of_document(entry.id)), vectors=True))

    async def close(self) -> None:
        """Close files or connections."""
        await self.collection.close()

    async def _entries(self, first_chunks: Filter) -> list[DocumentEntry]:
        await self._writes.recovered()
        return to_documents(await self._points.listed(first_chunks, ABOUT))
