"""The middleware: wrong input is a 422 that names the field, before a run exists.

The body of a refusal is `{"detail": [{"field": "context.as_of_chapter", "message": "…"}]}`; a body over
MAX_REQUEST_BYTES is a 413 of the same form, one that is not sent as JSON a 415, a context of another user a 403, a key
that asks too often a 429. Streams are never touched: only the request's body is read, and handed on.
"""

import asyncio
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as ASGIMessage

from tools.messages import Message, say
from tools.reasons import MOST
from wenmai.application.caller import Caller
from wenmai.application.limits import limit_of, require_calls, too_often
from wenmai.inputs import FieldError
from wenmai.web.authentication import caller_from, caller_of, headers_of
from wenmai.web.langgraph import run_checks
from wenmai.web.langgraph.run_checks import RunChecks, RunRequest
from wenmai.web.problems import BODY, retry_headers


class BodyTooLarge(Exception):
    """The body has more bytes than the server reads."""


class RequestRefusal(Exception):
    """A request that does not get to the server, with its wrong fields."""

    def __init__(self, *problems: FieldError) -> None:
        self.problems = problems

    @property
    def response(self) -> JSONResponse:
        status = max(one.status for one in self.problems)
        return JSONResponse({"detail": details(self.problems)}, status, retry_headers(self.problems[0]))


@dataclass(slots=True)
class InputGuard:
    app: ASGIApp
    checks_runs: bool = True  # the routes of LangGraph are there
    checks: RunChecks = field(default_factory=RunChecks)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Check requests that start runs, and the commands of a WebSocket; count all; let everything else through."""
        if scope["type"] == "http":
            if run_checks.is_closed(route_path(scope)):
                await JSONResponse({"detail": "Not Found"}, 404)(scope, receive, send)
                return
            try:
                receive = await self.checked_request(scope, receive)
            except RequestRefusal as refused:
                await refused.response(scope, receive, send)
                return
        elif scope["type"] == "websocket" and (thread := run_checks.socket_thread(route_path(scope))):
            receive = self.commands(RunRequest("command", thread, caller=caller_of(scope)), receive, send)
        await self.app(scope, receive, send)

    async def checked_request(self, scope: Scope, receive: Receive) -> Receive:
        """Return a `receive` that still gives the body of a request. Raises RefusedRequest for a wrong one."""
        method, path, headers = scope["method"], route_path(scope), headers_of(scope)
        if "content-length" in headers and "transfer-encoding" in headers:  # RFC 9112, section 6.1: smuggling
            raise RequestRefusal(FieldError("content-length", Message("server.two_lengths"), HTTPStatus.BAD_REQUEST))
        await self.count(caller_from(scope.get("user")))
        if not run_checks.has_counted_body(method, path):
            return receive
        settings = await self.checks.settings()
        try:
            async with asyncio.timeout(settings.request_timeout_s):
                body = await read_body(receive, settings.max_request_bytes)
        except BodyTooLarge as error:
            raise RequestRefusal(
                FieldError("body", Message("server.request_too_large", most=settings.max_request_bytes), 413)
            ) from error
        except TimeoutError as error:
            raise RequestRefusal(FieldError("body", Message("server.request_timed_out"), 408)) from error
        if body and not run_checks.is_json(headers.get("content-type", "")):
            raise RequestRefusal(FieldError("content-type", Message("server.only_json"), 415))
        if twice := run_checks.problems_of(lambda: run_checks.check_once(body)):
            raise RequestRefusal(*twice)
        if self.checks_runs and (route := run_checks.route_of(method, path)):
            await self.check_run(replace(route, caller=caller_of(scope)), body)
        return with_body(body, receive)

    async def check_run(self, route: RunRequest, body: bytes) -> None:
        """Check a request that starts runs. Raises RefusedRequest."""
        if problems := await self.checks.problems(route, body):
            raise RequestRefusal(*problems)
        await self.count(route.caller, len(json.loads(body)) - 1 if route.kind == "batch" else 0)
        if route.caller:
            try:
                require_calls((await self.checks.settings()).model_call_limit, route.caller.user_id)
            except FieldError as error:
                raise RequestRefusal(error) from error

    async def count(self, caller: Caller | None, requests: int = 1) -> None:
        """Count requests of a key, not those that the server makes of itself for it. Raises RefusedRequest."""
        if caller is not None and requests:
            limit = limit_of((await self.checks.settings()).rate_limit)
            if seconds := await limit.wait(caller.key or caller.user_id, requests):
                raise RequestRefusal(too_often(Message("server.too_many_requests", seconds=seconds), seconds))

    def commands(self, route: RunRequest, receive: Receive, send: Send) -> Receive:
        """Return a `receive` that answers wrong commands itself and passes on the others."""

        async def next_command() -> ASGIMessage:
            while True:
                message = await receive()
                text = message.get("text") if message["type"] == "websocket.receive" else None
                try:
                    if text:
                        await self.count(route.caller)
                        if problems := await self.checks.problems(route, text.encode()):
                            raise RequestRefusal(*problems)
                    return message
                except RequestRefusal as refused:
                    error = protocol_error(text or "", refused.problems)
                    await send({"type": "websocket.send", "text": json.dumps(error)})

        return next_command


def route_path(scope: Scope) -> str:
    """Return the path without what the server is mounted under."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


async def read_body(receive: Receive, most: float = math.inf) -> bytes:
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


def details(problems: Sequence[FieldError]) -> list[dict[str, str]]:
    """Return the first problems as they are told, then how many more there are."""
    told = [{"field": problem.field, "message": problem.reason} for problem in problems[:MOST]]
    more = len(problems) - MOST
    return [*told, {"field": BODY, "message": say("field.more_wrong", count=more)}] if more > 0 else told


def protocol_error(text: str, problems: Sequence[FieldError]) -> dict[str, Any]:
    try:
        number = json.loads(text).get("id")
    except (ValueError, AttributeError, RecursionError):
        number = None
    told = {"message": "; ".join(map(str, problems[:MOST])), "detail": details(problems)}
    return {"type": "error", "id": number, "error": "invalid_argument", **told}
