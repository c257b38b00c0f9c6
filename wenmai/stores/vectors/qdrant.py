"""Reads and writes of points in Qdrant: the same steps over a shard of this process and over a server.

Either client answers the few requests of `PointClient` in its own types; pages, ties, batches, weights of words and
the order of a document's changes stand here, once.
"""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from tools.documents.records import DocumentEntry, DocumentOwner, Removed, is_named
from tools.errors import StoreError, StoreGone
from tools.messages import Message
from wenmai.stores.vectors.conditions import EVERYTHING, Filter, all_of, has_id, one_of
from wenmai.stores.vectors.documents import (
    ABOUT,
    EVERY_DOCUMENT,
    FIRST_CHUNK,
    REPLACES,
    UNSEEN,
    held,
    in_session,
    moved_to,
    of_document,
    of_user,
    owned,
    succeeded,
    to_documents,
    visibility_of,
)
from wenmai.stores.vectors.points import (
    ALL_FIELDS,
    DENSE,
    PAGE_ROWS,
    SPARSE,
    WRITE_ROWS,
    Fields,
    NewPoint,
    ScoredPoint,
    VectorPoint,
    event_order,
    has_all_ties,
)
from wenmai.stores.vectors.words import SparseWords, WordWeights

WRITE_FLOATS = 200_000  # of one batch, 4 MB of JSON: far below a server's limit of 32 MB for a request


@dataclass(frozen=True, slots=True)
class WeighedPoint:
    point: NewPoint
    words: SparseWords


@dataclass(frozen=True, slots=True)
class SetFields:
    """Sets these fields of every row that matches."""

    condition: Filter
    payload: dict[str, Any]


@dataclass(frozen=True, slots=True)
class DeleteRows:
    condition: Filter


@dataclass(frozen=True, slots=True)
class NearestTo:
    """Ranks rows by their cosine with a vector; `exact` compares every one, else a graph is walked."""

    vector: Sequence[float]
    exact: bool = False

    using = DENSE


@dataclass(frozen=True, slots=True)
class SharingWords:
    """Ranks rows by BM25; a word weighs by how rare it is among `counted`, without it among all rows."""

    words: SparseWords
    counted: Filter | None = None

    using = SPARSE


Change = SetFields | DeleteRows
Ranking = NearestTo | SharingWords


class PointClient(Protocol):
    """The requests of Qdrant for the points of one shard or collection; what they raise, `errors` turns into ours."""

    def errors(self) -> AbstractContextManager[None]: ...

    async def exists(self) -> bool:
        """Return True if anything was ever written; the other reads need that."""
        ...

    async def upsert(self, points: Sequence[WeighedPoint], dimension: int) -> None:
        """Write points durably, the shard or collection made if need be; the same id is replaced."""
        ...

    async def change(self, changes: Sequence[Change]) -> None:
        """Carry out changes one after the other, durably."""
        ...

    async def page(
        self, condition: Filter, fields: Fields, offset: Any, *, vectors: bool
    ) -> tuple[Sequence[VectorPoint], Any]:
        """Return PAGE_ROWS rows that match from `offset` on, and the offset of the next page, None behind the last."""
        ...

    async def story_page(self, condition: Filter, fields: Fields, start: int, size: int) -> Sequence[VectorPoint]:
        """Return up to `size` matching rows by ascending event_order, from `start` on."""
        ...

    async def count(self, condition: Filter) -> int: ...

    async def ranked(self, ranking: Ranking, condition: Filter, fields: Fields, size: int) -> Sequence[ScoredPoint]:
        """Return up to `size` matching rows, best first."""
        ...


