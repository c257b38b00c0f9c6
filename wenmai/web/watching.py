"""What becomes of a request: the status of its answer, and its end where its user is removed."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from tools.messages import say
from wenmai.application.running import RunningRequests
from wenmai.web.authentication import viewer_of

CUT_SHORT = 499  # the client left, or the process fails, before there is a status


async def watched(
    app: ASGIApp,
    scope: Scope,
    receive: Receive,
    send: Send,
    end_with: Callable[[int], None],
    cancelled: ASGIApp | None = None,
) -> None:
    """Answer a request, and call `end_with` with the status of its answer; of one that raises it is 500.

    One that is cancelled before it has a status is answered by `cancelled`, if that is given.
    """
    status = CUT_SHORT

    async def noting(message: ASGIMessage) -> None:
        nonlocal status
        if message["type"] == "http.response.start":
            status = message["status"]
        await send(message)

    try:
        await app(scope, receive, noting)
    except asyncio.CancelledError:
        if cancelled is None or status != CUT_SHORT:
            raise
        await cancelled(scope, receive, noting)  # and the task ends here
    except Exception:
        status = HTTPStatus.INTERNAL_SERVER_ERROR if status == CUT_SHORT else status  # the server's own answer follows
        raise
    finally:
        end_with(status)


@dataclass(slots=True)
class StoppableRequests:
    """ASGI middleware that ends the requests of a user who is removed, as if the key had never opened anything."""

    app: ASGIApp
    running: RunningRequests

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand on; a request that is stopped gets a 401, a stream that has begun its end.

        One that LangGraph's server makes of itself comes without a user and ends with the request that it is made for:
        who removes a user asks for that user's threads so.
        """
        if scope["type"] != "http" or "user" not in scope:
            await self.app(scope, receive, send)
            return
        begun: Headers | None = None
        is_open = True

        async def noting(message: ASGIMessage) -> None:
            nonlocal begun, is_open
            if message["type"] == "http.response.start":
                begun = Headers(raw=message.get("headers", []))
            elif message["type"] == "http.response.body":
                is_open = message.get("more_body", False)
            await send(message)

        if await self.running.answered(viewer_of(scope).user_id, lambda: self.app(scope, receive, noting)):
            return
        if begun is None:
            refused = JSONResponse({"detail": say("server.key_needed")}, HTTPStatus.UNAUTHORIZED)
            await refused(scope, receive, send)
        elif is_open and "content-length" not in begun:
            await send({"type": "http.response.body", "body": b""})
