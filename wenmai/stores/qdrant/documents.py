"""Uploaded documents on a Qdrant server: one collection, the scope of the run inside every query."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Matches,
    RankedChunk,
    Removed,
)
from tools.documents.text import matches
from tools.errors import StoreGone
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.document_writes import QdrantDocumentWrites
from wenmai.stores.qdrant.points import EXACT, QdrantPoints
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.collections import CollectionPlan
from wenmai.stores.records.conditions import Filter, all_of, has_id
from wenmai.stores.records.document_filter import EVERY_DOCUMENT, between, listed, of_document, visible
from wenmai.stores.records.document_payload import (
    TEXT_FIELDS,
    by_ids,
    in_order,
    joined,
    ranked,
    to_chunk,
    with_vectors,
)
from wenmai.stores.records.points import point_ids
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DENSE, DOCUMENT_INDEXES
from wenmai.stores.records.words import question_words

DOCUMENTS = "documents"
PLAN = CollectionPlan("文档", DOCUMENT_INDEXES, "或在服务器上删除集合 documents 后重新上传")


class QdrantDocumentStore:
    """The DocumentStore port over a server."""

    def __init__(
        self, server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
    ) -> None:
        self.collection = QdrantCollection(server, name, embedder, PLAN)
        self._points = QdrantPoints(self.collection, question_words(CHUNK_WORDS))
        self._writes = QdrantDocumentWrites(self._points, clock)
        self._recovered = False

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        with suppress(StoreGone):  # nothing is left to finish, and the collection is made again
            await self._recover()
        return await self._writes.put(chunks, vectors)

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        await self._recover()
        return await self._writes.listed(listed(scope, include_preloaded=include_preloaded))

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        await self.collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, visible(scope), limit, fields=TEXT_FIELDS), limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        A word weighs by how rare it is in the scope.
        """
        return ranked(await self._points.wording(text, visible(scope), limit, visible(scope), TEXT_FIELDS), limit)

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
        return by_ids(ranked(await self._points.nearest(vector, only, len(ids), EXACT), len(ids)), chunk_ids)

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        They are compared here, by no tokenizer.
        """
        return matches(map(to_chunk, await self._points.listed(visible(scope), TEXT_FIELDS)), terms, limit)

    async def neighbours(self, scope: DocumentScope, chunk: Chunk, reach: int = 1) -> list[Chunk]:
        """Return the chunks of its document within `reach` of its chunk_index, itself too, in order."""
        near = between(chunk.chunk_index - reach, chunk.chunk_index + reach)
        return await self._chunks(visible(scope, of_document(chunk.document.id), near))

    async def text(self, scope: DocumentScope, document_id: str) -> str | None:
        """Return the stored text that offsets refer to, None for a document that is unknown or not visible."""
        return joined(await self._chunks(visible(scope, of_document(document_id))))

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
        await self._recover()
        for entry in await self._writes.listed(EVERY_DOCUMENT):
            yield with_vectors(await self._points.listed(all_of(of_document(entry.id)), vectors=[DENSE]))

    async def close(self) -> None:
        """Close the connections."""
        await self.collection.close()

    async def _recover(self) -> None:
        """Finish what a crash has cut short, before the first upload or list that the server answers."""
        if not self._recovered:
            await self._writes.recover()
            self._recovered = True

    async def _chunks(self, condition: Filter) -> list[Chunk]:
        return in_order(await self._points.listed(condition, TEXT_FIELDS))
