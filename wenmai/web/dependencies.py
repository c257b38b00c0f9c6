"""What the routes of the API share: the operations of the caller, the guard, and strictness about queries."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.dependencies.utils import get_flat_params
from fastapi.params import Depends as Dependency
from fastapi.params import Form
from fastapi.params import Query as QueryParameter
from fastapi.routing import APIRoute
from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from tools.errors import WenmaiError
from tools.messages import Message
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.conversations import Conversations
from wenmai.application.ingest_jobs import resume_ingests, resume_later
from wenmai.application.operations import Application, Shared
from wenmai.application.paging import MOST, FirstRow, Guard, Rows
from wenmai.application.users import finish_removals
from wenmai.inputs import FieldError
from wenmai.web.authentication import viewer_of
from wenmai.web.langgraph.identity import on_behalf
from wenmai.web.openapi import PROBLEM
from wenmai.web.problems import problem_of

PREFIX = "/api/v1"
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(slots=True)
class Api:
    """The live objects behind the API, opened at their first use."""

    open_services: Callable[[], Services]
    conversations: Callable[[], Conversations]
    shared: Shared = field(init=False)

    def __post_init__(self) -> None:
        async def conversations() -> Conversations:
            return self.conversations()

        async def thread_ids(user: Caller) -> set[str]:
            return {one.id for one in await self.conversations().threads(user)}

        async def session(caller: Caller, name: str, *, with_documents: bool = False) -> str:
            return await self.conversations().session(caller, name, with_documents=with_documents)

        self.shared = Shared(conversations, thread_ids, session)

    async def services(self) -> Services:
        """Return the process's services; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(self.open_services)

    async def resume(self) -> "asyncio.Task[None]":
        """Go on with the ingests that a server which ended had begun.

        The task tries again what cannot yet, and finishes removals, those of this server too.
        """
        app = await self.application()
        folders = await resume_ingests(app)

        async def later() -> None:
            await asyncio.gather(resume_later(app, folders), finish_removals(app.users))

        return asyncio.create_task(later())

    async def application(self) -> Application:
        return Application(await self.services(), shared=self.shared)


class ApiRoute(APIRoute):
    """A route of the API: what it asks of a LangGraph server it asks as the user of the request.

    Its `dependencies` take the request alone and are called before its body is read; one may return another request
    in its place. A body is JSON whatever its header says.
    """

    def __init__(
        self, path: str, endpoint: Callable[..., Any], *, dependencies: Sequence[Dependency] | None = None, **more: Any
    ) -> None:
        self.checks = [one.dependency for one in dependencies or () if one.dependency]
        super().__init__(path, endpoint, **more)
        answer = self.app

        async def on_behalf_of_user(scope: Scope, receive: Receive, send: Send) -> None:
            async with on_behalf(scope):
                await answer(scope, receive, send)

        self.app = on_behalf_of_user  # LangGraph's server puts authentication around it

    def get_route_handler(self) -> Handler:
        """Return what answers a request: the checks, then FastAPI's own handler."""
        handler = super().get_route_handler()
        takes_json = self.body_field is not None and not isinstance(self.body_field.field_info, Form)

        async def handle(request: Request) -> Response:
            for check in self.checks:
                request = await check(request) or request
            if takes_json:
                others = [(name, value) for name, value in request.scope["headers"] if name != b"content-type"]
                scope = {**request.scope, "headers": [*others, (b"content-type", b"application/json")]}
                request = Request(scope, request.receive)
            try:
                return await handler(request)
            except HTTPException as error:
                if takes_json and isinstance(error.__cause__, ValueError | RecursionError):
                    raise FieldError("body", Message("field.not_json")) from error
                raise

        return handle

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; HEAD as GET, whose body the server leaves out."""
        is_head = scope["method"] == "HEAD" and "GET" in (self.methods or ())
        await super().handle({**scope, "method": "GET"} if is_head else scope, receive, send)


async def json_of(request: Request) -> object:
    """Return the body, {} for an empty one. Raises FieldError for what is no JSON."""
    try:
        given: object = json.loads(await request.body() or b"{}")
    except (ValueError, RecursionError) as error:
        raise FieldError("body", Message("field.not_json")) from error
    return given


async def require_known_query(request: Request) -> None:
    """Refuse parameters that a route does not take, and doubled ones: a misspelled guard must not be dropped.

    Raises:
        FieldError: the first of them.
    """
    route: Any = request.scope["route"]
    taken = {one.alias: one for one in get_flat_params(route.dependant) if isinstance(one.field_info, QueryParameter)}
    for name in request.query_params:
        if name not in taken:
            raise FieldError(f"query.{name}", Message("field.unknown_parameter", name=name[:80]))
        is_list = "list" in str(taken[name].field_info.annotation)
        if not is_list and len(request.query_params.getlist(name)) > 1:
            raise FieldError(f"query.{name}", Message("field.parameter_given_twice"))


async def operations_of(request: Request) -> Application:
    """Return the operations of the caller; the first request opens the process's services."""
    api: Api = request.app.state.api
    return (await api.application()).for_caller(viewer_of(request.scope))


