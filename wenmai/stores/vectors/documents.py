"""Uploaded documents: one collection, the scope of the run inside every query."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Protocol

from tools.documents.records import (
    PRELOADED,
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Location,
    Matches,
    RankedChunk,
    Removed,
    listed_order,
    place_of,
)
from tools.documents.scores import matches, searched_text
from wenmai.stores.vectors.conditions import Condition, Equals, Filter, all_of, any_of, has_id, one_of
from wenmai.stores.vectors.points import (
    Collection,
    Fields,
    NewPoint,
    Points,
    ScoredPoint,
    StoredPoint,
    VectorPoint,
    dense_vector,
    point_ids,
)

SHARED = "preloaded"
SESSION = "session"
COLLECTION = "collection"
PLACE = "session_id"  # of a user's document: the session, or the folder of the collection
FOLDER = "folder"  # that folder once more: none but a document of the collection has one
PENDING = "pending"  # a document that is not all written yet
FIRST = 0  # the chunk that represents its document in lists
WINDOWS = "windows"  # vectors of a chunk's parts; only the ranking of candidates reads them
REPLACES = "replaces"  # ids of the documents that one takes the place of
FIRST_CHUNK = Equals("chunk_index", FIRST)
UNSEEN = Equals("visibility", PENDING)
EVERY_DOCUMENT = Filter(must=(FIRST_CHUNK,), must_not=(UNSEEN,))


def visible(scope: DocumentScope, *more: Condition) -> Filter:
    """Return the condition that every read holds: preloaded, of this user's collection, or of his session."""
    seen: list[Condition] = [Equals("visibility", SHARED)]
    if scope.owns:
        seen.append(all_of(Equals("visibility", SESSION), *_of(scope.user_id, scope.session_id)))
    if scope.collects:
        folders = [] if scope.folders is None else [one_of(PLACE, scope.folders)]
        seen.append(all_of(Equals("visibility", COLLECTION), Equals("user_id", scope.user_id or ""), *folders))
    return all_of(any_of(*seen) if len(seen) > 1 else seen[0], *more)


def listed(scope: DocumentScope, *, include_preloaded: bool) -> Filter:
    hidden = () if include_preloaded else (Equals("visibility", SHARED),)
    return Filter(must=(visible(scope, FIRST_CHUNK),), must_not=hidden)


def owned(owner: DocumentOwner, *more: Condition) -> Filter:
    user = [] if owner.is_preloaded else _of(owner.user_id, place_in(owner))
    return all_of(Equals("visibility", visibility_of(owner)), *user, *more)


def held(documents: Iterable[DocumentEntry]) -> Filter:
    """Return the condition of documents that are still their owners'."""
    ids = defaultdict[DocumentOwner, list[str]](list)
    for one in documents:
        ids[one.owner].append(one.id)
    return all_of(any_of(*(owned(owner, one_of("document_id", own)) for owner, own in ids.items())))


def in_session(session_id: str, *more: Condition) -> Filter:
    return all_of(Equals("visibility", SESSION), Equals("session_id", session_id), *more)


def of_user(user_id: str, *more: Condition) -> Filter:
    own = any_of(Equals("visibility", SESSION), Equals("visibility", COLLECTION))
    return all_of(own, Equals("user_id", user_id), *more)


def succeeded(document: DocumentEntry, replaces: Sequence[str], *more: Condition) -> Filter:
    """Return what a document takes the place of: one of its owner and name, and those of its owner that it names."""
    same_name = Equals("filename", document.filename)
    return owned(document.owner, any_of(same_name, one_of("document_id", replaces)) if replaces else same_name, *more)


def of_document(document_id: str) -> Equals:
    return Equals("document_id", document_id)


def _of(user_id: str | None, place: str | None) -> list[Condition]:
    return [Equals("user_id", user_id or ""), Equals(PLACE, place or "")]


def place_in(owner: DocumentOwner) -> str | None:
    return owner.session_id if owner.folder is None else owner.folder


# The engine compares a truth value as a number and finds none: who sees a chunk is a word beside `is_preloaded`.
NOTHING: Mapping[str, Any] = {}


def visibility_of(owner: DocumentOwner) -> str:
    return SHARED if owner.is_preloaded else SESSION if owner.folder is None else COLLECTION


