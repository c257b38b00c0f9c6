"""What a Qdrant server is asked about documents: indexes and typed filters."""

from qdrant_client import models

from tools.documents.records import DocumentOwner, DocumentScope
from wenmai.stores.edge.document_query import KEYWORD_FIELDS
from wenmai.stores.qdrant.collection import INTEGER, KEYWORD, TENANT, Index, Plan
from wenmai.stores.qdrant.points import Condition, equals, within
from wenmai.stores.records.document_payload import EVERYBODY, SESSION, visibility_of


def document_plan() -> Plan:
    """Return what the collection of documents is made of: user_id is the tenant."""
    indexes: dict[str, Index] = {
        "user_id": TENANT,
        **dict.fromkeys(KEYWORD_FIELDS, KEYWORD),
        "chunk_index": INTEGER,
    }
    return Plan(indexes, "文档", "或在服务器上删除集合 documents 后重新上传")


def visible(scope: DocumentScope, *more: Condition) -> models.Filter:
    """Return the condition that stands in every read (S004-13): preloaded, or of this user and this session."""
    preloaded = equals("visibility", EVERYBODY)
    if not scope.owns:
        return models.Filter(must=[preloaded, *more])
    own = models.Filter(must=[equals("visibility", SESSION), *_of(scope.user_id, scope.session_id)])
    return models.Filter(must=[models.Filter(should=[preloaded, own]), *more])


def owned(owner: DocumentOwner, *more: Condition) -> models.Filter:
    """Return the condition that a visible chunk is the owner's."""
    who = [] if owner.is_preloaded else _of(owner.user_id, owner.session_id)
    return models.Filter(must=[equals("visibility", visibility_of(owner)), *who, *more])


def in_session(session_id: str, *more: Condition) -> models.Filter:
    """Return the condition that a visible chunk is of a session, whoever's."""
    return models.Filter(must=[equals("visibility", SESSION), equals("session_id", session_id), *more])


def of_document(document_id: str) -> models.FieldCondition:
    """Return the condition that a chunk is of a document."""
    return equals("document_id", document_id)


def between(first: int, last: int) -> models.FieldCondition:
    """Return the condition on chunk_index, both ends included."""
    return within("chunk_index", gte=first, lte=last)


def _of(user_id: str | None, session_id: str | None) -> list[Condition]:
    return [equals("user_id", user_id or ""), equals("session_id", session_id or "")]
