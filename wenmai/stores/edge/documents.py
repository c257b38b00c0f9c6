"""Uploaded documents in Qdrant Edge: one shard.

Each is there whole or not at all, also after a crash: chunks are written unseen, one change shows them all, and the
next removes the document that they replace; a crash between the two leaves both, and `recover` finishes at the next
start what was begun.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import starmap
from pathlib import Path

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed, is_named
from tools.documents.scores import searched_text
from tools.errors import StoreError
from tools.wording import Words
from wenmai.stores.edge.points import Points
from wenmai.stores.edge.schema import TENANT, Schema, search_params, shard_config
from wenmai.stores.edge.store import CollectionPlan, CollectionPoints, EdgeStore
from wenmai.stores.files.refusals import Content
from wenmai.stores.records.conditions import Equals, Filter, all_of, one_of
from wenmai.stores.records.documents import (
    DOCUMENT_FIELDS,
    FIRST_CHUNK,
    REPLACES,
    UNSEEN,
    WINDOWS,
    in_session,
    of_document,
    owned,
    replaced_ids,
    to_chunk,
    to_documents,
    unseen_point,
    visibility_of,
)
from wenmai.stores.records.points import CHUNK_WORDS, DOCUMENT_INDEXES, DOCUMENT_LABEL
from wenmai.stores.vectors.documents import VectorDocumentStore


@dataclass(frozen=True, slots=True)
class DocumentWrites:
    """Changes to the one shard; every call blocks."""

    points: Points

    def listed(self, first_chunks: Filter) -> list[DocumentEntry]:
        """Return the documents of these first chunks, in order."""
        return to_documents(self.points.records(first_chunks, DOCUMENT_FIELDS))

    def prepare(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
        """Write chunks that no reader sees yet; what a failure leaves of them is removed."""
        try:
            self.points.write(starmap(unseen_point, zip(chunks, vectors, strict=True)), len(vectors[0]))
        except BaseException:
            with suppress(StoreError):  # the next start removes them
                self._remove([chunks[0].document.id], len(chunks))
            raise

    def show(self, document: DocumentEntry) -> DocumentEntry | None:
        """Show a document that was prepared and remove those of its owner and name, while no reader is inside."""
        old = self.listed(owned(document.owner, Equals("filename", document.filename), FIRST_CHUNK))
        shown = {"visibility": visibility_of(document.owner), REPLACES: [one.id for one in old]}
        self.points.set_payload(all_of(of_document(document.id)), shown, rows=document.chunks)
        self._remove([one.id for one in old], sum(one.chunks for one in old))
        return old[0] if old else None

    def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        named = [] if document_id is None else [of_document(document_id)]
        return self._removed(owned(owner, FIRST_CHUNK, *named))

    def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, of any user."""
        return self._removed(in_session(session_id, FIRST_CHUNK)) if is_named(session_id) else Removed()

    def recover(self) -> None:
        """Remove what a crash left: chunks that were never shown, and documents whose successor is shown."""
        pending = all_of(UNSEEN)
        if self.points.count(pending):
            self.points.delete(pending, rows=1)
        replaced = replaced_ids(self.points.records(all_of(FIRST_CHUNK), [REPLACES]))
        if replaced and self.points.count(all_of(one_of("document_id", replaced))):
            self._remove(replaced, 1)

    def _removed(self, first_chunks: Filter) -> Removed:
        removed = self.listed(first_chunks)
        chunks = sum(one.chunks for one in removed)
        self._remove([one.id for one in removed], chunks)
        return Removed(tuple(removed), chunks)

    def _remove(self, documents: Sequence[str], rows: int) -> None:
        if documents:
            self.points.delete(all_of(one_of("document_id", documents)), rows)


@dataclass(frozen=True, slots=True)
class EdgeDocumentWrites:
    """These changes in threads; one that removes runs while no other call reads or writes."""

    collection: EdgeStore

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document and return the one that it replaced."""
        await self.collection.recovered()
        return await asyncio.to_thread(self._put, chunks, vectors)

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        return await self.collection.alone(self.writes.remove, owner, document_id)

    async def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, of any user; a blank id is no session."""
        return await self.collection.alone(self.writes.remove_session, session_id)

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first list."""
        await self.collection.recovered()

    @property
    def writes(self) -> DocumentWrites:
        """The changes themselves."""
        return DocumentWrites(self.collection.points)

    def _put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write and show; one call of a thread, so that a cancelled caller does not leave half of it."""
        with self.collection.gate.shared(), self.collection.writing(len(vectors[0])):
            self.writes.prepare(chunks, vectors)
        with self.collection.gate.alone():
            return self.writes.show(chunks[0].document)


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
PLAN = CollectionPlan(
    DOCUMENTS,
    DOCUMENT_LABEL,
    CHUNK_WORDS,
    SCHEMA,
    embedded=lambda record: searched_text(to_chunk(record)),
    worded=lambda record: searched_text(to_chunk(record)),
    windows=WINDOWS,
)


def edge_documents(data_dir: Path, embedder: str) -> VectorDocumentStore:
    """Return the documents below a folder. The shard opens at first use; calls run in threads."""
    collection = EdgeStore(data_dir, PLAN, embedder, lambda points: DocumentWrites(points).recover())
    return VectorDocumentStore(CollectionPoints(collection, search_params()), EdgeDocumentWrites(collection))
