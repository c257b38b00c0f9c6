"""Documents of a thread, of a collection, of everybody: uploaded files that questions are answered from."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import File, Form, Header, Path, Query, Request, Response, UploadFile
from pydantic import Field

from state.schema import Evidence
from wenmai.application.documents import DocumentPlace, DocumentView, MovedDocuments, RemovalReceipt, Stored
from wenmai.application.jobs import JobView, Report
from wenmai.application.paging import USUAL, Page, Strict
from wenmai.application.passages import FOUND
from wenmai.web.dependencies import Limit, Offset, Operations, resource, while_connected
from wenmai.web.forms import DOCUMENT_FORM

ThreadField = Annotated[str | None, Form(description="The thread whose questions see it")]
PreloadedField = Annotated[bool, Form(description="In place of a thread: everybody's questions see it")]
CollectionField = Annotated[bool, Form(description="In place of a thread: all threads of the user see it")]
FolderField = Annotated[str | None, Form(description="Of the collection; without one its top")]
ReplacesField = Annotated[
    str | None, Form(description="Name or id of the document that the file is a newer version of")
]
Thread = Annotated[str | None, Query(min_length=1)]
Collection = Annotated[bool, Query(description="In place of a thread: the user's collection")]
Folder = Annotated[str | None, Query(description="Only this folder of the collection; empty: its top")]
Preloaded = Annotated[bool, Query(description="In place of a thread: those that everybody sees")]
Document = Annotated[UploadFile, File(description="PDF, DOCX, PPTX, XLSX, CSV, HTML, text …")]

PICTURE = {"schema": {"type": "string", "format": "binary"}, "examples": {"page": {"summary": "A page as a JPEG"}}}
ASYNC = "respond-async"  # RFC 7240, section 4.1
UPLOAD_SECONDS = 20.0
router = resource("documents")


class DocumentMove(Strict):
    """Where documents are to be."""

    to: str = Field(description="The folder that they are moved to; empty: the top", examples=["Handbooks"])
    names: list[str] = Field(description="Names or ids; none of them: all")


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
    collection: CollectionField = False,
    folder: FolderField = None,
    replaces: ReplacesField = None,
    prefer: Annotated[str, Header(description="`respond-async`: the job at once")] = "",
) -> Stored | JobView:
    """Store a file in a thread; one of the same name is replaced. Who leaves before the answer stores nothing.

    What takes longer than 20 seconds is answered with its job, which is watched like that of an ingest. With
    `collection` all of the user's threads see the file, with `preloaded` everybody's questions; that needs the right
    to administer.
    """
    name, data = file.filename or "", await file.read()

    async def work(report: Report) -> dict[str, Any]:
        def progress(done: int, total: int) -> None:
            report({"done": done, "total": total, "unit": "chunks"})

        place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection, "folder": folder}
        place["replaces"] = replaces
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
    collection: Collection = False,
    folder: Folder = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[DocumentView]:
    """List what a thread sees, preloaded documents first, then the newest first; or what a collection has."""
    place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection, "folder": folder}
    return await app.documents.list(limit=limit, offset=offset, **place)


@router.get("/documents/search", summary="Search documents", response_model=Page[Evidence])
async def search(
    app: Operations,
    q: Annotated[str, Query(min_length=1, examples=["年假有几天？"])],
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    collection: Collection = False,
    folder: Folder = None,
    limit: Limit = FOUND,
) -> Page[Mapping[str, object]]:
    """Return the parts of a thread's documents that fit a question best; no question is asked."""
    place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection, "folder": folder}
    return await app.documents.search(q, limit=limit, **place)


@router.get("/documents/pieces/{piece}", summary="Read around a citation")
async def place(
    app: Operations, piece: str, thread_id: Thread = None, preloaded: Preloaded = False, collection: Collection = False
) -> DocumentPlace:
    """Return the piece that a citation names, with the text around it on its page, slide or sheet."""
    return await app.documents.place(piece, thread_id=thread_id, preloaded=preloaded, collection=collection)


@router.get(
    "/documents/{document}/pages/{page}",
    summary="Draw a page of a PDF",
    response_class=Response,
    responses={200: {"content": {"image/jpeg": PICTURE}}},
)
async def picture(
    app: Operations,
    document: str,
    page: Annotated[int, Path(ge=1, description="Counted from 1")],
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    collection: Collection = False,
) -> Response:
    """Return a page as a JPEG; 404 where the file is not kept, as of PDFs that were stored by an older version."""
    place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection}
    drawn = await app.documents.picture(document, page, **place)
    return Response(drawn, media_type="image/jpeg", headers={"cache-control": "private, max-age=3600"})


@router.post("/documents/moves", summary="Move documents into a folder")
async def move(
    app: Operations,
    body: DocumentMove,
    thread_id: Thread = None,
    collection: Collection = False,
    folder: Folder = None,
) -> MovedDocuments:
    """Move documents of a thread or of a folder into a folder of the collection, all of them or none."""
    return await app.documents.move(*body.names, to=body.to, thread_id=thread_id, collection=collection, folder=folder)


@router.delete("/documents/{document:path}", summary="Remove a document")
async def remove(
    app: Operations,
    document: str,
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    collection: Collection = False,
    folder: Folder = None,
) -> RemovalReceipt:
    """Remove a document of a thread or of the collection; a preloaded one needs the right to administer."""
    place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection, "folder": folder}
    return await app.documents.remove(document, **place)


@router.delete("/documents", summary="Remove the documents of a thread")
async def remove_all(
    app: Operations,
    thread_id: Thread = None,
    preloaded: Preloaded = False,
    collection: Collection = False,
    folder: Folder = None,
) -> RemovalReceipt:
    """Remove every document of a thread, of the collection or a folder of it; preloaded ones need an admin."""
    place: Any = {"thread_id": thread_id, "preloaded": preloaded, "collection": collection, "folder": folder}
    return await app.documents.remove_all(**place)
