"""Passages, memories and documents on a Qdrant server: one collection each, passages with the marks of their owners."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed
from tools.errors import StoreError, StoreGone
from tools.messages import Message
from wenmai.stores.files.owners import OwnerSource
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.vectors.conditions import all_of, one_of
from wenmai.stores.vectors.documents import UNSEEN, VectorDocumentStore, unseen_point
from wenmai.stores.vectors.memories import MEMORY_PLAN, VectorMemoryStore
from wenmai.stores.vectors.passages import PASSAGE_PLAN, Known, OwnerMarks, ServerPassageStore
from wenmai.stores.vectors.points import (
    CHUNK_WORDS,
    DOCUMENT_INDEXES,
    MEMORY_WORDS,
    CollectionPlan,
    Fields,
    collection_of,
)
from wenmai.stores.vectors.qdrant import DocumentChanges, QdrantPoints
from wenmai.stores.vectors.words import passage_words, question_words


def qdrant_passages(
    server: QdrantServer, base: str, embedder: str, known: Known, owner: OwnerSource
) -> ServerPassageStore:
    """Return the passages on a server.

    Args:
        server: where the collection is, or will be.
        base: COLLECTION_NAME.
        embedder: identity of the embedding model in use; each has its own collection.
        known: raises LibraryNotFound for a library that was never made.
        owner: returns the identity of the catalog that these libraries belong to.
    """
    collection = QdrantCollection(server, collection_of(base, embedder), embedder, PASSAGE_PLAN)
    place = f"Qdrant（{server.place}）"
    marks = OwnerMarks(place, collection, owner)
    return ServerPassageStore(QdrantPoints(collection, passage_words()), collection, known, place, marks)


MEMORIES = "memories"


def qdrant_memories(server: QdrantServer, embedder: str, name: str = MEMORIES) -> VectorMemoryStore:
    collection = QdrantCollection(server, name, embedder, MEMORY_PLAN)
    return VectorMemoryStore(QdrantPoints(collection, question_words(MEMORY_WORDS)), collection)


DOCUMENTS = "documents"
DOCUMENT_PLAN = CollectionPlan(Message("count.documents"), DOCUMENT_INDEXES, Message("qdrant.or_drop_documents"))
# Far above what one batch of chunks takes and what the clocks of two machines differ by.
ABANDONED_AFTER = timedelta(hours=1)
WRITTEN_AT = "written_at"  # of a chunk, UTC ISO-8601; `uploaded_at` is the document's, and may be long past
WRITTEN = Fields(only=("document_id", WRITTEN_AT))


def qdrant_documents(
    server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
) -> VectorDocumentStore:
    collection = QdrantCollection(server, name, embedder, DOCUMENT_PLAN)
    points = QdrantPoints(collection, question_words(CHUNK_WORDS))
    return VectorDocumentStore(points, collection, QdrantDocumentWrites(points, clock))


class QdrantDocumentWrites:
    """The DocumentWrites port over the one collection.

    Other processes upload to it at the same time: what they are still writing shows by when its last chunk was written.
    """

    def __init__(self, points: QdrantPoints, clock: Callable[[], datetime]) -> None:
        self.points = points
        self.changes = DocumentChanges(points)
        self._clock = clock
        self._is_recovered = False

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        """Write a document and return the one that it replaced; what a failure leaves of it is removed."""
        with suppress(StoreGone):  # nothing is left to finish, and the collection is made again
            await self.recovered()
        document = chunks[0].document
        try:
            await self.write(chunks, vectors)
            return await self.changes.show(document, replaces)
        except BaseException:
            with suppress(StoreError):  # `recovered` removes them
                await self.changes.discard(document)
            raise

    async def write(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
        """Write chunks that no reader sees yet, each with the time when it is about to be written."""
        rows = (
            unseen_point(chunk, vector, {WRITTEN_AT: self._clock().isoformat()})
            for chunk, vector in zip(chunks, vectors, strict=True)
        )
        await self.points.write(rows, len(vectors[0]))

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        await self.changes.move(documents, owner)

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        return await self.changes.remove(owner, document_id)

    async def remove_session(self, session_id: str) -> Removed:
        return await self.changes.remove_session(session_id)

    async def remove_user(self, user_id: str) -> Removed:
        return await self.changes.remove_user(user_id)

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first upload or list that the server answers."""
        if self._is_recovered:
            return
        last: dict[str, datetime] = {}  # of the unseen documents, when a chunk was last written
        for row in await self.points.listed(all_of(UNSEEN), WRITTEN):
            payload = row.payload or {}
            id, written = payload["document_id"], datetime.fromisoformat(payload[WRITTEN_AT])
            last[id] = max(written, last.get(id, written))
        abandoned = [id for id, written in last.items() if written < self._clock() - ABANDONED_AFTER]
        await self.changes.recover(all_of(UNSEEN, one_of("document_id", abandoned)))
        self._is_recovered = True
