"""Documents of a thread: uploaded files that its questions are answered from."""

from typing import Annotated, Any

from fastapi import APIRouter, File, Form, Query, Request, Response, UploadFile
from fastapi.exceptions import RequestValidationError

from tools.errors import IngestError, InputError, ModelError, StoreError
from tools.wording import Words
from wenmai.application.models.documents import DocumentView, RemovalReceipt, Stored
from wenmai.application.models.paging import EVERY, USUAL, Page
from wenmai.application.operations import Application
from wenmai.documents.service import TooLarge
from wenmai.inputs import FieldError, NotFound
from wenmai.web.authentication import caller_of
from wenmai.web.dependencies import Handler, Limit, Offset, Operations, Route, operations_of, resource
from wenmai.web.forms import DOCUMENT_FORM
from wenmai.web.guard import refusal
from wenmai.web.streams import while_connected

NO_USER = Words(
    "缺少用户：请给出 user_id，与提问时 context.user_id 相同",
    "which user? Give user_id, the context.user_id of his questions",
)
OTHER_USER = Words("用户以登录身份为准，不能写成别人", "the user is known by the key: another cannot be named")
NO_SESSION = Words(
    "缺少会话：请给出 session_id，也就是提问时的 thread_id",
    "which conversation? Give session_id, the thread_id of its questions",
)
FILE = "PDF, DOCX, PPTX, XLSX, CSV, HTML, text …"
ThreadField = Annotated[str | None, Form(description="The thread whose questions see it")]
PreloadedField = Annotated[bool, Form(description="In place of a thread: everybody's questions see it")]
Thread = Annotated[str | None, Query(min_length=1)]
Preloaded = Annotated[bool, Query(description="In place of a thread: those that everybody sees")]
Document = Annotated[UploadFile, File(description=FILE)]

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
    return await store_file(request, app, file, thread_id=thread_id, preloaded=preloaded)


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


async def store_file(request: Request, app: Application, file: UploadFile, **owner: Any) -> Stored:
    """Store what was sent, unless the client leaves."""
    data = await file.read()
    return await while_connected(request, app.documents.upload(file.filename or "", content=data, **owner))


class SessionRoute(Route):
    """A route beside the graph: it refuses as the server of runs does, with the field and the reason."""

    def get_route_handler(self) -> Handler:
        """Return what answers a request."""
        handler = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handler(request)
            except NotFound as error:
                return refusal([FieldError("document_id", error.reason)], error.status)
            except FieldError as error:
                return refusal([error], error.status)
            except TooLarge as error:
                return refusal([FieldError("file", str(error))], 413)
            except (InputError, IngestError) as error:
                return refusal([FieldError("file", str(error))], 422)
            except (StoreError, ModelError) as error:
                return refusal([FieldError("documents", str(error))], 503)
            except RequestValidationError as error:
                return refusal([FieldError(str(one["loc"][-1]), one["msg"]) for one in error.errors()], 422)

        return handle


session_router = APIRouter(route_class=SessionRoute, include_in_schema=False)
"""The documents of a session, which is a thread: the user is named, or known by the key. None of them preloads."""


@session_router.post("/documents", status_code=201, dependencies=[DOCUMENT_FORM])
async def upload_to_session(
    request: Request,
    file: UploadFile,
    session_id: Annotated[str, Form()] = "",
    user_id: Annotated[str, Form()] = "",
) -> Any:
    """Store a file in a session."""
    app = await session_of(request, session_id, user_id)
    return (await store_file(request, app, file, thread_id=session_id)).model_dump()


@session_router.get("/documents")
async def list_session(request: Request, session_id: str = "", user_id: str = "") -> Any:
    """List what a session sees."""
    app = await session_of(request, session_id, user_id)
    rows = (await app.documents.list(thread_id=session_id, limit=EVERY)).items
    return {"total": len(rows), "documents": [one.model_dump() for one in rows]}


@session_router.delete("/documents/{document_id}")
async def remove_from_session(request: Request, document_id: str, session_id: str = "", user_id: str = "") -> Any:
    """Remove a document of a session."""
    app = await session_of(request, session_id, user_id)
    return (await app.documents.remove(document_id, thread_id=session_id)).model_dump()


@session_router.delete("/documents")
async def remove_session(request: Request, session_id: str = "", user_id: str = "") -> Any:
    """Remove every document of a session."""
    app = await session_of(request, session_id, user_id)
    return (await app.documents.remove_all(thread_id=session_id)).model_dump()


async def session_of(request: Request, session: str, user: str) -> Application:
    """Return the operations of the user of a session.

    Raises:
        FieldError: a name is missing, or is another user's.
    """
    if not session.strip():
        raise FieldError("session_id", NO_SESSION)
    caller = caller_of(request.scope)
    if caller and user not in ("", caller.user_id):
        raise FieldError("user_id", OTHER_USER, 403)
    app = await operations_of(request)
    if caller:
        return app
    if not user.strip():
        raise FieldError("user_id", NO_USER)
    return await app.for_user(user)
