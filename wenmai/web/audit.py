"""The audit line of a request: who asked what of what, and what it cost; no text of it."""

import logging
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send

from tools.holding import holding
from wenmai.app.container import services_in_thread
from wenmai.application.caller import NOTED
from wenmai.web.authentication import address_of, caller_of
from wenmai.web.watching import watched

LIBRARY = re.compile(r"/libraries/(?P<library>[^/]+)")
THREAD = re.compile(r"/threads/(?P<thread>[^/]+)")

log = logging.getLogger("wenmai.audit")


@dataclass(frozen=True, slots=True)
class AuditedRequests:
    """ASGI middleware that logs a line for each request of a known user, where the settings ask for it."""

    app: ASGIApp

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        caller = caller_of(scope) if scope["type"] == "http" else None
        if caller is None or not (settings := (await services_in_thread()).settings).audit:
            await self.app(scope, receive, send)
            return
        noted: dict[str, Any] = {}
        for pattern in (LIBRARY, THREAD):
            if found := pattern.search(scope["path"]):
                noted |= found.groupdict()
        begun = datetime.now(UTC)

        def end_with(status: int) -> None:
            route = getattr(scope.get("route"), "path", scope["path"])
            usage = noted.get("usage") or {}
            fields = {
                "begun": begun.isoformat(timespec="milliseconds"),
                "user": caller.user_id,
                "key": caller.key,
                "address": address_of(scope, settings.trusted_proxies),
                "route": f"{scope['method']} {route}",
                "library": noted.get("library"),
                "thread": noted.get("thread"),
                "status": status,
                "tokens": usage.get("input_tokens", 0) + usage.get("output_tokens", 0),
            }
            log.info("audit", extra={"fields": fields})

        with holding(NOTED, noted):
            await watched(self.app, scope, receive, send, end_with)
