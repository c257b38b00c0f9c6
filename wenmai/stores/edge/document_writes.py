"""Writes of documents to Qdrant Edge: each is there whole or not at all, also after a crash; every call blocks.

Chunks are written unseen. Then one change shows them all, and the next removes the document that they replace; a crash
between the two leaves both, and `recover` finishes at the next start what was begun.
"""

from collections.abc import Sequence
from contextlib import suppress

import qdrant_edge as edge

from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed, is_named
from tools.documents.text import searched_text
from tools.errors import StoreError
from wenmai.stores.edge.document_query import equals, in_session, of_document, owned
from wenmai.stores.edge.document_rows import DocumentRows
from wenmai.stores.edge.query import DENSE, SPARSE
from wenmai.stores.records.document_payload import FIRST, NOBODY, REPLACES, to_payload, visibility_of


class DocumentWrites:
    """Changes to the one shard."""

    def __init__(self, rows: DocumentRows) -> None:
        self.rows = rows
        self.points = rows.points

    def prepare(self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]]) -> None:
        """Write chunks that nobody sees yet; what a failure leaves of them is removed."""
        try:
            points = (self._point(chunk, vector, NOBODY) for chunk, vector in zip(chunks, vectors, strict=True))
            self.points.write(points, len(vectors[0]))
        except BaseException:
            with suppress(StoreError):  # the next start removes them
                self._remove([chunks[0].document.id], len(chunks))
            raise

    def show(self, document: DocumentEntry) -> DocumentEntry | None:
        """Show a document that was prepared and remove those of its owner and name, while nobody reads."""
        old = self.rows.listed(
            owned(document.owner, equals("filename", document.filename), equals("chunk_index", FIRST))
        )
        shown = {"visibility": visibility_of(document.owner), REPLACES: [one.id for one in old]}
        only = edge.Filter(must=[of_document(document.id)])
        self.points.change(edge.UpdateOperation.set_payload_by_filter(only, shown), rows=document.chunks)
        self._remove([one.id for one in old], sum(one.chunks for one in old))
        return old[0] if old else None

    def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        named = [] if document_id is None else [of_document(document_id)]
        return self._removed(owned(owner, equals("chunk_index", FIRST), *named))

    def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, whoever's."""
        if not is_named(session_id):
            return Removed()
        return self._removed(in_session(session_id, equals("chunk_index", FIRST)))

    def _removed(self, first_chunks: edge.Filter) -> Removed:
        gone = self.rows.listed(first_chunks)
        chunks = sum(one.chunks for one in gone)
        self._remove([one.id for one in gone], chunks)
        return Removed(tuple(gone), chunks)

    def recover(self) -> None:
        """Remove what a crash left: chunks that were never shown, and documents whose successor is shown."""
        pending = edge.Filter(must=[equals("visibility", NOBODY)])
        if self.points.count(pending):
            self.points.change(edge.UpdateOperation.delete_points_by_filter(pending), rows=1)
        first = edge.Filter(must=[equals("chunk_index", FIRST)])
        replaced = [
            id for row in self.points.records(first, [REPLACES]) for id in (row.payload or {}).get(REPLACES, ())
        ]
        present = edge.Filter(must=[edge.FieldCondition("document_id", match=edge.MatchAny(replaced))])
        if replaced and self.points.count(present):
            self._remove(replaced, 1)

    def rewrite(self, dimension: int) -> None:
        """Copy every document into a new shard: the engine keeps deleted texts in its pages and its log."""
        self.points.rewrite(dimension)

    def _remove(self, documents: Sequence[str], rows: int) -> None:
        if documents:
            only = edge.Filter(must=[edge.FieldCondition("document_id", match=edge.MatchAny(list(documents)))])
            self.points.change(edge.UpdateOperation.delete_points_by_filter(only), rows=rows)

    def _point(self, chunk: Chunk, vector: Sequence[float], visibility: str) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(vector),
            SPARSE: self.points.words.embed_document(searched_text(chunk)),
        }
        return edge.Point(chunk.chunk_id, vectors, to_payload(chunk, visibility))
