"""Uploaded documents in Qdrant Edge: one shard, the scope of the run inside every query."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import ParamSpec, TypeVar

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Matches,
    RankedChunk,
    Removed,
)
from tools.documents.text import embedded_text, searched_text
from wenmai.stores.edge.collection import Collection
from wenmai.stores.edge.document_query import document_indexes
from wenmai.stores.edge.document_rows import DocumentRows
from wenmai.stores.edge.document_writes import DocumentWrites
from wenmai.stores.edge.moving import EdgeMove
from wenmai.stores.edge.points import Points, question_words
from wenmai.stores.edge.query import shard_config
from wenmai.stores.edge.shards import Schema
from wenmai.stores.files.folder import Content
from wenmai.stores.records.document_payload import WINDOWS, to_chunk

P = ParamSpec("P")
T = TypeVar("T")
DOCUMENTS = "documents"
AVERAGE_TOKENS = 280  # words of a full chunk that are no stop words
REMADE = "删除 DATA_DIR/.collections/documents 后重新上传"
UNREADABLE = Content("文档库", f"请停止使用它的进程，{REMADE}")
SCHEMA = Schema("points", shard_config, document_indexes, f"或{REMADE}", UNREADABLE)


class EdgeDocumentStore:
    """The DocumentStore port over Qdrant Edge. The shard opens at first use; calls run in threads."""

    def __init__(self, data_dir: Path, embedder: str) -> None:
        self._files = Collection(data_dir, DOCUMENTS, embedder, SCHEMA, "文档")
        self._rows = DocumentRows(Points(self._files.shards, DOCUMENTS, question_words(AVERAGE_TOKENS)))
        self._writes = DocumentWrites(self._rows)
        self._is_recovered = False

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced."""
        if not chunks:
            raise ValueError("a document without chunks")
        await self._recovered()
        return await asyncio.to_thread(self._put, chunks, vectors)

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        return await self._shared(self._rows.documents, scope, include_preloaded)

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        return await self._shared(self._dense, scope, vector, limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`."""
        return await self._shared(self._rows.sparse, scope, text, limit)

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0)."""
        return await self._shared(self._rows.fetch, scope, chunk_ids, vector)

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any."""
        return await self._shared(self._rows.matching, scope, terms, limit)

    async def neighbours(self, scope: DocumentScope, chunk: Chunk, reach: int = 1) -> list[Chunk]:
        """Return the chunks of its document within `reach` of its chunk_index, itself too, in order."""
        return await self._shared(self._rows.neighbours, scope, chunk, reach)

    async def text(self, scope: DocumentScope, document_id: str) -> str | None:
        """Return the stored text that offsets refer to, None for a document that is unknown or not visible."""
        return await self._shared(self._rows.text, scope, document_id)

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; one that is unknown or not the owner's is nothing removed."""
        return await self._alone(self._writes.remove, owner, document_id)

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        return await self._alone(self._writes.remove, owner)

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a session that is no more, whoever's it is; a blank id is no session."""
        return await self._alone(self._writes.remove_session, session_id)

    async def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless all of it was embedded by the embedder in use."""
        await self._shared(self._files.require_embedder, dimension)

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        for entry in await self._shared(self._rows.every_document):
            pairs = await self._shared(self._rows.with_vectors, entry.id)
            yield [chunk for chunk, _ in pairs], [vector for _, vector in pairs]

    async def optimize(self) -> None:
        """Join the segments and drop what was deleted: call it once at the end of bulk writes and of deletions."""
        await self._shared(self._rows.points.optimize)

    async def rewrite(self) -> None:
        """Write every remaining document into new files and remove the old ones, which keep what was deleted."""
        await self._alone(self._rewrite)

    @property
    def made_by(self) -> tuple[str, int] | None:
        """Embedder and dimension of the stored vectors; None as long as there are none."""
        return self._files.made_by

    def moving(self) -> EdgeMove:
        """Return all documents as what can move to another embedder."""
        return EdgeMove(
            self._rows.points,
            embedded=lambda record: embedded_text(to_chunk(record)),
            worded=lambda record: searched_text(to_chunk(record)),
            windows=WINDOWS,
        )

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await self._files.close()
        self._is_recovered = False

    async def _shared(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread, beside others."""
        await self._recovered()
        return await self._files.shared(call, *args, **named)

    async def _alone(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread while nobody else reads or writes."""
        await self._recovered()
        return await self._files.alone(call, *args, **named)

    async def _recovered(self) -> None:
        """Finish what a crash has cut short, before the first call."""
        if not self._is_recovered:
            await self._files.alone(self._recover)

    def _recover(self) -> None:
        if not self._is_recovered:
            self._writes.recover()
            self._is_recovered = True

    def _put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write and show; one call of a thread, so that a caller who leaves does not leave half of it."""
        with self._files.gate.shared(), self._files.writing(len(vectors[0])):
            self._writes.prepare(chunks, vectors)
        with self._files.gate.alone():
            return self._writes.show(chunks[0].document)

    def _dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        self._files.require_embedder(len(vector))
        return self._rows.dense(scope, vector, limit)

    def _rewrite(self) -> None:
        if (dimension := self._files.dimension) is not None:
            self._writes.rewrite(dimension)
