"""Uploaded documents on a Qdrant server: one collection.

Each is there whole or not at all, also after a crash: chunks are written unseen, one request shows them all and removes
the document that they replace; a crash between the two leaves both, and `recovered` finishes what was begun. Other
processes upload to the same collection at the same time: what they are still writing shows by when its last chunk was
written.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed, is_named
from tools.errors import StoreError, StoreGone
from tools.wording import Words
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.points import QdrantPoints, deletion, setting
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.conditions import Equals, Filter, all_of, one_of
from wenmai.stores.records.documents import (
    EVERY_DOCUMENT,
    FIRST_CHUNK,
    REPLACES,
    UNSEEN,
    in_session,
    of_document,
    owned,
    replaced_ids,
    to_documents,
    unseen_point,
    visibility_of,
)
from wenmai.stores.records.points import CHUNK_WORDS, DOCUMENT_INDEXES, DOCUMENT_LABEL, CollectionPlan, NewPoint
from wenmai.stores.records.words import question_words
from wenmai.stores.vectors.documents import ABOUT, VectorDocumentStore
from wenmai.stores.vectors.points import Fields

NOT_WHOLE = Words(
    "{name} 没有保存：服务器上只有 {count} / {all} 段（写入期间集合或其中的段落被删除）：请重新上传",
    "{name} was not kept: the server has {count} of {all} pieces (something deleted them meanwhile); upload it again",
)
# Far above what one batch of chunks takes and what the clocks of two machines differ by.
ABANDONED_AFTER = timedelta(hours=1)
WRITTEN_AT = "written_at"  # of a chunk, UTC ISO-8601; `uploaded_at` is the document's, and may be long past
WRITTEN = Fields(only=("document_id", "uploaded_at", WRITTEN_AT))


class QdrantDocumentWrites:
    def __init__(self, points: QdrantPoints, clock: Callable[[], datetime]) -> None:
        self.points = points
        self._clock = clock
        self._is_recovered = False

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write a document and return the one that it replaced; what a failure leaves of it is removed."""
        with suppress(StoreGone):  # nothing is left to finish, and the collection is made again
            await self.recovered()
        document = chunks[0].document
        try:
            await self.points.write(self._unseen(chunks, vectors), len(vectors[0]))
            return await self._show(document)
        except BaseException:
            with suppress(StoreError):  # `recovered` removes them
                await self.points.delete(all_of(of_document(document.id), UNSEEN))
            raise

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        named = [] if document_id is None else [of_document(document_id)]
        return await self._removed(owned(owner, FIRST_CHUNK, *named))

    async def remove_session(self, session_id: str) -> Removed:
        return await self._removed(in_session(session_id, FIRST_CHUNK)) if is_named(session_id) else Removed()

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first upload or list that the server answers."""
        if not self._is_recovered:
            await self._recover()
            self._is_recovered = True

    async def _recover(self) -> None:
        """Remove chunks that were never shown, and documents whose successor is shown."""
        if abandoned := await self._abandoned():
            await self.points.delete(all_of(UNSEEN, one_of("document_id", abandoned)))
        if replaced := replaced_ids(await self.points.listed(EVERY_DOCUMENT, Fields(only=(REPLACES,)))):
            await self.points.delete(_any_document(replaced))

    async def _listed(self, first_chunks: Filter) -> list[DocumentEntry]:
        return to_documents(await self.points.listed(first_chunks, ABOUT))

    async def _removed(self, first_chunks: Filter) -> Removed:
        removed = await self._listed(first_chunks)
        if removed:
            await self.points.delete(_any_document([one.id for one in removed]))
        return Removed(tuple(removed), sum(one.chunks for one in removed))

    async def _abandoned(self) -> list[str]:
        """Return the unseen documents of which no chunk has been written for long."""
        last: dict[str, datetime] = {}
        for row in await self.points.listed(all_of(UNSEEN), WRITTEN):
            payload = row.payload or {}
            at = payload.get(WRITTEN_AT) or payload["uploaded_at"]  # older programs noted the document's time alone
            id, written = payload["document_id"], datetime.fromisoformat(at)
            last[id] = max(written, last.get(id, written))
        return [id for id, written in last.items() if written < self._clock() - ABANDONED_AFTER]

    def _unseen(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> Iterator[NewPoint]:
        """Yield chunks that no reader sees yet, each with the time when it is about to be written."""
        for chunk, vector in zip(chunks, vectors, strict=True):
            yield unseen_point(chunk, vector, {WRITTEN_AT: self._clock().isoformat()})

    async def _require_whole(self, document: DocumentEntry) -> None:
        """Raise StoreError unless every chunk is there: the collection may have been dropped meanwhile."""
        count = await self.points.count(all_of(of_document(document.id)))
        if count != document.chunks:
            raise StoreError(NOT_WHOLE.of(name=document.filename, count=count, all=document.chunks))

    async def _show(self, document: DocumentEntry) -> DocumentEntry | None:
        await self._require_whole(document)
        same_name = await self._listed(owned(document.owner, Equals("filename", document.filename), FIRST_CHUNK))
        old = [one for one in same_name if one.id != document.id]
        ids = [one.id for one in old]
        show = setting(all_of(of_document(document.id)), {"visibility": visibility_of(document.owner), REPLACES: ids})
        await self.points.change(show, *([deletion(_any_document(ids))] if ids else []))
        return old[0] if old else None


def _any_document(ids: Sequence[str]) -> Filter:
    return all_of(one_of("document_id", ids))


DOCUMENTS = "documents"
REMEDY = Words(
    "或在服务器上删除集合 documents 后重新上传", "or drop the collection documents on the server and upload again"
)
PLAN = CollectionPlan(DOCUMENT_LABEL, DOCUMENT_INDEXES, REMEDY)


def qdrant_documents(
    server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
) -> VectorDocumentStore:
    points = QdrantPoints(QdrantCollection(server, name, embedder, PLAN), question_words(CHUNK_WORDS))
    return VectorDocumentStore(points, QdrantDocumentWrites(points, clock))