async def require_admin(request: Request) -> None:
    """Refuse a key without the right to administer, before anything else of the request is looked at."""
    viewer_of(request.scope).require_admin()


async def guard_of(
    as_of_chapter: Annotated[
        int | None, Query(ge=0, description="Nothing after this chapter is shown", examples=[20])
    ] = None,
    as_of_part: Annotated[
        int | None, Query(ge=1, description="The part that as_of_chapter counts in; by itself it hides nothing")
    ] = None,
) -> Guard | None:
    if as_of_chapter is None and as_of_part is None:
        return None
    return Guard(as_of_chapter=as_of_chapter, as_of_part=as_of_part)


Operations = Annotated[Application, Depends(operations_of)]
Reading = Annotated[Guard | None, Depends(guard_of)]
Limit = Annotated[Rows, Query(le=MOST, description="Rows at most")]
Offset = Annotated[FirstRow, Query(description="Rows that are left out at the beginning: `next` of a page")]
ADMIN = [Depends(require_admin)]


def resource(tag: str, ids: str | None = None) -> APIRouter:
    """Return the routes of one kind of thing; the id of an operation is `ids`, default the tag, and its name."""
    return APIRouter(
        prefix=PREFIX,
        tags=[tag],
        route_class=ApiRoute,
        dependencies=[Depends(require_known_query)],
        responses={"default": PROBLEM},
        generate_unique_id_function=lambda route: f"{ids or tag}_{route.name}",
    )


T = TypeVar("T")
CLIENT_LEFT = 499
LOOK_SECONDS = 1.0
PING_S = 15
Event = tuple[str, Any]  # its name and its data

log = logging.getLogger("wenmai.web")


def download(text: str, media_type: str, name: str) -> Response:
    """Return a text as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)


async def while_connected(request: Request, work: Coroutine[None, None, T]) -> T:
    """Return what comes of a piece of work; when the client leaves it is given up, and nothing is stored.

    Work that is given up has ended before this does: what it reads is closed behind the last request.
    """
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_SECONDS))[0]:
            if await request.is_disconnected():
                raise FieldError("body", Message("server.client_disconnected"), CLIENT_LEFT)
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task})
    return task.result()


def event_response(events: AsyncIterator[Event]) -> EventSourceResponse:
    """Return a stream of events; who leaves it ends what makes them."""
    return EventSourceResponse(sse_messages(events), ping=PING_S)


async def sse_messages(events: AsyncIterator[Event]) -> AsyncIterator[dict[str, str]]:
    """Yield events as they are sent; behind an error `error` with its problem."""
    try:
        async for name, data in events:
            yield {"event": name, "data": json.dumps(data, ensure_ascii=False, default=str)}
    except WenmaiError as error:
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
    except Exception as error:
        log.exception("a stream of events failed")
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
