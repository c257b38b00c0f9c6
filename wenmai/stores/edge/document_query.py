"""What Qdrant Edge is asked about documents: indexes and typed filters."""

from typing import Any

import qdrant_edge as edge

from tools.documents.records import DocumentOwner, DocumentScope
from wenmai.stores.records.document_payload import EVERYBODY, SESSION, visibility_of

KEYWORD_FIELDS = ("visibility", "session_id", "document_id", "filename", "mime_type")


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


def in_session(session_id: str, *more: "edge.ConditionType") -> edge.Filter:
    """Return the condition that a visible chunk is of a session, whoever's."""
    return edge.Filter(must=[equals("visibility", SESSION), equals("session_id", session_id), *more])


def _owned(user_id: str | None, session_id: str | None) -> "list[edge.ConditionType]":
    return [equals("user_id", user_id or ""), equals("session_id", session_id or "")]


def of_document(document_id: str) -> edge.FieldCondition:
    """Return the condition that a chunk is of a document."""
    return equals("document_id", document_id)


def between(first: int, last: int) -> edge.FieldCondition:
    """Return the condition on chunk_index, both ends included."""
    return edge.FieldCondition("chunk_index", range=edge.RangeFloat(gte=first, lte=last))


def equals(field: str, value: str | int) -> edge.FieldCondition:
    """Return the condition that a field has this value as a whole."""
    return edge.FieldCondition(field, match=edge.MatchValue(value))
