"""Writes of documents to a Qdrant server: each is there whole or not at all, also after a crash.

As in the embedded engine chunks are written unseen. Then one request shows them all and removes the document that they
replace; a crash between the two leaves both, and `recover` finishes what was begun.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from qdrant_client import models

from tools.document_text import searched_text
from tools.documents import Chunk, DocumentEntry, DocumentOwner, Removed, is_named, listed_order
from tools.errors import StoreError
from wenmai.stores.document_payload import (
    DOCUMENT_FIELDS,
    FIRST,
    NOBODY,
    REPLACES,
    to_document,
    to_payload,
    visibility_of,
)
from wenmai.stores.qdrant_document_query import in_session, of_document, owned
from wenmai.stores.qdrant_points import Condition, QdrantPoints, any_of, equals

# Other processes upload to the same collection: only what is older was left by a crash.
ABANDONED_AFTER = timedelta(hours=1)


class QdrantDocumentWrites:
    """Changes to the one collection."""

    def __init__(self, points: QdrantPoints, clock: Callable[[], datetime]) -> None:
        self.points = points
        self._clock = clock

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write a document and return the one that it replaced; what a failure leaves of it is removed."""
        document = chunks[0].document
        try:
            pairs = zip(chunks, vectors, strict=True)
            points = [
                self.points.point(one.chunk_id, v, searched_text(one), to_payload(one, NOBODY)) for one, v in pairs
            ]
            await self.points.write(points, len(vectors[0]))
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
        before = models.DatetimeRange(lt=self._clock() - ABANDONED_AFTER)
        old = models.FieldCondition(key="uploaded_at", range=before)
        pending = models.Filter(must=[equals("visibility", NOBODY), old])
        if await self.points.count(pending):
            await self.points.delete(pending)
        first = models.Filter(must=[equals("chunk_index", FIRST)], must_not=[equals("visibility", NOBODY)])
        rows = await self.points.listed(first, [REPLACES])
        replaced = [id for row in rows for id in (row.payload or {}).get(REPLACES, ())]
        if replaced and await self.points.count(models.Filter(must=[any_of("document_id", replaced)])):
            await self.points.change(*_removal(replaced))

    async def _show(self, document: DocumentEntry) -> DocumentEntry | None:
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
