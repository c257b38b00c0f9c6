"""Chunks of documents as every vector engine stores them: who sees them, and which an owner may change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from tools.documents.records import (
    PRELOADED,
    Chunk,
    DocumentEntry,
    DocumentOwner,
    DocumentScope,
    Location,
    RankedChunk,
    listed_order,
    place_of,
)
from tools.documents.scores import searched_text
from wenmai.stores.records.conditions import Condition, Equals, Filter, all_of, any_of
from wenmai.stores.records.points import NewPoint, ScoredPoint, StoredPoint, VectorPoint, dense_vector

SHARED = "preloaded"
SESSION = "session"
PENDING = "pending"  # a document that is not all written yet
FIRST = 0  # the chunk that represents its document in lists
WINDOWS = "windows"  # vectors of a chunk's parts; only the ranking of candidates reads them
REPLACES = "replaces"  # ids of the documents that one takes the place of
FIRST_CHUNK = Equals("chunk_index", FIRST)
UNSEEN = Equals("visibility", PENDING)
EVERY_DOCUMENT = Filter(must=(FIRST_CHUNK,), must_not=(UNSEEN,))


def visible(scope: DocumentScope, *more: Condition) -> Filter:
    """Return the condition that every read holds: preloaded, or of this user and this session."""
    preloaded = Equals("visibility", SHARED)
    if not scope.owns:
        return all_of(preloaded, *more)
    own = all_of(Equals("visibility", SESSION), *_of(scope.user_id, scope.session_id))
    return all_of(any_of(preloaded, own), *more)


def listed(scope: DocumentScope, *, include_preloaded: bool) -> Filter:
    """Return the condition on the first chunks of the visible documents."""
    hidden = () if include_preloaded else (Equals("visibility", SHARED),)
    return Filter(must=(visible(scope, FIRST_CHUNK),), must_not=hidden)


def owned(owner: DocumentOwner, *more: Condition) -> Filter:
    """Return the condition that a visible chunk is the owner's."""
    user = [] if owner.is_preloaded else _of(owner.user_id, owner.session_id)
    return all_of(Equals("visibility", visibility_of(owner)), *user, *more)


def in_session(session_id: str, *more: Condition) -> Filter:
    """Return the condition that a visible chunk is of a session, of any user."""
    return all_of(Equals("visibility", SESSION), Equals("session_id", session_id), *more)


def of_document(document_id: str) -> Equals:
    """Return the condition that a chunk is of a document."""
    return Equals("document_id", document_id)


def _of(user_id: str | None, session_id: str | None) -> list[Condition]:
    return [Equals("user_id", user_id or ""), Equals("session_id", session_id or "")]


# The engine compares a truth value as a number and finds none: who sees a chunk is a word beside `is_preloaded`.
NOTHING: Mapping[str, Any] = {}
DOCUMENT_FIELDS = [
    "document_id",
    "filename",
    "mime_type",
    "is_preloaded",
    "session_id",
    "user_id",
    "uploaded_at",
    "chunks",
]


def visibility_of(owner: DocumentOwner) -> str:
    """Return who sees the documents of an owner."""
    return SHARED if owner.is_preloaded else SESSION


def to_payload(chunk: Chunk, visibility: str) -> dict[str, Any]:
    """Return a chunk as the engine stores it."""
    document = chunk.document
    return {
        "document_id": document.id,
        "filename": document.filename,
        "mime_type": document.mime_type,
        "is_preloaded": document.is_preloaded,
        "session_id": document.owner.session_id,
        "user_id": document.owner.user_id,
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
    """Return a chunk as a point to write."""
    return NewPoint(chunk.chunk_id, vector, searched_text(chunk), to_payload(chunk, visibility))


def unseen_point(chunk: Chunk, vector: Sequence[float], more: Mapping[str, Any] = NOTHING) -> NewPoint:
    """Return a chunk that no reader sees yet as a point to write, with `more` in its payload."""
    point = new_point(chunk, vector, PENDING)
    return replace(point, payload={**point.payload, **more})


def to_document(payload: Mapping[str, Any]) -> DocumentEntry:
    """Return the document of a stored chunk."""
    owner = PRELOADED if payload["is_preloaded"] else DocumentOwner(payload["user_id"], payload["session_id"])
    return DocumentEntry(
        id=payload["document_id"],
        filename=payload["filename"],
        mime_type=payload["mime_type"],
        uploaded_at=datetime.fromisoformat(payload["uploaded_at"]),
        owner=owner,
        chunks=payload["chunks"],
    )


def to_chunk(record: StoredPoint) -> Chunk:
    """Return a stored point as a chunk."""
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
    """Return the stored chunks of one document by chunk_index, and their dense vectors."""
    pairs = sorted(((to_chunk(row), dense_vector(row)) for row in records), key=lambda pair: pair[0].chunk_index)
    return [chunk for chunk, _ in pairs], [vector for _, vector in pairs]


def replaced_ids(records: Iterable[StoredPoint]) -> list[str]:
    """Return the documents that stored first chunks, read with REPLACES, take the place of."""
    return [id for row in records for id in (row.payload or {}).get(REPLACES, ())]


def by_ids(rows: Iterable[RankedChunk], chunk_ids: Sequence[str]) -> list[RankedChunk]:
    """Return the chunks in the order of `chunk_ids`; those that were not found are left out."""
    found = {row.chunk.chunk_id: row for row in rows}
    return [found[id] for id in chunk_ids if id in found]


def ranked(rows: Iterable[ScoredPoint], limit: int) -> list[RankedChunk]:
    """Return the best chunks, equal ones by their place."""
    known = [RankedChunk(to_chunk(row), row.score) for row in rows]
    return sorted(known, key=lambda row: (-row.score, *place_of(row.chunk)))[:limit]
