"""What Qdrant Edge is asked about documents: indexes, typed filters, and chunks as payloads (DOC-02)."""

from datetime import datetime
from typing import Any

import qdrant_edge as edge

from tools.documents import PRELOADED, Chunk, DocumentEntry, DocumentOwner, DocumentScope, Location

# The engine compares a truth value as a number and finds none: who sees a chunk is a word beside `is_preloaded`.
EVERYBODY = "preloaded"
SESSION = "session"
NOBODY = "pending"  # a document whose chunks are not all written yet
KEYWORD_FIELDS = ("visibility", "session_id", "document_id", "filename", "mime_type")
FIRST = 0  # the chunk that stands for its document in lists


def document_indexes() -> dict[str, edge.UpdateOperation]:
    """Return by field the operations that make the payload indexes; user_id is the tenant."""
    kinds: dict[str, Any] = {
        "user_id": edge.KeywordIndexParams(is_tenant=True, enable_hnsw=False),
        **dict.fromkeys(KEYWORD_FIELDS, edge.KeywordIndexParams(enable_hnsw=False)),
        "chunk_index": edge.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False),
    }
    return {name: edge.UpdateOperation.create_field_index(name, kind) for name, kind in kinds.items()}


def visible(scope: DocumentScope, *more: "edge.ConditionType") -> edge.Filter:
    """Return the condition that stands in every read (S004-13): preloaded, or of this user and this session."""
    preloaded = equals("visibility", EVERYBODY)
    if not scope.owns:
        return edge.Filter(must=[preloaded, *more])
    own = edge.Filter(must=[equals("visibility", SESSION), *_owned(scope.user_id, scope.session_id)])
    return edge.Filter(must=[edge.Filter(should=[preloaded, own]), *more])


def owned(owner: DocumentOwner, *more: "edge.ConditionType") -> edge.Filter:
    """Return the condition that a visible chunk is the owner's."""
    who = [] if owner.is_preloaded else _owned(owner.user_id, owner.session_id)
    return edge.Filter(must=[equals("visibility", visibility_of(owner)), *who, *more])


def _owned(user_id: str | None, session_id: str | None) -> "list[edge.ConditionType]":
    return [equals("user_id", user_id or ""), equals("session_id", session_id or "")]


def visibility_of(owner: DocumentOwner) -> str:
    """Return who sees the documents of an owner."""
    return EVERYBODY if owner.is_preloaded else SESSION


def of_document(document_id: str) -> edge.FieldCondition:
    """Return the condition that a chunk is of a document."""
    return equals("document_id", document_id)


def between(first: int, last: int) -> edge.FieldCondition:
    """Return the condition on chunk_index, both ends included."""
    return edge.FieldCondition("chunk_index", range=edge.RangeFloat(gte=first, lte=last))


def equals(field: str, value: str | int) -> edge.FieldCondition:
    """Return the condition that a field has this value as a whole."""
    return edge.FieldCondition(field, match=edge.MatchValue(value))


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
    }


def to_document(payload: dict[str, Any]) -> DocumentEntry:
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


def to_chunk(record: edge.Record | edge.ScoredPoint) -> Chunk:
    """Return a stored point as a chunk."""
    payload = dict(record.payload or {})
    return Chunk(
        document=to_document(payload),
        chunk_index=payload["chunk_index"],
        content=payload["content"],
        start=payload["start"],
        end=payload["end"],
        location=Location.from_plain(payload["location"]),
    )
