"""One application for both servers: routes, guards and the form of errors; what differs is handed in."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

import wenmai
from wenmai.errors import WenmaiError
from wenmai.web import health
from wenmai.web.dependencies import PREFIX, Api
from wenmai.web.guard import InputGuard
from wenmai.web.mcp import McpEndpoint
from wenmai.web.openai import routes as openai_routes
from wenmai.web.openapi import api_document
from wenmai.web.origins import OriginGuardedApp
from wenmai.web.page import files as page_files
from wenmai.web.problems import problem_of, refused
from wenmai.web.routes import (
    ask,
    chapters,
    documents,
    entities,
    events,
    jobs,
    libraries,
    memories,
    networks,
    passages,
    previews,
    relations,
    settings,
    sources,
    threads,
    tools,
    traces,
)

DOCUMENT = f"{PREFIX}/openapi.json"
ROUTERS = (
    libraries.router,
    sources.router,
    previews.router,
    jobs.router,
    chapters.router,
    passages.router,
    entities.router,
    relations.router,
    events.router,
    ask.router,
    threads.router,
    documents.router,
    memories.router,
    networks.router,
    traces.router,
    tools.router,
    settings.router,
)
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class Server(OriginGuardedApp):
    """The application of both servers, which describes itself."""

    def openapi(self) -> dict[str, Any]:
        """Return the document of the API; it is made once."""
        if self.openapi_schema is None:
            self.openapi_schema = api_document(self)
        return self.openapi_schema


def application(
    api: Api,
    lifespan: Lifespan,
    *,
    routes: Sequence[BaseRoute] = (),
    before: Sequence[Middleware] = (),
    after: Sequence[Middleware] = (),
    checks_runs: bool = True,
) -> Server:
    """Return the application; `before` and `after` stand around the guard of input.

    With `checks_runs` it looks at requests that start runs of LangGraph's server.
    """
    own = [
        *page_files.ROUTES,
        *health.ROUTES,
        Route("/mcp", McpEndpoint(api.application)),
        Route(DOCUMENT, openapi, methods=["GET"]),
    ]
    guard = Middleware(InputGuard, checks_runs=checks_runs)
    app = Server(
        title="Wenmai",
        version=wenmai.__version__,
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        routes=[*own, *routes],
        middleware=[*before, guard, *after],
        lifespan=lifespan,
        exception_handlers={WenmaiError: problem_response, RequestValidationError: problem_response},
    )
    app.state.api = api
    for router in (*ROUTERS, documents.session_router, openai_routes.router):
        app.router.routes.extend(router.routes)  # an included router is one route that LangGraph's server cannot wrap
    return app


async def problem_response(request: Request, error: Exception) -> Response:
    """Return what is wrong with a request as a problem."""
    return refused(problem_of(error, request.query_params))


async def openapi(request: Request) -> Response:
    """Return the document of the API, which takes the processor for a while at the first call."""
    return JSONResponse(await asyncio.to_thread(request.app.openapi))
