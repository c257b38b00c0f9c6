"""Documents of a thread: uploaded files that its questions are answered from."""

from datetime import datetime
from typing import Any

from pydantic import BaseModel, Field

from tools.documents.records import PRELOADED, DocumentEntry, DocumentOwner, DocumentScope, Removed
from tools.wording import Words
from wenmai.application.caller import Caller
from wenmai.application.models.paging import Page, Paging, Strict, page_of
from wenmai.errors import InputError
from wenmai.inputs import FieldError, NotFound
from wenmai.web.api.access import services_of, viewer
from wenmai.web.rest.connected import while_connected
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.uploads import read_upload

FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "PDF, DOCX, PPTX, XLSX, CSV, HTML, text …"},
        "thread_id": {"type": "string", "description": "The thread whose questions see it"},
        "preloaded": {"enum": ["true"], "description": "In place of a thread: everybody's questions see it"},
    },
}
NO_THREAD = Words("缺少会话：请给出 thread_id", "which conversation? Give thread_id")
ONE_OWNER = Words("thread_id 和 preloaded 请只给一个", "give thread_id or preloaded, not both")
resource = Resource("documents")


class DocumentView(BaseModel):
    """An uploaded document."""

    id: str
    filename: str
    mime_type: str
    is_preloaded: bool = Field(description="Everybody sees it; administrators change it")
    uploaded_at: datetime
    chunks: int


class Owned(Strict):
    """Whose documents are meant: a thread's, or the preloaded ones."""

    thread_id: str | None = Field(default=None, min_length=1)
    preloaded: bool = Field(default=False, description="In place of a thread: those that everybody sees")


class OwnedPaging(Owned, Paging):
    """A part of a list of documents."""


class Stored(BaseModel):
    """What an upload did."""

    document: DocumentView
    replaced: DocumentView | None = Field(description="The one of its name that it took the place of")
    message: str


class RemovalReceipt(BaseModel):
    """What a removal took."""

    documents: list[DocumentView]
    chunks: int


@resource.post("/documents", "Upload a document", status=201, form=FORM)
async def upload(call: Call[None, None]) -> Stored:
    """Store a file in a thread; one of the same name is replaced. Who leaves before the end stores nothing.

    With `preloaded` everybody's questions see it; that needs the right to administer.
    """
    service = (await services_of(call)).document_service
    sent = await read_upload(call.request, service.max_bytes)
    fields = sent.fields
    owner = owner_for(viewer(call), fields.get("thread_id", ""), is_preloaded=fields.get("preloaded") == "true")
    done = await while_connected(call.request, service.upload(sent.filename, sent.data, owner))
    replaced = None if done.replaced is None else view_of(done.replaced)
    return Stored(document=view_of(done.document), replaced=replaced, message=done.message)


@resource.get("/documents", "List documents")
async def listed(call: Call[OwnedPaging, None]) -> Page[DocumentView]:
    """List what a thread sees: preloaded documents first, then its own, the newest first."""
    owner = owner_of(call, changes=False)
    scope = DocumentScope() if owner.is_preloaded else DocumentScope(owner.user_id, owner.session_id)
    rows = await (await services_of(call)).document_service.documents(scope)
    return page_of([view_of(one) for one in rows], call.query)


@resource.delete("/documents/{document}", "Remove a document")
async def remove(call: Call[Owned, None]) -> RemovalReceipt:
    """Remove a document of a thread; a preloaded one needs the right to administer."""
    owner, id = owner_of(call), call.part("document")
    try:
        return receipt_of(await (await services_of(call)).document_service.remove(owner, [id]))
    except InputError as error:
        raise NotFound("document", str(error)) from error


@resource.delete("/documents", "Remove the documents of a thread")
async def remove_all(call: Call[Owned, None]) -> RemovalReceipt:
    """Remove every document of a thread, or every preloaded one, which needs the right to administer."""
    owner = owner_of(call)
    return receipt_of(await (await services_of(call)).document_service.remove_all(owner))


def owner_of(call: Call[Any, None], *, changes: bool = True) -> DocumentOwner:
    """Return whose documents a query means. Raises FieldError."""
    query: Owned = call.query
    return owner_for(viewer(call), query.thread_id or "", is_preloaded=query.preloaded, changes=changes)


def owner_for(who: Caller, thread: str, *, is_preloaded: bool, changes: bool = True) -> DocumentOwner:
    """Return the owner of documents; what everybody sees is changed by administrators. Raises FieldError."""
    if is_preloaded and thread.strip():
        raise FieldError("preloaded", ONE_OWNER)
    if not (is_preloaded or thread.strip()):
        raise FieldError("thread_id", NO_THREAD)
    if is_preloaded and changes:
        who.require_admin()
    return PRELOADED if is_preloaded else DocumentOwner(who.user_id, thread)


def receipt_of(removed: Removed) -> RemovalReceipt:
    """Return what is shown of a removal."""
    return RemovalReceipt(documents=[view_of(one) for one in removed.documents], chunks=removed.chunks)


def view_of(document: DocumentEntry) -> DocumentView:
    """Return what is shown of a document."""
    return DocumentView(
        id=document.id,
        filename=document.filename,
        mime_type=document.mime_type,
        is_preloaded=document.is_preloaded,
        uploaded_at=document.uploaded_at,
        chunks=document.chunks,
    )