def fields_of_owner(owner: DocumentOwner) -> dict[str, Any]:
    """Return the fields of a payload that say whose a document is."""
    return {"user_id": owner.user_id, PLACE: place_in(owner), FOLDER: owner.folder}


def moved_to(owner: DocumentOwner) -> dict[str, Any]:
    """Return the fields of a payload that change with the owner of a document that is shown."""
    return {"visibility": visibility_of(owner), **fields_of_owner(owner)}


def to_payload(chunk: Chunk, visibility: str) -> dict[str, Any]:
    document = chunk.document
    return {
        "document_id": document.id,
        "filename": document.filename,
        "mime_type": document.mime_type,
        "is_preloaded": document.is_preloaded,
        **fields_of_owner(document.owner),
        "uploaded_at": document.uploaded_at.isoformat(),
        "chunks": document.chunks,
        "chunk_id": chunk.chunk_id,
        "chunk_index": chunk.chunk_index,
        "content": chunk.content,
        "start": chunk.start,
        "end": chunk.end,
        "location": chunk.location.to_plain(),
        "visibility": visibility,
        WINDOWS: chunk.windows,
    }


def new_point(chunk: Chunk, vector: Sequence[float], visibility: str) -> NewPoint:
    return NewPoint(chunk.chunk_id, vector, searched_text(chunk), to_payload(chunk, visibility))


def unseen_point(chunk: Chunk, vector: Sequence[float], more: Mapping[str, Any] = NOTHING) -> NewPoint:
    """Return a chunk that no reader sees yet as a point to write, with `more` in its payload."""
    point = new_point(chunk, vector, PENDING)
    return replace(point, payload={**point.payload, **more})


def to_document(payload: Mapping[str, Any]) -> DocumentEntry:
    folder = payload.get(FOLDER)
    owner = DocumentOwner(payload["user_id"], None if folder is not None else payload[PLACE], folder)
    return DocumentEntry(
        id=payload["document_id"],
        filename=payload["filename"],
        mime_type=payload["mime_type"],
        uploaded_at=datetime.fromisoformat(payload["uploaded_at"]),
        owner=PRELOADED if payload["is_preloaded"] else owner,
        chunks=payload["chunks"],
    )


def to_chunk(record: StoredPoint) -> Chunk:
    payload = dict(record.payload or {})
    return Chunk(
        document=to_document(payload),
        chunk_index=payload["chunk_index"],
        content=payload["content"],
        start=payload["start"],
        end=payload["end"],
        location=Location.from_plain(payload["location"]),
        windows=payload.get(WINDOWS, ""),
    )


def to_documents(records: Iterable[StoredPoint]) -> list[DocumentEntry]:
    """Return the documents of stored first chunks, in the order of a list."""
    return sorted((to_document(record.payload or {}) for record in records), key=listed_order)


def with_vectors(records: Iterable[VectorPoint]) -> tuple[list[Chunk], list[list[float]]]:
    pairs = sorted(((to_chunk(row), dense_vector(row)) for row in records), key=lambda pair: pair[0].chunk_index)
    return [chunk for chunk, _ in pairs], [vector for _, vector in pairs]


def by_ids(rows: Iterable[RankedChunk], chunk_ids: Sequence[str]) -> list[RankedChunk]:
    """Return the chunks in the order of `chunk_ids`; those that were not found are left out."""
    found = {row.chunk.chunk_id: row for row in rows}
    return [found[id] for id in chunk_ids if id in found]


def ranked(rows: Iterable[ScoredPoint], limit: int) -> list[RankedChunk]:
    known = [RankedChunk(to_chunk(row), row.score) for row in rows]
    return sorted(known, key=lambda row: (-row.score, *place_of(row.chunk)))[:limit]


ABOUT = Fields(without=("content", WINDOWS))
TEXTS = Fields(without=(WINDOWS,))


