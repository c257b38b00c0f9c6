"""Documents of a thread: uploaded files that its questions are answered from."""

from datetime import datetime

from pydantic import BaseModel, Field

from tools.documents.records import DocumentEntry, DocumentOwner, DocumentScope, Removed
from tools.wording import Words
from wenmai.errors import InputError
from wenmai.inputs import FieldError
from wenmai.web.api.access import services_of, viewer
from wenmai.web.documents import while_connected
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.paging import Page, Paging, Strict, page_of
from wenmai.web.rest.problems import NotFound
from wenmai.web.uploads import read_upload

FORM = {
    "type": "object",
    "required": ["file", "thread_id"],
    "properties": {
        "file": {"type": "string", "format": "binary", "description": "PDF, DOCX, PPTX, XLSX, CSV, HTML, text …"},
        "thread_id": {"type": "string", "description": "The thread whose questions see it"},
    },
}
NO_THREAD = Words("缺少会话：请给出 thread_id", "which conversation? Give thread_id")
resource = Resource("documents")


class DocumentView(BaseModel):
    """An uploaded document."""

    id: str
    filename: str
    mime_type: str
    is_preloaded: bool = Field(description="Everybody sees it; it cannot be removed here")
    uploaded_at: datetime
    chunks: int


class OfThread(Strict):
    """The thread whose documents are meant."""

    thread_id: str = Field(min_length=1)


class ThreadPaging(OfThread, Paging):
    """A part of the documents of a thread."""


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
    """Store a file in a thread; one of the same name is replaced. Who leaves before the end stores nothing."""
    service = (await services_of(call)).document_service
    sent = await read_upload(call.request, service.max_bytes)
    thread = sent.fields.get("thread_id", "")
    if not thread.strip():
        raise FieldError("thread_id", NO_THREAD)
    owner = DocumentOwner(viewer(call).user_id, thread)
    done = await while_connected(call.request, service.upload(sent.filename, sent.data, owner))
    replaced = None if done.replaced is None else view_of(done.replaced)
    return Stored(document=view_of(done.document), replaced=replaced, message=done.message)


@resource.get("/documents", "List documents")
async def listed(call: Call[ThreadPaging, None]) -> Page[DocumentView]:
    """List what a thread sees: preloaded documents first, then its own, the newest first."""
    scope = DocumentScope(viewer(call).user_id, call.query.thread_id)
    rows = await (await services_of(call)).document_service.documents(scope)
    return page_of([view_of(one) for one in rows], call.query)


@resource.delete("/documents/{document}", "Remove a document")
async def remove(call: Call[OfThread, None]) -> RemovalReceipt:
    """Remove a document of a thread."""
    owner, id = DocumentOwner(viewer(call).user_id, call.query.thread_id), call.part("document")
    try:
        return receipt_of(await (await services_of(call)).document_service.remove(owner, [id]))
    except InputError as error:
        raise NotFound("document", str(error)) from error


@resource.delete("/documents", "Remove the documents of a thread")
async def remove_all(call: Call[OfThread, None]) -> RemovalReceipt:
    """Remove every document of a thread."""
    owner = DocumentOwner(viewer(call).user_id, call.query.thread_id)
    return receipt_of(await (await services_of(call)).document_service.remove_all(owner))


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
