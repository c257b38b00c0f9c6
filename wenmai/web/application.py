"""One application for both servers: routes, guards and the form of errors; what differs is handed in."""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

import wenmai
from tools.errors import ConfigError, WenmaiError
from tools.extras import is_missing, require_extra
from tools.messages import Message, say
from wenmai.app.container import Services, services_in_thread
from wenmai.app.data_dir import clear_uploads, keep_to_owner
from wenmai.application.caller import Caller
from wenmai.application.settings import SettingsOperations
from wenmai.web.audit import AuditedRequests
from wenmai.web.dependencies import PREFIX, Api
from wenmai.web.guard import InputGuard
from wenmai.web.middleware import CallerLanguage, OriginGuard, ProblemForm, SecurityHeaders
from wenmai.web.openai import routes as openai_routes
from wenmai.web.openapi import api_document
from wenmai.web.page import files as page_files
from wenmai.web.problems import problem_of, response_of, retry_headers
from wenmai.web.routes import (
    conversations,
    documents,
    entities,
    keys,
    libraries,
    memories,
    networks,
    passages,
    reading,
    server,
    users,
)
from wenmai.web.watching import StoppableRequests

DOCUMENT = f"{PREFIX}/openapi.json"
ROUTERS = (
    libraries.router,
    libraries.jobs,
    passages.router,
    passages.passages,
    passages.summaries,
    reading.router,
    entities.router,
    entities.relations,
    entities.events,
    conversations.router,
    conversations.threads,
    documents.router,
    memories.router,
    networks.router,
    conversations.traces,
    server.tools,
    server.router,
    keys.router,
    users.router,
)
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]

log = logging.getLogger("wenmai.access")


async def prepare(services: Services, no_keys: Message) -> None:
    """Clear old uploads, warn where nobody is asked for a key, learn the embedder's name before a question needs it."""
    logging.getLogger("mcp").setLevel(logging.WARNING)  # it logs two lines for each request
    await asyncio.to_thread(keep_to_owner, services.settings.data_dir)
    await asyncio.to_thread(clear_uploads, services.settings.data_dir)
    if not await services.keys.is_on():
        log.warning(str(no_keys))
    try:
        await services.opening.know_embedder()
    except ConfigError as error:  # each question is refused with the same line
        log.error("%s", error)


async def health(request: Request) -> Response:
    return JSONResponse({"ok": True})


async def ready(request: Request) -> Response:
    """Say whether questions can be answered, and which store is down."""
    services = await services_in_thread()
    found = await SettingsOperations(services, Caller.local()).health()
    if found.warnings and await services.keys.is_on():  # anybody may ask: the names of libraries are for who has a key
        found.warnings = [say("library.some_lost", count=len(found.warnings))]
    return JSONResponse(found.model_dump(), 200 if found.ready else 503)


class OriginGuardedApp(FastAPI):
    """The application of both servers, which describes itself, with OriginGuard in front of everything in it.

    Every refusal of the API, the guard's own among them, gets the form of problem details.
    """

    def build_middleware_stack(self) -> ASGIApp:
        """Return the whole application behind the guard; its errors bear the headers, too, in the caller's language."""
        return CallerLanguage(SecurityHeaders(ProblemForm(OriginGuard(super().build_middleware_stack()))))

    def openapi(self) -> dict[str, Any]:
        """Return the document of the API; it is made once."""
        if self.openapi_schema is None:
            self.openapi_schema = api_document(self)
        return self.openapi_schema


ENDING_SECONDS = 5.0  # for requests that are cancelled at the end of the server


def application(
    api: Api,
    lifespan: Lifespan,
    *,
    routes: Sequence[BaseRoute] = (),
    before: Sequence[Middleware] = (),
    after: Sequence[Middleware] = (),
    checks_runs: bool = True,
) -> OriginGuardedApp:
    """Return the application; `before` and `after` stand around the guard of input.

    With `checks_runs` it looks at requests that start runs of LangGraph's server. Jobs end behind the last request.
    """

    @asynccontextmanager
    async def with_jobs(app: Any) -> AsyncIterator[None]:
        async with lifespan(app):
            try:
                later = await api.resume()
                try:
                    yield
                finally:
                    later.cancel()
                    await asyncio.wait([later])
                    await api.shared.running.all_ended(ENDING_SECONDS)  # those too slow are cancelled, and use stores
            finally:
                await api.shared.jobs.close()

    own = [
        *page_files.ROUTES,
        Route("/health", health, methods=["GET"]),
        Route("/ready", ready, methods=["GET"]),
        Route("/mcp", MissingMcp() if is_missing("mcp") else mcp_endpoint(api)),
        Route(DOCUMENT, openapi, methods=["GET"]),
    ]
    guard = Middleware(InputGuard, checks_runs=checks_runs)
    app = OriginGuardedApp(
        title="Wenmai",
        version=wenmai.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=[*own, *routes],
        middleware=[
            *before,
            Middleware(AuditedRequests),
            Middleware(StoppableRequests, running=api.shared.running),
            guard,
            *after,
        ],
        lifespan=with_jobs,
        exception_handlers={
            WenmaiError: problem_response,
            RequestValidationError: problem_response,
            Exception: unexpected,
        },
    )
    app.state.api = api
    for router in (*ROUTERS, openai_routes.router):
        app.router.routes.extend(router.routes)  # an included router is one route that LangGraph's server cannot wrap
    return app


class MissingMcp:
    """In the place of the endpoint where the extra `mcp` is not installed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raise ConfigError, which names the extra."""
        require_extra("mcp", "/mcp")


def mcp_endpoint(api: Api) -> ASGIApp:
    from wenmai.web.mcp import McpEndpoint  # its library is an extra

    return McpEndpoint(api.application)


async def problem_response(request: Request, error: Exception) -> Response:
    return response_of(problem_of(error, request.query_params), retry_headers(error))


async def unexpected(request: Request, error: Exception) -> Response:
    """Say that the log has the cause of an error of the program; each API gives the line its form."""
    return JSONResponse({"detail": say("server.internal_error")}, 500)


async def openapi(request: Request) -> Response:
    """Return the document of the API, which takes the processor for a while at the first call."""
    return JSONResponse(await asyncio.to_thread(request.app.openapi))
