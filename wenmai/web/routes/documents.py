"""Documents of a thread: uploaded files that its questions are answered from."""

from typing import Annotated

from fastapi import File, Form, Query, Request, UploadFile

from wenmai.application.documents import DocumentView, RemovalReceipt, Stored
from wenmai.application.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, resource, while_connected
from wenmai.web.forms import DOCUMENT_FORM

ThreadField = Annotated[str | None, Form(description="The thread whose questions see it")]
PreloadedField = Annotated[bool, Form(description="In place of a thread: everybody's questions see it")]
Thread = Annotated[str | None, Query(min_length=1)]
Preloaded = Annotated[bool, Query(description="In place of a thread: those that everybody sees")]
Document = Annotated[UploadFile, File(description="PDF, DOCX, PPTX, XLSX, CSV, HTML, text …")]

router = resource("documents")


@router.post("/documents", summary="Upload a document", status_code=201, dependencies=[DOCUMENT_FORM])
async def upload(
    request: Request,
    app: Operations,
    file: Document,
    thread_id: ThreadField = None,
    preloaded: PreloadedField = False,
) -> Stored:
    """Store a file in a thread; one of the same name is replaced. Who leaves before the end stores nothing.

    With `preloaded` everybody's questions see it; that needs the right to administer.
    """
    data = await file.read()
    upload = app.documents.upload(file.filename or "", content=data, thread_id=thread_id, preloaded=preloaded)
    return await while_connected(request, upload)


@router.get("/documents", summary="List documents")
async def listed(
    app: Operations,
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[DocumentView]:
    """List what a thread sees: preloaded documents first, then its own, the newest first."""
    return await app.documents.list(thread_id=thread_id, preloaded=preloaded, limit=limit, offset=offset)


@router.delete("/documents/{document}", summary="Remove a document")
async def remove(
    app: Operations, document: str, thread_id: Thread = None, preloaded: Preloaded = False
) -> RemovalReceipt:
    """Remove a document of a thread; a preloaded one needs the right to administer."""
    return await app.documents.remove(document, thread_id=thread_id, preloaded=preloaded)


@router.delete("/documents", summary="Remove the documents of a thread")
async def remove_all(app: Operations, thread_id: Thread = None, preloaded: Preloaded = False) -> RemovalReceipt:
    """Remove every document of a thread, or every preloaded one, which needs the right to administer."""
    return await app.documents.remove_all(thread_id=thread_id, preloaded=preloaded)
