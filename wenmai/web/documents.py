"""The routes beside the graph: upload, list and remove the documents of a session. None of them preloads.

`POST /documents` takes a form with the fields file, session_id and user_id; `GET /documents`, `DELETE /documents/{id}`
and `DELETE /documents` take the latter two as query parameters. Where the server authenticates, the user is the
authenticated one and any other name is refused.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import wraps

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tools.documents.records import DocumentOwner, DocumentScope
from tools.wording import Words
from wenmai.app.container import process_services
from wenmai.documents.rows import document_row, removal_row, upload_row
from wenmai.documents.service import DocumentService, TooLarge
from wenmai.errors import IngestError, InputError, ModelError, StoreError
from wenmai.inputs import FieldError
from wenmai.web.callers import caller_of
from wenmai.web.guard import refusal
from wenmai.web.rest.connected import while_connected
from wenmai.web.uploads import read_upload

NO_USER = Words(
    "缺少用户：请给出 user_id，与提问时 context.user_id 相同",
    "which user? Give user_id, the context.user_id of his questions",
)
OTHER_USER = Words("用户以登录身份为准，不能写成别人", "the user is known by the key: another cannot be named")
NO_SESSION = Words(
    "缺少会话：请给出 session_id，也就是提问时的 thread_id",
    "which conversation? Give session_id, the thread_id of its questions",
)
Handler = Callable[[Request], Awaitable[Response]]
CREATED = 201
NOT_FOUND = 404


def refusing(handler: Handler) -> Handler:
    """Answer what is wrong as every refusal of this server is answered: the field and the reason."""

    @wraps(handler)
    async def answered(request: Request) -> Response:
        try:
            return await handler(request)
        except FieldError as error:
            return refusal([error], error.status)
        except TooLarge as error:
            return refusal([FieldError("file", str(error))], 413)
        except (InputError, IngestError) as error:
            return refusal([FieldError("file", str(error))], 422)
        except (StoreError, ModelError) as error:
            return refusal([FieldError("documents", str(error))], 503)

    return answered


@refusing
async def upload(request: Request) -> Response:
    """Store a file in a session."""
    service = await document_service()
    sent = await read_upload(request, service.max_bytes)
    owner = owner_of(request, sent.fields)
    work = service.upload(sent.filename, sent.data, owner)
    return JSONResponse(upload_row(await while_connected(request, work)), CREATED)


@refusing
async def listing(request: Request) -> Response:
    """List what a session sees."""
    owner = owner_of(request, request.query_params)
    rows = await (await document_service()).documents(DocumentScope(owner.user_id, owner.session_id))
    return JSONResponse({"total": len(rows), "documents": [document_row(row) for row in rows]})


@refusing
async def remove(request: Request) -> Response:
    """Remove a document of a session."""
    owner = owner_of(request, request.query_params)
    try:
        removed = await (await document_service()).remove(owner, [request.path_params["document_id"]])
    except InputError as error:
        return refusal([FieldError("document_id", str(error))], NOT_FOUND)
    return JSONResponse(removal_row(removed))


@refusing
async def remove_session(request: Request) -> Response:
    """Remove every document of a session."""
    owner = owner_of(request, request.query_params)
    return JSONResponse(removal_row(await (await document_service()).remove_all(owner)))


async def document_service() -> DocumentService:
    """Return the process's service; the first call reads files, which must not block the event loop."""
    return await asyncio.to_thread(lambda: process_services().document_service)


def owner_of(request: Request, fields: Mapping[str, str]) -> DocumentOwner:
    """Return whose session is meant. Raises FieldError for what is missing, and for another user's name."""
    session = fields.get("session_id", "")
    if not session.strip():
        raise FieldError("session_id", NO_SESSION)
    named, caller = fields.get("user_id", ""), caller_of(request.scope)
    if caller and named not in ("", caller.user_id):
        raise FieldError("user_id", OTHER_USER, 403)
    user = caller.user_id if caller else named
    if not user.strip():
        raise FieldError("user_id", NO_USER)
    return DocumentOwner(user, session)


ROUTES = [
    Route("/documents", upload, methods=["POST"]),
    Route("/documents", listing, methods=["GET"]),
    Route("/documents", remove_session, methods=["DELETE"]),
    Route("/documents/{document_id}", remove, methods=["DELETE"]),
]
