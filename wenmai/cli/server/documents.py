"""What commands ask a running server about documents; results are what the stores would give."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tools.wording import Names, Words
from wenmai.cli.server.running import Running
from wenmai.errors import InputError

if TYPE_CHECKING:
    from tools.documents.records import DocumentEntry, DocumentOwner, Removed

NOT_IN_SESSION = Words("会话 {session} 中没有：{names}", "conversation {session} has no {names}")
NOT_PRELOADED = Words("预置文档中没有：{names}", "there are no preloaded documents {names}")
UPLOAD_BYTES = 1 << 30  # the server has its own limit


def upload(server: Running, file: Path, owner: "DocumentOwner") -> Any:
    """Store a file for an owner."""
    from wenmai.documents.rows import file_bytes

    form = {"files": {"file": (file.name, file_bytes(file, UPLOAD_BYTES))}, "data": named(server, owner)}
    return server.ask("POST", "/documents", **form)


def remove(server: Running, names: list[str] | None, owner: "DocumentOwner") -> "Removed":
    """Remove documents of an owner by name or id, or all of them. Raises InputError where one is not there."""
    from tools.documents.records import Removed

    own = [one for one in documents(server, owner) if one.is_preloaded == owner.is_preloaded]
    wanted = own if names is None else [one for one in own if one.id in names or one.filename in names]
    if missing := [name for name in names or () if not any(name in (one.id, one.filename) for one in wanted)]:
        words = NOT_PRELOADED if owner.is_preloaded else NOT_IN_SESSION
        raise InputError(words.of(session=owner.session_id, names=Names(missing)))
    receipts = [server.ask("DELETE", f"/documents/{one.id}", params=named(server, owner)) for one in wanted]
    return Removed(tuple(wanted), sum(one["chunks"] for one in receipts))


def documents(server: Running, owner: "DocumentOwner") -> "list[DocumentEntry]":
    """Return the documents that an owner sees."""
    return [document_from(one, owner) for one in server.rows("/documents", **named(server, owner))]


def named(server: Running, owner: "DocumentOwner") -> dict[str, Any]:
    """Return the fields that name an owner. Raises InputError for a user that the server does not know."""
    if owner.is_preloaded:
        return {"preloaded": "true"}
    server.require(owner.user_id)
    return {"thread_id": owner.session_id}


def document_from(row: dict[str, Any], owner: "DocumentOwner") -> "DocumentEntry":
    """Return a document of the API as the stores give it."""
    from datetime import datetime

    from tools.documents.records import PRELOADED, DocumentEntry

    return DocumentEntry(
        id=row["id"],
        filename=row["filename"],
        mime_type=row["mime_type"],
        uploaded_at=datetime.fromisoformat(row["uploaded_at"]),
        owner=PRELOADED if row["is_preloaded"] else owner,
        chunks=row["chunks"],
    )
