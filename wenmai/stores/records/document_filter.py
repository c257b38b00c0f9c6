"""Which chunks of documents a reader sees, and which an owner may change."""

from tools.documents.records import DocumentOwner, DocumentScope
from wenmai.stores.records.conditions import Condition, Equals, Filter, all_of, any_of
from wenmai.stores.records.document_payload import FIRST, PENDING, SESSION, SHARED, visibility_of

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
