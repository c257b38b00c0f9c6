"""The port of the store of documents. Failures are the errors of `tools.errors`."""

from collections.abc import Sequence
from typing import Protocol

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, DocumentScope, Matches, RankedChunk, Removed


class DocumentStore(Protocol):
    """Chunks of uploaded documents with a dense and a sparse (BM25) vector each, and the documents that they make up.

    Reads see what a `DocumentScope` shows and nothing else: the scope is a condition inside every query.
    Writes change documents of a `DocumentOwner`. A document is stored whole or not at all, also after a crash.
    """

    async def put(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> DocumentEntry | None:
        """Write one document, all its chunks in order, and return the one of its owner and name that it replaced.

        Durable when it returns. Raises ValueError for no chunks, EmbedderMismatch, StoreFull.
        """
        ...

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        """Return the visible documents: preloaded first, then the newest first, then by filename."""
        ...

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine, best first, then by filename and chunk_index."""
        ...

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        Document frequencies are counted over the scope alone: documents of others do not change a score.
        """
        ...

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0).

        Ids that are unknown or not visible are left out.
        """
        ...

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold every term as a literal substring, or when none does, those that hold any.

        Compared after NFKC and case folding; there are no wildcards and no tokenizer is used. Ordered by the
        number of different terms, then of occurrences, both descending, then by filename and chunk_index; `total`
        counts them before the limit.
        """
        ...

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        """Remove a document with its chunks; an unknown one, or one of another owner, removes nothing."""
        ...

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        """Remove every document of an owner: of a session, or with PRELOADED the preloaded ones."""
        ...

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a deleted session, of any owner; a blank id is no session."""
        ...
