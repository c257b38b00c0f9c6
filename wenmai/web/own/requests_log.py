"""One line in the log for each request: what, outcome, seconds; neither its text nor who asked."""

import logging
import time
from dataclasses import dataclass

from starlette.types import ASGIApp, Message, Receive, Scope, Send

PROBES = frozenset({"/health", "/ready", "/metrics"})  # asked every few seconds
CUT_SHORT = 499  # the client left, or the process fails, before there is a status

log = logging.getLogger("wenmai.requests")


@dataclass(frozen=True, slots=True)
class LoggedRequests:
    """ASGI middleware. Of an address the path alone is logged: a query may hold a question."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand a request on, and log it at its end."""
        if scope["type"] != "http" or scope["path"] in PROBES:
            await self.app(scope, receive, send)
            return
        started, status = time.monotonic(), CUT_SHORT

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self.app(scope, receive, noting)
        finally:
            seconds = round(time.monotonic() - started, 3)
            fields = {"method": scope["method"], "path": scope["path"], "status": status, "seconds": seconds}
            log.info("request", extra={"fields": fields})
