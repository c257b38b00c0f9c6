"""One application for both servers: routes, guards and the form of errors; what differs is handed in."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

import wenmai
from wenmai.errors import WenmaiError
from wenmai.web import health
from wenmai.web.api import (
    jobs,
    libraries,
    previews,
    sources,
)
from wenmai.web.api.access import STATE, Api
from wenmai.web.callers import on_behalf
from wenmai.web.dependencies import PREFIX
from wenmai.web.guard import InputGuard
from wenmai.web.mcp import McpEndpoint
from wenmai.web.openai import routes as openai_routes
from wenmai.web.openapi import api_document, read_examples
from wenmai.web.origins import OriginGuardedApp
from wenmai.web.page import files as page_files
from wenmai.web.rest.document import document
from wenmai.web.rest.endpoints import Endpoint
from wenmai.web.rest.problems import problem_of, refused
from wenmai.web.routes import (
    ask,
    chapters,
    documents,
    entities,
    events,
    memories,
    networks,
    passages,
    relations,
    settings,
    threads,
    tools,
    traces,
)

DOCUMENT = f"{PREFIX}/openapi.json"
RESOURCES = (
    libraries.resource,
    sources.resource,
    previews.resource,
    jobs.resource,
)
ROUTERS = (
    ask.router,
    chapters.router,
    documents.router,
    entities.router,
    events.router,
    memories.router,
    networks.router,
    passages.router,
    relations.router,
    settings.router,
    threads.router,
    tools.router,
    traces.router,
)
ENDPOINTS: tuple[Endpoint, ...] = tuple(one for resource in RESOURCES for one in resource.endpoints)
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


class Server(OriginGuardedApp):
    """The application of both servers, which describes itself."""

    def openapi(self) -> dict[str, Any]:
        """Return the document of the API; it is made once."""
        if self.openapi_schema is None:
            self.openapi_schema = described(self)
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
        *api_routes(api),
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


def api_routes(api: Api) -> list[Route]:
    """Return the routes of the API, and of its document."""
    return [Route(DOCUMENT, openapi, methods=["GET"]), *(route_of(one, api) for one in ENDPOINTS)]


def route_of(endpoint: Endpoint, api: Api) -> Route:
    """Return the route of an endpoint on an API."""
    return Route(PREFIX + endpoint.path, Answering(endpoint, api), methods=[endpoint.method])


@dataclass(frozen=True, slots=True)
class Answering:
    """The ASGI application of an endpoint: what it asks of a LangGraph server it asks as the user of the request."""

    endpoint: Callable[[Request], Awaitable[Response]]
    api: Api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, with its stream."""
        scope[STATE] = self.api
        async with on_behalf(scope):
            response = await self.endpoint(Request(scope, receive))
            await response(scope, receive, send)


async def openapi(request: Request) -> Response:
    """Return the document of the API."""
    return JSONResponse(request.app.openapi())


def described(app: FastAPI) -> dict[str, Any]:
    """Return the document of an application."""
    made, older = api_document(app), document(ENDPOINTS, PREFIX, wenmai.__version__, read_examples())
    made["components"]["schemas"] = older["components"]["schemas"] | made["components"]["schemas"]
    for path, methods in older["paths"].items():
        made["paths"].setdefault(path, {}).update(methods)
    return made
