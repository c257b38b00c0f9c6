"""`/mcp`: the tools over streamable HTTP.

Each request is a conversation of its own, so that nothing has to be kept between two, nor started before the first.
The check of origins of the protocol's SDK stays off: the guard in front of all routes has the one list of them.
"""

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any

from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from wenmai.app.container import Services, process_services
from wenmai.direct_tools.calls import Identity
from wenmai.direct_tools.mcp_server import server_of
from wenmai.direct_tools.offered import DirectTools, direct_tools
from wenmai.direct_tools.questions import Asker
from wenmai.web.callers import identity_of, on_behalf, viewer_of


class McpEndpoint:
    """The ASGI application behind the route."""

    def __init__(self, asker: Asker, services: Callable[[], Services] = process_services) -> None:
        """Take what answers questions; the services are opened at the first request."""
        self._asker = asker
        self._services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        manager = StreamableHTTPSessionManager(self._server, json_response=True, stateless=True)
        async with on_behalf(scope), manager.run():
            await manager.handle_request(scope, receive, send)

    async def tools(self) -> DirectTools:
        """Return the tools; the first call reads files, which must not block the event loop."""
        return await asyncio.to_thread(lambda: self._tools)

    @cached_property
    def _server(self) -> Server[Any]:
        return server_of(self.tools, caller_in)

    @cached_property
    def _tools(self) -> DirectTools:
        return direct_tools(self._services(), self._asker)


def caller_in(context: ServerRequestContext[Any, Any]) -> Identity:
    """Return who sends a request."""
    return Identity() if context.request is None else identity_of(viewer_of(context.request.scope))
