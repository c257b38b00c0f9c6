"""The middleware: wrong input is a 422 that names the field, before a run exists.

The body of a refusal is `{"detail": [{"field": "context.as_of_chapter", "message": "…"}]}`; a body over
MAX_REQUEST_BYTES is a 413 of the same form. Streams are never touched: only the request's body is read, and handed on.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wenmai.inputs import FieldError
from wenmai.web.judge import Judge
from wenmai.web.routes import Route, route_of, socket_thread

INVALID_PARAMS = -32602  # JSON-RPC 2.0, section 5.1


class TooLarge(Exception):
    """The body has more bytes than the server reads."""


@dataclass(slots=True)
class InputGuard:
    """ASGI middleware in front of the server's own routes."""

    app: ASGIApp
    judge: Judge = field(default_factory=Judge)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check requests that start runs, and the commands of a WebSocket; let everything else through."""
        if scope["type"] == "http" and (route := route_of(scope["method"], route_path(scope))):
            await self.checked(route, scope, receive, send)
        elif scope["type"] == "websocket" and (thread := socket_thread(route_path(scope))):
            await self.app(scope, self.commands(thread, receive, send), send)
        else:
            await self.app(scope, receive, send)

    async def checked(self, route: Route, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, refuse it or hand it on."""
        most = (await self.judge.settings()).max_request_bytes
        try:
            body = await read_body(receive, most)
        except TooLarge:
            error = FieldError("body", f"请求超过 {most} 字节（MAX_REQUEST_BYTES）；长文请先用 wenmai ingest 入库")
            await refusal([error], 413)(scope, receive, send)
            return
        problems = await self.judge.problems(route, body)
        if problems:
            answer = (
                mcp_error(body, problems)
                if route.kind == "mcp"
                else refusal(problems, max(one.status for one in problems))
            )
            await answer(scope, receive, send)
        else:
            await self.app(scope, replayed(body, receive), send)

    def commands(self, thread: str, receive: Receive, send: Send) -> Receive:
        """Return a `receive` that answers wrong commands itself and passes on the others."""

        async def next_command() -> Message:
            while True:
                message = await receive()
                text = message.get("text") if message["type"] == "websocket.receive" else None
                problems = await self.judge.problems(Route("command", thread), text.encode()) if text else []
                if not problems:
                    return message
                await send({"type": "websocket.send", "text": json.dumps(protocol_error(text or "", problems))})

        return next_command


def route_path(scope: Scope) -> str:
    """Return the path without what the server is mounted under."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


async def read_body(receive: Receive, most: int) -> bytes:
    """Return the whole body. Raises TooLarge as soon as it has too many bytes."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > most:
            raise TooLarge
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(body)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once and then what follows it."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return pending.pop() if pending else await receive()

    return again


def refusal(problems: list[FieldError], status: int) -> JSONResponse:
    """Return the response that names every wrong field."""
    return JSONResponse({"detail": details(problems)}, status)


def details(problems: list[FieldError]) -> list[dict[str, str]]:
    """Return problems as plain data."""
    return [{"field": problem.field, "message": problem.reason} for problem in problems]


def mcp_error(body: bytes, problems: list[FieldError]) -> JSONResponse:
    """Return an error of MCP; its clients take any other status for a broken connection."""
    error = {"code": INVALID_PARAMS, "message": joined(problems), "data": {"detail": details(problems)}}
    return JSONResponse({"jsonrpc": "2.0", "id": json.loads(body).get("id"), "error": error})


def protocol_error(text: str, problems: list[FieldError]) -> Mapping[str, Any]:
    """Return an error of the event-streaming protocol."""
    try:
        number = json.loads(text).get("id")
    except (ValueError, AttributeError, RecursionError):
        number = None
    error = {"error": "invalid_argument", "message": joined(problems), "detail": details(problems)}
    return {"type": "error", "id": number, **error}


def joined(problems: list[FieldError]) -> str:
    """Return problems as one line."""
    return "; ".join(str(problem) for problem in problems)
