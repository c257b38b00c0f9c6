"""Two routes for the operator: is the process alive, and can it answer. Neither asks for a key."""

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from wenmai.app.container import process_services
from wenmai.application.caller import Caller
from wenmai.application.settings import SettingsOperations

UNAVAILABLE = 503


async def health(request: Request) -> Response:
    """Say that the process answers."""
    return JSONResponse({"ok": True})


async def ready(request: Request) -> Response:
    """Say whether questions can be answered, and which store is down."""
    services = await asyncio.to_thread(process_services)
    found = await SettingsOperations(services, Caller.local()).health()
    return JSONResponse(found.model_dump(), 200 if found.ready else UNAVAILABLE)


ROUTES = [Route("/health", health, methods=["GET"]), Route("/ready", ready, methods=["GET"])]