@dataclass(frozen=True, slots=True)
class QdrantPoints:
    """The points of one shard or collection. Every query gets its conditions, the tenant among them, from the caller.

    Over a shard no call suspends, so that each can run to its end in a thread.
    """

    client: PointClient
    words: WordWeights

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        """Write points in batches; the same id is replaced.

        Raises StoreGone where a collection is dropped between two batches: the first one went with it.
        """
        rows, size = iter(points), max(1, min(WRITE_ROWS, WRITE_FLOATS // dimension))
        first = list(islice(rows, size))
        try:
            await self._upsert(first, dimension)
        except StoreGone:  # dropped since the last call: it is made again
            await self._upsert(first, dimension)
        while batch := list(islice(rows, size)):
            await self._upsert(batch, dimension)

    async def _upsert(self, batch: Sequence[NewPoint], dimension: int) -> None:
        with self.client.errors():
            weighed = [WeighedPoint(row, self.words.embed_document(row.text)) for row in batch]
            await self.client.upsert(weighed, dimension)

    async def change(self, *changes: Change) -> None:
        if changes and await self.client.exists():
            with self.client.errors():
                await self.client.change(changes)

    async def delete(self, condition: Filter) -> int:
        if count := await self.count(condition):
            await self.change(DeleteRows(condition))
        return count

    async def reorder(self, condition: Filter, orders: Mapping[str, int]) -> None:
        changes = (SetFields(all_of(condition, has_id([id])), {"event_order": orders[id]}) for id in orders)
        while batch := list(islice(changes, WRITE_ROWS)):
            await self.change(*batch)

    async def page(
        self, condition: Filter, fields: Fields = ALL_FIELDS, offset: Any = None, *, vectors: bool = False
    ) -> tuple[Sequence[VectorPoint], Any]:
        if not await self.client.exists():
            return [], None
        with self.client.errors():
            return await self.client.page(condition, fields, offset, vectors=vectors)

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> list[VectorPoint]:
        rows, offset = await self.page(condition, fields, vectors=vectors)
        found = list(rows)
        while offset is not None:
            rows, offset = await self.page(condition, fields, offset, vectors=vectors)
            found += rows
        return found

    async def everything(self) -> AsyncIterator[VectorPoint]:
        offset = None
        while True:
            rows, offset = await self.page(EVERYTHING, ALL_FIELDS, offset, vectors=True)
            for row in rows:
                yield row
            if offset is None:
                return

    async def in_story_order(self, condition: Filter, limit: int | None, fields: Fields) -> list[VectorPoint]:
        rows: dict[str, VectorPoint] = {}
        start, size, is_complete = 0, PAGE_ROWS, False
        while not is_complete and await self.client.exists():
            with self.client.errors():
                page = await self.client.story_page(condition, fields, start, size)
            rows.update((str(row.id), row) for row in page)
            last = event_order(page[-1]) if page else start
            # The next page begins at the last value of this one, where rows may be missing yet.
            is_enough = limit is not None and sum(event_order(row) < last for row in rows.values()) >= limit
            is_complete = len(page) < size or is_enough
            size = size * 2 if last == start else PAGE_ROWS  # a value that fills a page needs a bigger one
            start = last
        return sorted(rows.values(), key=lambda row: (event_order(row), str(row.id)))[:limit]

    async def count(self, condition: Filter) -> int:
        if not await self.client.exists():
            return 0
        with self.client.errors():
            return await self.client.count(condition)

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> Sequence[ScoredPoint]:
        return await self._ranked(NearestTo(vector), condition, limit, fields)

    async def compared(self, vector: Sequence[float], condition: Filter, limit: int) -> Sequence[ScoredPoint]:
        return await self._ranked(NearestTo(vector, exact=True), condition, limit, ALL_FIELDS)

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter | None, fields: Fields = ALL_FIELDS
    ) -> Sequence[ScoredPoint]:
        with self.client.errors():
            words = self.words.embed_query(text)
        if not await self.client.exists() or not words.indices:
            return []
        return await self._ranked(SharingWords(words, counted), condition, limit, fields)

    async def _ranked(self, ranking: Ranking, condition: Filter, limit: int, fields: Fields) -> Sequence[ScoredPoint]:
        """Return at least `limit` rows, best first, with all that equal the last: the caller cuts them in its order."""
        if limit < 1 or not await self.client.exists():
            return []
        size = limit + 1
        while True:
            with self.client.errors():
                rows = await self.client.ranked(ranking, condition, fields, size)
            if has_all_ties(rows, size, limit):
                return rows
            size *= 2


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """Changes to documents where no transaction holds them together.

    Each is there whole or not at all, also after a crash: chunks are written unseen, one change shows them all, and the
    next removes the document that they replace; a crash between the two leaves both, and `recover` finishes what was
    begun.
    """

    points: QdrantPoints

    async def show(self, document: DocumentEntry, replaces: Sequence[str] = ()) -> DocumentEntry | None:
        """Show a document that was written and remove what it takes the place of; return the one that it replaced.

        Raises StoreError unless every chunk is there: the collection may have been dropped meanwhile.
        """
        count = await self.points.count(all_of(of_document(document.id)))
        if count != document.chunks:
            raise StoreError(
                Message("qdrant.document_not_kept", name=document.filename, count=count, all=document.chunks)
            )
        old = [one for one in await self._listed(succeeded(document, replaces, FIRST_CHUNK)) if one.id != document.id]
        ids = [one.id for one in old]
        shown = SetFields(
            all_of(of_document(document.id)), {"visibility": visibility_of(document.owner), REPLACES: ids}
        )
        await self.points.change(shown, *([DeleteRows(any_document(ids))] if ids else []))
        return old[0] if old else None

    async def discard(self, document: DocumentEntry) -> None:
        """Remove what was written of a document that is not shown."""
        await self.points.delete(all_of(of_document(document.id), UNSEEN))

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        """Give documents to another owner, all of their chunks by one change."""
        await self.points.change(SetFields(held(documents), moved_to(owner)))

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        named = [] if document_id is None else [of_document(document_id)]
        return await self._removed(owned(owner, FIRST_CHUNK, *named))

    async def remove_session(self, session_id: str) -> Removed:
        return await self._removed(in_session(session_id, FIRST_CHUNK)) if is_named(session_id) else Removed()

    async def remove_user(self, user_id: str) -> Removed:
        return await self._removed(of_user(user_id, FIRST_CHUNK)) if is_named(user_id) else Removed()

    async def recover(self, abandoned: Filter) -> None:
        """Remove the chunks that are abandoned, which were never shown, and documents whose successor is shown."""
        await self.points.delete(abandoned)
        shown = await self.points.listed(EVERY_DOCUMENT, Fields(only=(REPLACES,)))
        if replaced := [id for row in shown for id in (row.payload or {}).get(REPLACES, ())]:
            await self.points.delete(any_document(replaced))

    async def _listed(self, first_chunks: Filter) -> list[DocumentEntry]:
        return to_documents(await self.points.listed(first_chunks, ABOUT))

    async def _removed(self, first_chunks: Filter) -> Removed:
        removed = await self._listed(first_chunks)
        if removed:
            await self.points.delete(any_document([one.id for one in removed]))
        return Removed(tuple(removed), sum(one.chunks for one in removed))


def any_document(ids: Sequence[str]) -> Filter:
    return all_of(one_of("document_id", ids))
