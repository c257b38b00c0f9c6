"""One application for both servers: routes, guards and the form of errors; what differs is handed in."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import Receive, Scope, Send

import wenmai
from wenmai.errors import WenmaiError
from wenmai.web import documents, health
from wenmai.web.api import (
    ask,
    chapters,
    entities,
    events,
    networks,
    passages,
    relations,
    settings,
    threads,
    tools,
    traces,
)
from wenmai.web.api import documents as own_documents
from wenmai.web.api import previews as network_previews
from wenmai.web.api.access import STATE, Api
from wenmai.web.callers import on_behalf
from wenmai.web.chat import routes as chat
from wenmai.web.dependencies import operation_id
from wenmai.web.guard import InputGuard
from wenmai.web.mcp import McpEndpoint
from wenmai.web.openapi import PROBLEM, api_document, read_examples
from wenmai.web.origins import OriginGuardedApp
from wenmai.web.page import files as page_files
from wenmai.web.rest.document import document
from wenmai.web.rest.endpoints import Endpoint
from wenmai.web.rest.problems import problem_of, refused
from wenmai.web.rest.reference import reference
from wenmai.web.routes import jobs, libraries, memories, previews, sources

PREFIX = "/api/v1"
DOCUMENT = f"{PREFIX}/openapi.json"
RESOURCES = (
    chapters.resource,
    passages.resource,
    entities.resource,
    relations.resource,
    events.resource,
    ask.resource,
    threads.resource,
    own_documents.resource,
    networks.resource,
    network_previews.network_resource,
    traces.resource,
    tools.resource,
    settings.resource,
)
ROUTERS = (
    libraries.router,
    sources.router,
    previews.router,
    jobs.router,
    memories.router,
)
ENDPOINTS: tuple[Endpoint, ...] = tuple(one for resource in RESOURCES for one in resource.endpoints)
Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


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

    With `checks_runs` it looks at requests that start runs of LangGraph's server.
    """
    own = [
        *page_files.ROUTES,
        *health.ROUTES,
        *documents.ROUTES,
        Route("/mcp", McpEndpoint(api.asker)),
        *api_routes(api),
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
        middleware=[*before, guard, *after],
        lifespan=lifespan,
        exception_handlers={WenmaiError: problem_response, RequestValidationError: problem_response},
        generate_unique_id_function=operation_id,
        responses={"default": PROBLEM},
    )
    app.state.api = api
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    return app


async def problem_response(request: Request, error: Exception) -> Response:
    """Return what is wrong with a request as a problem."""
    return refused(problem_of(error, request.query_params))


def api_routes(api: Api) -> list[Route]:
    """Return the routes of the API, of its document and of OpenAI's protocol."""
    told = [Route(DOCUMENT, openapi, methods=["GET"]), Route("/docs", docs, methods=["GET"])]
    chats = [Route(chat.PREFIX + path, Answering(one, api), methods=[method]) for method, path, one in chat.ROUTES]
    return [*told, *(route_of(one, api) for one in ENDPOINTS), *chats]


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
    return JSONResponse(described(request.app))


async def docs(request: Request) -> Response:
    """Return the document as a page, in place of LangGraph's own, which loads its viewer from elsewhere."""
    root = page_files.PREFIX + (await asyncio.to_thread(page_files.page)).version
    return HTMLResponse(reference(described(request.app), DOCUMENT, root))


def described(app: FastAPI) -> dict[str, Any]:
    """Return the document of an application."""
    made, older = api_document(app), document(ENDPOINTS, PREFIX, wenmai.__version__, read_examples())
    made["components"]["schemas"] = older["components"]["schemas"] | made["components"]["schemas"]
    for path, methods in older["paths"].items():
        made["paths"].setdefault(path, {}).update(methods)
    return made
