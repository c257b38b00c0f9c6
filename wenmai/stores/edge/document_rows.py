"""Reads of documents in Qdrant Edge; every call blocks, and every query names its scope."""

from collections.abc import Sequence
from uuid import UUID

import qdrant_edge as edge

from tools.documents.records import (
    Chunk,
    DocumentEntry,
    DocumentScope,
    Matches,
    RankedChunk,
    listed_order,
)
from tools.documents.text import matches
from wenmai.stores.edge.document_query import between, equals, of_document, visible
from wenmai.stores.edge.points import Points
from wenmai.stores.edge.query import DENSE, search_params
from wenmai.stores.edge.read import dense_vector, point_ids
from wenmai.stores.records.document_payload import (
    DOCUMENT_FIELDS,
    EVERYBODY,
    FIRST,
    NOBODY,
    TEXT_FIELDS,
    joined,
    ranked,
    to_chunk,
    to_document,
)


class DocumentRows:
    """Rankings and rows of the one shard."""

    def __init__(self, points: Points) -> None:
        self.points = points

    def documents(self, scope: DocumentScope, include_preloaded: bool) -> list[DocumentEntry]:
        """Return the visible documents."""
        only = visible(scope, equals("chunk_index", FIRST))
        if not include_preloaded:
            only = edge.Filter(must=[only], must_not=[equals("visibility", EVERYBODY)])
        return self.listed(only)

    def listed(self, first_chunks: edge.Filter) -> list[DocumentEntry]:
        """Return the documents of these first chunks, in order."""
        rows = self.points.records(first_chunks, DOCUMENT_FIELDS)
        return sorted((to_document(row.payload or {}) for row in rows), key=listed_order)

    def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        """Return the chunks nearest to `vector` by cosine."""
        return ranked(self.points.nearest(vector, visible(scope), limit, search_params(), TEXT_FIELDS), limit)

    def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text`, weighed by how rare they are in the scope."""
        return ranked(self.points.wording(text, visible(scope), limit, visible(scope), TEXT_FIELDS), limit)

    def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`: an id alone is never enough (PLA-03)."""
        ids: set[int | UUID | str] = set(point_ids(chunk_ids))
        if not ids:
            return []
        only = visible(scope, edge.HasIdCondition(ids))
        if vector is None:
            rows = [RankedChunk(to_chunk(row), 0.0) for row in self.points.records(only)]
        else:
            rows = ranked(self.points.nearest(vector, only, len(ids)), len(ids))
        found = {row.chunk.chunk_id: row for row in rows}
        return [found[id] for id in chunk_ids if id in found]

    def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        """Return the chunks that hold the terms; our own code compares them, no tokenizer does (PLA-24)."""
        return matches(map(to_chunk, self.points.records(visible(scope), TEXT_FIELDS)), terms, limit)

    def neighbours(self, scope: DocumentScope, chunk: Chunk, reach: int) -> list[Chunk]:
        """Return the chunks around one."""
        near = between(chunk.chunk_index - reach, chunk.chunk_index + reach)
        return self._chunks(visible(scope, of_document(chunk.document.id), near))

    def text(self, scope: DocumentScope, document_id: str) -> str | None:
        """Return a document's text, put together from its overlapping chunks."""
        return joined(self._chunks(visible(scope, of_document(document_id))))

    def every_document(self) -> list[DocumentEntry]:
        """Return the documents of all owners."""
        return self.listed(edge.Filter(must=[equals("chunk_index", FIRST)], must_not=[equals("visibility", NOBODY)]))

    def with_vectors(self, document_id: str) -> list[tuple[Chunk, list[float]]]:
        """Return the chunks of a document, in order, with their vectors."""
        rows = self.points.records(edge.Filter(must=[of_document(document_id)]), vectors=[DENSE])
        return sorted(((to_chunk(row), dense_vector(row)) for row in rows), key=lambda pair: pair[0].chunk_index)

    def _chunks(self, condition: edge.Filter) -> list[Chunk]:
        return sorted(map(to_chunk, self.points.records(condition, TEXT_FIELDS)), key=lambda chunk: chunk.chunk_index)
