"""The middleware: wrong input is a 422 that names the field, before a run exists.

The body of a refusal is `{"detail": [{"field": "context.as_of_chapter", "message": "…"}]}`; a body over
MAX_REQUEST_BYTES is a 413 of the same form, one that is not sent as JSON a 415, a context of another user a 403, a key
that asks too often a 429. Streams are never touched: only the request's body is read, and handed on.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from tools.messages import Message
from wenmai.application.caller import Caller
from wenmai.application.limits import limit_of, spent_calls_error
from wenmai.inputs import FieldError
from wenmai.web.authentication import caller_from, caller_of, headers_of
from wenmai.web.langgraph.run_checks import (
    Route,
    RunChecks,
    check_once,
    has_counted_body,
    is_closed,
    is_json,
    problems_of,
    route_of,
    socket_thread,
)

TOO_MANY = 429


class BodyTooLarge(Exception):
    """The body has more bytes than the server reads."""


@dataclass(slots=True)
class InputGuard:
    """ASGI middleware in front of the server's own routes."""

    app: ASGIApp
    checks_runs: bool = True  # the routes of LangGraph are there
    checks: RunChecks = field(default_factory=RunChecks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check requests that start runs, and the commands of a WebSocket; count all; let everything else through."""
        if scope["type"] == "http":
            await self.request(scope, receive, send)
        elif scope["type"] == "websocket" and (thread := socket_thread(route_path(scope))):
            await self.app(scope, self.commands(Route("command", thread, caller=caller_of(scope)), receive, send), send)
        else:
            await self.app(scope, receive, send)

    async def request(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is refused, hand on the others."""
        method, path = scope["method"], route_path(scope)
        answer: Response | None = None
        if is_closed(path):
            answer = JSONResponse({"detail": "Not Found"}, 404)
        elif seconds := await self.seconds_to_wait(caller_from(scope.get("user"))):
            answer = too_often(seconds)
        elif has_counted_body(method, path):
            route = route_of(method, path) if self.checks_runs else None
            answer, receive = await self.body_refusal(route, scope, receive)
        await (answer or self.app)(scope, receive, send)

    async def body_refusal(
        self, route: Route | None, scope: Scope, receive: Receive
    ) -> tuple[Response | None, Receive]:
        """Read the body; return the answer to a wrong one, and a `receive` that still gives a right one."""
        settings = await self.checks.settings()
        try:
            async with asyncio.timeout(settings.request_timeout_s):
                body = await read_body(receive, settings.max_request_bytes)
        except BodyTooLarge:
            return too_large(settings.max_request_bytes), receive
        except TimeoutError:
            return refusal([FieldError("body", Message("server.request_timed_out"))], 408), receive
        if body and not is_json(headers_of(scope).get("content-type", "")):
            return refusal([FieldError("content-type", Message("server.only_json"))], 415), receive
        if twice := problems_of(lambda: check_once(body)):
            return refusal(twice, twice[0].status), receive
        answer = await self.run_refusal(replace(route, caller=caller_of(scope)), body) if route else None
        return answer, with_body(body, receive)

    async def run_refusal(self, route: Route, body: bytes) -> Response | None:
        """Return the answer to a wrong request, None for one that may pass."""
        if problems := await self.checks.problems(route, body):
            return refusal(problems, max(one.status for one in problems))
        further = len(json.loads(body)) - 1 if route.kind == "batch" else 0
        if seconds := await self.seconds_to_wait(route.caller, further):
            return too_often(seconds)
        if route.caller and (
            spent := spent_calls_error((await self.checks.settings()).model_call_limit, route.caller.user_id)
        ):
            return refusal([spent[0]], TOO_MANY, {"retry-after": str(spent[1])})
        return None

    async def seconds_to_wait(self, caller: Caller | None, count: int = 1) -> int:
        """Count requests of a key, not those that the server makes of itself for it; 0 lets them pass."""
        if caller is None or count == 0:
            return 0
        return await limit_of((await self.checks.settings()).rate_limit).wait(caller.key or caller.user_id, count)

    def commands(self, route: Route, receive: Receive, send: Send) -> Receive:
        """Return a `receive` that answers wrong commands itself and passes on the others."""

        async def next_command() -> ASGIMessage:
            while True:
                message = await receive()
                text = message.get("text") if message["type"] == "websocket.receive" else None
                problems = await self.command_problems(route, text) if text else []
                if not problems:
                    return message
                await send({"type": "websocket.send", "text": json.dumps(protocol_error(text or "", problems))})

        return next_command

    async def command_problems(self, route: Route, text: str) -> list[FieldError]:
        """Return what is wrong with a command, that it comes too soon among it."""
        if seconds := await self.seconds_to_wait(route.caller):
            return [too_many(seconds)]
        return await self.checks.problems(route, text.encode())


def too_large(most: int) -> Response:
    """Refuse a body of more bytes."""
    error = FieldError("body", Message("server.request_too_large", most=most))
    return refusal([error], 413)


def too_often(seconds: int) -> Response:
    """Refuse a request of a key that asks too often."""
    return refusal([too_many(seconds)], TOO_MANY, {"retry-after": str(seconds)})


def too_many(seconds: int) -> FieldError:
    """Say when the next request may come."""
    return FieldError("request", Message("server.too_many_requests", seconds=seconds), TOO_MANY)


def route_path(scope: Scope) -> str:
    """Return the path without what the server is mounted under."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


async def read_body(receive: Receive, most: int) -> bytes:
    """Return the whole body. Raises BodyTooLarge as soon as it has too many bytes."""
    body = bytearray()
    while True:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > most:
            raise BodyTooLarge
        if message["type"] != "http.request" or not message.get("more_body"):
            return bytes(body)


def with_body(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that gives the body once and then what follows it."""
    pending: list[ASGIMessage] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> ASGIMessage:
        return pending.pop() if pending else await receive()

    return again


def refusal(problems: list[FieldError], status: int, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return the response that names every wrong field."""
    return JSONResponse({"detail": details(problems)}, status, headers)


def details(problems: list[FieldError]) -> list[dict[str, str]]:
    """Return problems as plain data."""
    return [{"field": problem.field, "message": problem.reason} for problem in problems]


def protocol_error(text: str, problems: list[FieldError]) -> Mapping[str, Any]:
    """Return an error of the event-streaming protocol."""
    try:
        number = json.loads(text).get("id")
    except (ValueError, AttributeError, RecursionError):
        number = None
    message = "; ".join(map(str, problems))
    return {
        "type": "error",
        "id": number,
        "error": "invalid_argument",
        "message": message,
        "detail": details(problems),
    }
