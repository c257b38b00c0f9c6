"""Writes of documents to a Qdrant server: each is there whole or not at all, also after a crash.

As in the embedded engine chunks are written unseen. Then one request shows them all and removes the document that they
replace; a crash between the two leaves both, and `recover` finishes what was begun. Other processes upload to the same
collection at the same time: what they are still writing is told by when its last chunk was written.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from qdrant_client import models

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed, is_named, listed_order
from tools.documents.text import searched_text
from tools.errors import StoreError
from wenmai.stores.qdrant.document_query import in_session, of_document, owned
from wenmai.stores.qdrant.points import Condition, QdrantPoints, any_of, equals
from wenmai.stores.records.document_payload import (
    DOCUMENT_FIELDS,
    FIRST,
    NOBODY,
    REPLACES,
    to_document,
    to_payload,
    visibility_of,
)

# Far above what one batch of chunks takes and what the clocks of two machines differ by.
ABANDONED_AFTER = timedelta(hours=1)
WRITTEN_AT = "written_at"  # of a chunk, UTC ISO-8601; `uploaded_at` is the document's, and may be long past


class QdrantDocumentWrites:
    """Changes to the one collection."""

    def __init__(self, points: QdrantPoints, clock: Callable[[], datetime]) -> None:
        self.points = points
        self._clock = clock

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write a document and return the one that it replaced; what a failure leaves of it is removed."""
        document = chunks[0].document
        try:
            await self.points.write(self._unseen(chunks, vectors), len(vectors[0]))
            return await self._show(document)
        except BaseException:
            with suppress(StoreError):  # `recover` removes them
                await self.points.delete(models.Filter(must=[of_document(document.id), equals("visibility", NOBODY)]))
            raise

    async def listed(self, condition: models.Filter) -> list[DocumentEntry]:
        """Return the documents whose first chunks match, in order."""
        rows = await self.points.listed(condition, DOCUMENT_FIELDS)
        return sorted((to_document(row.payload or {}) for row in rows), key=listed_order)

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        named: list[Condition] = [] if document_id is None else [of_document(document_id)]
        return await self._removed(owned(owner, equals("chunk_index", FIRST), *named))

    async def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, whoever's."""
        if not is_named(session_id):
            return Removed()
        return await self._removed(in_session(session_id, equals("chunk_index", FIRST)))

    async def _removed(self, first_chunks: models.Filter) -> Removed:
        gone = await self.listed(first_chunks)
        await self.points.change(*_removal([one.id for one in gone]))
        return Removed(tuple(gone), sum(one.chunks for one in gone))

    async def recover(self) -> None:
        """Remove what a crash left: chunks that were never shown, and documents whose successor is shown."""
        pending = equals("visibility", NOBODY)
        if abandoned := await self._abandoned(models.Filter(must=[pending])):
            await self.points.delete(models.Filter(must=[pending, any_of("document_id", abandoned)]))
        first = models.Filter(must=[equals("chunk_index", FIRST)], must_not=[equals("visibility", NOBODY)])
        rows = await self.points.listed(first, [REPLACES])
        replaced = [id for row in rows for id in (row.payload or {}).get(REPLACES, ())]
        if replaced and await self.points.count(models.Filter(must=[any_of("document_id", replaced)])):
            await self.points.change(*_removal(replaced))

    async def _abandoned(self, pending: models.Filter) -> list[str]:
        """Return the unseen documents of which nobody has written a chunk for long."""
        last: dict[str, datetime] = {}
        for row in await self.points.listed(pending, ["document_id", "uploaded_at", WRITTEN_AT]):
            payload = row.payload or {}
            told = payload.get(WRITTEN_AT) or payload["uploaded_at"]  # older programs noted the document's time alone
            id, written = payload["document_id"], datetime.fromisoformat(told)
            last[id] = max(written, last.get(id, written))
        return [id for id, written in last.items() if written < self._clock() - ABANDONED_AFTER]

    def _unseen(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> Iterator[models.PointStruct]:
        """Yield chunks that nobody sees yet, each with the time when it is about to be written."""
        for chunk, vector in zip(chunks, vectors, strict=True):
            payload: dict[str, object] = {**to_payload(chunk, NOBODY), WRITTEN_AT: self._clock().isoformat()}
            yield self.points.point(chunk.chunk_id, vector, searched_text(chunk), payload)

    async def _require_whole(self, document: DocumentEntry) -> None:
        """Raise StoreError unless every chunk is there: the collection may have been dropped meanwhile."""
        count = await self.points.count(models.Filter(must=[of_document(document.id)]))
        if count != document.chunks:
            raise StoreError(
                f"{document.filename} 没有保存：服务器上只有 {count} / {document.chunks} 段"
                "（写入期间集合或其中的段落被删除）：请重新上传"
            )

    async def _show(self, document: DocumentEntry) -> DocumentEntry | None:
        await self._require_whole(document)
        old = await self.listed(
            owned(document.owner, equals("filename", document.filename), equals("chunk_index", FIRST))
        )
        old = [one for one in old if one.id != document.id]
        shown = {"visibility": visibility_of(document.owner), REPLACES: [one.id for one in old]}
        only = models.Filter(must=[of_document(document.id)])
        show = models.SetPayloadOperation(set_payload=models.SetPayload(payload=shown, filter=only))
        await self.points.change(show, *_removal([one.id for one in old]))
        return old[0] if old else None


def _removal(documents: Sequence[str]) -> list[models.UpdateOperation]:
    if not documents:
        return []
    only = models.Filter(must=[any_of("document_id", documents)])
    return [models.DeleteOperation(delete=models.FilterSelector(filter=only))]
