"""Chunks of documents as both Qdrant engines store them (DOC-02), and as they come back."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from tools.documents.records import PRELOADED, Chunk, DocumentEntry, DocumentOwner, Location, RankedChunk, place_of
from wenmai.stores.records.passage_payload import ScoredPoint, StoredPoint

# The engine compares a truth value as a number and finds none: who sees a chunk is a word beside `is_preloaded`.
EVERYBODY = "preloaded"
SESSION = "session"
NOBODY = "pending"  # a document whose chunks are not all written yet
FIRST = 0  # the chunk that stands for its document in lists
WINDOWS = "windows"  # vectors of a chunk's parts; only what orders the candidates of a search reads them
REPLACES = "replaces"  # ids of the documents that one takes the place of
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
TEXT_FIELDS = [*DOCUMENT_FIELDS, "chunk_index", "content", "start", "end", "location"]


def visibility_of(owner: DocumentOwner) -> str:
    """Return who sees the documents of an owner."""
    return EVERYBODY if owner.is_preloaded else SESSION


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


def joined(chunks: Sequence[Chunk]) -> str | None:
    """Return the text that overlapping chunks of one document, in order, make up; None of none."""
    parts, end = [], 0
    for chunk in chunks:
        parts.append(chunk.content[end - chunk.start :])
        end = chunk.end
    return "".join(parts) if chunks else None


def ranked(rows: Iterable[ScoredPoint], limit: int) -> list[RankedChunk]:
    """Return the best chunks, equal ones by their place."""
    known = [RankedChunk(to_chunk(row), row.score) for row in rows]
    return sorted(known, key=lambda row: (-row.score, *place_of(row.chunk)))[:limit]
