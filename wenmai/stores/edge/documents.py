"""Uploaded documents in Qdrant Edge: one shard, the scope of the run inside every query."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Matches,
    RankedChunk,
    Removed,
)
from tools.documents.text import embedded_text, matches, searched_text
from tools.wording import Words
from wenmai.stores.edge.document_writes import DocumentWrites
from wenmai.stores.edge.moving import EdgeMove
from wenmai.stores.edge.schema import TENANT, Schema, search_params, shard_config
from wenmai.stores.edge.store import CollectionPlan, EdgeStore, alone, shared
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.collections import DOCUMENT_LABEL
from wenmai.stores.records.conditions import all_of, has_id
from wenmai.stores.records.document_filter import EVERY_DOCUMENT, between, listed, of_document, visible
from wenmai.stores.records.document_payload import (
    TEXT_FIELDS,
    WINDOWS,
    by_ids,
    in_order,
    joined,
    ranked,
    to_chunk,
    with_vectors,
)
from wenmai.stores.records.points import point_ids
from wenmai.stores.records.vector_policy import CHUNK_WORDS, DENSE, DOCUMENT_INDEXES

DOCUMENTS = "documents"
UNREADABLE = Words(
    "请停止使用它的进程，删除 DATA_DIR/.collections/documents 后重新上传",
    "stop what uses it, delete DATA_DIR/.collections/documents and upload again",
)
SCHEMA = Schema(
    folder="points",
    config=shard_config,
    fields=DOCUMENT_INDEXES,
    tenant=TENANT,
    remedy=Words(
        "或删除 DATA_DIR/.collections/documents 后重新上传",
        "or delete DATA_DIR/.collections/documents and upload again",
    ),
    content=Content(Words("文档库", "the store of documents"), UNREADABLE),
)
PLAN = CollectionPlan(DOCUMENTS, DOCUMENT_LABEL, CHUNK_WORDS, SCHEMA)


class EdgeDocumentStore:
    """The DocumentStore port over Qdrant Edge. The shard opens at first use; calls run in threads."""

    def __init__(self, data_dir: Path, embedder: str) -> None:
        self.collection = EdgeStore(data_dir, PLAN, embedder, self._finish)
        self._points = self.collection.points
        self._writes = DocumentWrites(self._points)

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        await self.collection.recovered()
        return await asyncio.to_thread(self._put, chunks, vectors)

    @shared
    def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        return self._writes.listed(listed(scope, include_preloaded=include_preloaded))

    @shared
    def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        self.collection.check_embedder(len(vector))
        return ranked(self._points.nearest(vector, visible(scope), limit, search_params(), TEXT_FIELDS), limit)

    @shared
    def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        A word weighs by how rare it is in the scope.
        """
        return ranked(self._points.wording(text, visible(scope), limit, visible(scope), TEXT_FIELDS), limit)

    @shared
    def fetch(
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
            return by_ids((RankedChunk(to_chunk(row), 0.0) for row in self._points.records(only)), chunk_ids)
        return by_ids(ranked(self._points.nearest(vector, only, len(ids)), len(ids)), chunk_ids)

    @shared
    def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        They are compared here, by no tokenizer.
        """
        return matches(map(to_chunk, self._points.records(visible(scope), TEXT_FIELDS)), terms, limit)

    @shared
    def neighbours(self, scope: DocumentScope, chunk: Chunk, reach: int = 1) -> list[Chunk]:
        """Return the chunks of its document within `reach` of its chunk_index, itself too, in order."""
        near = between(chunk.chunk_index - reach, chunk.chunk_index + reach)
        return in_order(self._points.records(visible(scope, of_document(chunk.document.id), near), TEXT_FIELDS))

    @shared
    def text(self, scope: DocumentScope, document_id: str) -> str | None:
        """Return the stored text that offsets refer to, None for a document that is unknown or not visible."""
        return joined(in_order(self._points.records(visible(scope, of_document(document_id)), TEXT_FIELDS)))

    @alone
    def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; one that is unknown or not the owner's is nothing removed."""
        return self._writes.remove(owner, document_id)

    @alone
    def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        return self._writes.remove(owner)

    @alone
    def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a session that has ended, of any user; a blank id is no session."""
        return self._writes.remove_session(session_id)

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        for entry in await self.collection.shared(self._writes.listed, EVERY_DOCUMENT):
            yield await self._with_vectors(entry.id)

    def moving(self) -> EdgeMove:
        """Return all documents as what can move to another embedder."""
        return EdgeMove(
            self._points,
            embedded=lambda record: embedded_text(to_chunk(record)),
            worded=lambda record: searched_text(to_chunk(record)),
            windows=WINDOWS,
        )

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await self.collection.close()

    def _finish(self) -> None:
        self._writes.recover()

    def _put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write and show; one call of a thread, so that a cancelled caller does not leave half of it."""
        with self.collection.gate.shared(), self.collection.writing(len(vectors[0])):
            self._writes.prepare(chunks, vectors)
        with self.collection.gate.alone():
            return self._writes.show(chunks[0].document)

    @shared
    def _with_vectors(self, document_id: str) -> tuple[list[Chunk], list[list[float]]]:
        return with_vectors(self._points.records(all_of(of_document(document_id)), vectors=[DENSE]))
