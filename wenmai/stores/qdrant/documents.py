"""Uploaded documents on a Qdrant server: one collection, the scope of the run inside every query."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from datetime import datetime

from qdrant_client import models

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
from wenmai.stores.edge.documents import AVERAGE_TOKENS
from wenmai.stores.edge.points import question_words
from wenmai.stores.edge.query import DENSE
from wenmai.stores.edge.read import point_ids
from wenmai.stores.qdrant.collection import QdrantCollection
from wenmai.stores.qdrant.document_query import between, document_plan, of_document, visible
from wenmai.stores.qdrant.document_writes import QdrantDocumentWrites
from wenmai.stores.qdrant.points import EXACT, QdrantPoints, dense_of, equals, has_id
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.document_payload import EVERYBODY, FIRST, NOBODY, TEXT_FIELDS, joined, ranked, to_chunk

DOCUMENTS = "documents"


class QdrantDocumentStore:
    """The DocumentStore port over a server."""

    def __init__(
        self, server: QdrantServer, embedder: str, clock: Callable[[], datetime], name: str = DOCUMENTS
    ) -> None:
        self._server = server
        self._collection = QdrantCollection(server, name, embedder, document_plan())
        self._points = QdrantPoints(self._collection, question_words(AVERAGE_TOKENS))
        self._writes = QdrantDocumentWrites(self._points, clock)
        self._recovered = False

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        with suppress(StoreGone):  # nothing is left to finish, and the collection is made anew
            await self._recover()
        return await self._writes.put(chunks, vectors)

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        await self._recover()
        only = visible(scope, equals("chunk_index", FIRST))
        if not include_preloaded:
            only = models.Filter(must=[only], must_not=[equals("visibility", EVERYBODY)])
        return await self._writes.listed(only)

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        await self._collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, visible(scope), limit, fields=TEXT_FIELDS), limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`."""
        return ranked(await self._points.wording(text, visible(scope), limit, visible(scope), TEXT_FIELDS), limit)

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0)."""
        ids = sorted({str(id) for id in point_ids(chunk_ids)})
        if not ids:
            return []
        only = visible(scope, has_id(ids))
        if vector is None:
            rows = [RankedChunk(to_chunk(row), 0.0) for row in await self._points.listed(only)]
        else:
            rows = ranked(await self._points.nearest(vector, only, len(ids), EXACT), len(ids))
        found = {row.chunk.chunk_id: row for row in rows}
        return [found[id] for id in chunk_ids if id in found]

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        Our own code compares them, no tokenizer does (PLA-24).
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
        """Remove every document of a session that is no more, whoever's it is; a blank id is no session."""
        return await self._writes.remove_session(session_id)

    async def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless all of it was embedded by the embedder in use."""
        await self._collection.require_embedder(dimension)

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        await self._recover()
        first = models.Filter(must=[equals("chunk_index", FIRST)], must_not=[equals("visibility", NOBODY)])
        for entry in await self._writes.listed(first):
            rows = await self._points.listed(models.Filter(must=[of_document(entry.id)]), vectors=[DENSE])
            pairs = sorted(((to_chunk(row), dense_of(row)) for row in rows), key=lambda pair: pair[0].chunk_index)
            yield [chunk for chunk, _ in pairs], [vector for _, vector in pairs]

    async def optimize(self) -> None:
        """Leave it to the server, which joins its segments by itself."""

    async def rewrite(self) -> None:
        """Leave it to the server: it drops deleted texts when it joins its segments, and nobody can tell it when."""

    async def close(self) -> None:
        """Close the connections."""
        await self._server.close()

    async def _recover(self) -> None:
        """Finish what a crash has cut short, before the first upload or list that the server answers."""
        if not self._recovered:
            await self._writes.recover()
            self._recovered = True

    async def _chunks(self, condition: models.Filter) -> list[Chunk]:
        return sorted(
            map(to_chunk, await self._points.listed(condition, TEXT_FIELDS)), key=lambda chunk: chunk.chunk_index
        )