class DocumentWrites(Protocol):
    """How an engine writes documents: each is there whole or not at all, also after a crash."""

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        """Write one document and return the one that it replaced."""
        ...

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        """Give documents to another owner, all by one change; what is gone meanwhile stays so."""
        ...

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        """Remove a document of an owner, or all of them."""
        ...

    async def remove_session(self, session_id: str) -> Removed:
        """Remove the documents of a session, of any user; a blank id is no session."""
        ...

    async def remove_user(self, user_id: str) -> Removed:
        """Remove the documents of a user, in whichever session; a blank id is nobody."""
        ...

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first list."""
        ...


class VectorDocumentStore:
    """The DocumentStore port over a vector engine."""

    def __init__(self, points: Points, collection: Collection, writes: DocumentWrites) -> None:
        self.collection = collection
        self._points = points
        self._writes = writes

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        if not chunks:
            raise ValueError("a document without chunks")
        return await self._writes.put(chunks, vectors, replaces)

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        await self._writes.move(documents, owner)

    async def documents(self, scope: DocumentScope, *, include_preloaded: bool = True) -> list[DocumentEntry]:
        return await self._entries(listed(scope, include_preloaded=include_preloaded))

    async def dense(self, scope: DocumentScope, vector: Sequence[float], limit: int) -> list[RankedChunk]:
        await self.collection.require_embedder(len(vector))
        return ranked(await self._points.nearest(vector, visible(scope), limit, TEXTS), limit)

    async def sparse(self, scope: DocumentScope, text: str, limit: int) -> list[RankedChunk]:
        """Return the chunks that share most with the words of `text` by BM25, best first, then as in `dense`.

        A word weighs by how rare it is in the scope.
        """
        return ranked(await self._points.wording(text, visible(scope), limit, visible(scope), TEXTS), limit)

    async def fetch(
        self, scope: DocumentScope, chunk_ids: Sequence[str], vector: Sequence[float] | None = None
    ) -> list[RankedChunk]:
        """Return these chunks in the order of `chunk_ids`, scored by cosine against `vector` (without one: 0.0).

        They are asked for by their ids and the scope: an id alone is never enough.
        """
        ids = point_ids(chunk_ids)
        only = visible(scope, has_id(ids))
        if not ids:
            return []
        if vector is None:
            return by_ids((RankedChunk(to_chunk(row), 0.0) for row in await self._points.listed(only)), chunk_ids)
        return by_ids(ranked(await self._points.compared(vector, only, len(ids)), len(ids)), chunk_ids)

    async def chunks(self, scope: DocumentScope, document_id: str) -> list[Chunk]:
        """Return a visible document's chunks in order, [] for any other."""
        rows = await self._points.listed(visible(scope, of_document(document_id)), TEXTS)
        return sorted(map(to_chunk, rows), key=lambda chunk: chunk.chunk_index)

    async def matching(self, scope: DocumentScope, terms: Sequence[str], limit: int) -> Matches:
        rows = await self._points.listed(visible(scope), TEXTS)
        return await asyncio.to_thread(matches, map(to_chunk, rows), terms, limit)  # long, where a scope is large

    async def remove(self, owner: DocumentOwner, document_id: str) -> Removed:
        return await self._writes.remove(owner, document_id)

    async def remove_all(self, owner: DocumentOwner) -> Removed:
        return await self._writes.remove(owner)

    async def remove_session(self, session_id: str) -> Removed:
        """Remove every document of a session that has ended, of any user; a blank id is no session."""
        return await self._writes.remove_session(session_id)

    async def remove_user(self, user_id: str) -> Removed:
        return await self._writes.remove_user(user_id)

    async def of_user(self, user_id: str) -> list[DocumentEntry]:
        return await self._entries(of_user(user_id, FIRST_CHUNK))

    async def ids(self) -> list[str]:
        """Return the ids of the documents of all owners: for what is kept beside them, never for an answer."""
        return [entry.id for entry in await self._entries(EVERY_DOCUMENT)]

    async def everything(self) -> AsyncIterator[tuple[list[Chunk], list[list[float]]]]:
        """Yield the documents of all owners, chunks and vectors: for moving them, never for an answer."""
        for entry in await self._entries(EVERY_DOCUMENT):
            yield with_vectors(await self._points.listed(all_of(of_document(entry.id)), vectors=True))

    async def close(self) -> None:
        await self.collection.close()

    async def _entries(self, first_chunks: Filter) -> list[DocumentEntry]:
        await self._writes.recovered()
        return to_documents(await self._points.listed(first_chunks, ABOUT))
