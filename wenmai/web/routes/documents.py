"""Documents of a thread: uploaded files that its questions are answered from."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import File, Form, Header, Query, Request, Response, UploadFile

from state.schema import Evidence
from wenmai.application.documents import DocumentView, RemovalReceipt, Stored
from wenmai.application.jobs import JobView, Report
from wenmai.application.paging import USUAL, Page
from wenmai.application.passages import FOUND
from wenmai.web.dependencies import Limit, Offset, Operations, resource, while_connected
from wenmai.web.forms import DOCUMENT_FORM

ThreadField = Annotated[str | None, Form(description="The thread whose questions see it")]
PreloadedField = Annotated[bool, Form(description="In place of a thread: everybody's questions see it")]
Thread = Annotated[str | None, Query(min_length=1)]
Preloaded = Annotated[bool, Query(description="In place of a thread: those that everybody sees")]
Document = Annotated[UploadFile, File(description="PDF, DOCX, PPTX, XLSX, CSV, HTML, text …")]

ASYNC = "respond-async"  # RFC 7240, section 4.1
UPLOAD_SECONDS = 20.0
router = resource("documents")


@router.post(
    "/documents",
    summary="Upload a document",
    status_code=201,
    dependencies=[DOCUMENT_FORM],
    responses={202: {"model": JobView, "description": "A job that goes on: its `result` is what a 201 has"}},
)
async def upload(
    request: Request,
    app: Operations,
    response: Response,
    file: Document,
    thread_id: ThreadField = None,
    preloaded: PreloadedField = False,
    prefer: Annotated[str, Header(description="`respond-async`: the job at once")] = "",
) -> Stored | JobView:
    """Store a file in a thread; one of the same name is replaced. Who leaves before the answer stores nothing.

    What takes longer than 20 seconds is answered with its job, which is watched like that of an ingest. With
    `preloaded` everybody's questions see the file; that needs the right to administer.
    """
    name, data = file.filename or "", await file.read()

    async def work(report: Report) -> dict[str, Any]:
        def progress(done: int, total: int) -> None:
            report({"done": done, "total": total, "unit": "chunks"})

        place: Any = {"thread_id": thread_id, "preloaded": preloaded}
        stored = await app.documents.upload(name, content=data, progress=progress, **place)
        return stored.model_dump(mode="json")

    job = app.jobs.begin_upload(name, work)
    try:
        ended = await while_connected(request, app.jobs.ended(job.id, 0 if ASYNC in prefer else UPLOAD_SECONDS))
    except BaseException:
        await app.jobs.cancel(job.id)
        raise
    if ended.state == "done":
        return Stored.model_validate(ended.result)
    response.status_code = 202
    return ended


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


@router.get("/documents/search", summary="Search documents", response_model=Page[Evidence])
async def search(
    app: Operations,
    q: Annotated[str, Query(min_length=1, examples=["年假有几天？"])],
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    limit: Limit = FOUND,
) -> Page[Mapping[str, object]]:
    """Return the parts of a thread's documents that fit a question best; no question is asked."""
    return await app.documents.search(q, thread_id=thread_id, preloaded=preloaded, limit=limit)


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
