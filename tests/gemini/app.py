"""The service as an ASGI application: routes, keys, rules, answers."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.gemini import embeddings
from tests.gemini.exchange import Request
from tests.gemini.fields import check_payload
from tests.gemini.models import Model
from tests.gemini.parts import Json
from tests.gemini.refusals import Refusal, bad_key, error, invalid, no_key
from tests.gemini.replies import Reply, as_reply
from tests.gemini.request_rules import check_generate
from tests.gemini.response import chunked, completed, count_tokens
from tests.gemini.space import Gemini, Space, resolved
from tests.gemini.wire import Connections

QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')
GENERATING = ("generateContent", "streamGenerateContent")
MESSAGE_OF = {
    "generateContent": "GenerateContentRequest",
    "streamGenerateContent": "GenerateContentRequest",
    "countTokens": "CountTokensRequest",
    "embedContent": "EmbedContentRequest",
    "batchEmbedContents": "BatchEmbedContentsRequest",
}


@dataclass(frozen=True, slots=True)
class Flow:
    """Sends the pieces of an answer."""

    connections: Connections

    async def __call__(self, http: HttpRequest, pieces: list[str], reply: Reply) -> AsyncIterator[str]:
        """Send pieces, slowly or cut inside a JSON string when the reply says so."""
        kept = pieces if reply.ending == "whole" else [*pieces[: len(pieces) // 2], half(pieces[len(pieces) // 2])]
        for number, piece in enumerate(kept):
            if number and reply.gap_s:
                await asyncio.sleep(reply.gap_s)
            yield piece
        if reply.ending == "cut":
            self.connections.close(http)


@dataclass(slots=True)
class Service:
    """All spaces of one server; a request finds its own by its key."""

    connections: Connections = field(default_factory=Connections)
    spaces: dict[str, Gemini] = field(default_factory=dict)

    def app(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                Route("/{version}/models", self.list_models),
                Route("/{version}/models/{model}", self.get_model),
                Route("/{version}/models/{model}:{method}", self.post, methods=["POST"]),
            ],
            exception_handlers={Refusal: self.refused, Exception: self.failed},
        )

    async def failed(self, http: HttpRequest, failure: Exception) -> Response:
        """Keep what a function of a script raised, for the test that holds it."""
        self.space(http).failures.append(failure)
        return JSONResponse(error(500, f"loopback: the script raised {failure!r}"), 500)

    async def refused(self, http: HttpRequest, refusal: Exception) -> Response:
        """Answer what the service refuses before a request counts as one of a space."""
        if not isinstance(refusal, Refusal):
            raise refusal
        return JSONResponse(refusal.body, refusal.code)

    def space(self, http: HttpRequest) -> Gemini:
        """Return the space of the request's key. Raises the service's refusals of keys."""
        key = http.headers.get("x-goog-api-key") or http.query_params.get("key")
        if not key:
            raise no_key()
        if key not in self.spaces:
            raise bad_key()
        return self.spaces[key]

    async def list_models(self, http: HttpRequest) -> Response:
        """GET models."""
        return JSONResponse({"models": [one.card for one in self.space(http).models.values()]})

    async def get_model(self, http: HttpRequest) -> Response:
        """GET models/{id}."""
        known, asked = self.space(http).models, http.path_params["model"]
        if asked not in known:
            raise Refusal(404, f"Model is not found: models/{asked} for api version v1beta")
        return JSONResponse(known[asked].card)

    async def post(self, http: HttpRequest) -> Response:
        """POST models/{id}:{method}."""
        space = self.space(http)
        model_id, method = http.path_params["model"], http.path_params["method"]
        body, problem = parsed(await http.body())
        request = space.record(method, model_id, body, dict(http.headers))
        try:
            reply = await self.replied(space, request, problem)
        except Refusal as refusal:
            request.refusal = refusal.message
            reply = Reply(refusal.body, refusal.code)
        return await self.sent(http, space, request, reply)

    async def replied(self, space: Gemini, request: Request, problem: Refusal | None) -> Reply:
        """Return the answer. Raises Refusal for what the service would not take."""
        if space.outage is not None:
            return as_reply(await resolved(space.outage, request))
        if problem is not None:
            raise problem
        model = space.model(request.model, request.method)
        request.body = check_payload(MESSAGE_OF[request.method], request.body)
        if request.method in GENERATING:
            check_generate(request.body, model, space.signatures)
            return completed(await space.reply(request), request, model, space.signatures)
        return await space.reply(request) if space.scripts(request) else Reply(answer_plain(request, model))

    async def sent(self, http: HttpRequest, space: Gemini, request: Request, reply: Reply) -> Response:
        """Send an answer the way its reply says."""
        request.status, request.sent = reply.status, reply.body
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.ending == "hang":
            await gone(http)
        finish(space, request, reply)
        if reply.ending in ("hang", "closed"):
            self.connections.close(http)
            return Response(status_code=500)  # goes nowhere: the connection is closed
        return self.response(http, space, request, reply)

    def response(self, http: HttpRequest, space: Gemini, request: Request, reply: Reply) -> Response:
        """Return the HTTP response of a reply that is sent."""
        if reply.raw is not None:
            return Response(reply.raw, reply.status, media_type="text/html")
        streams = request.method == "streamGenerateContent" and reply.status == 200
        if not streams and reply.ending == "whole":
            return JSONResponse(reply.body, reply.status)
        events = http.query_params.get("alt") == "sse"
        pieces = wire_pieces(chunked(reply, space.piece) if streams else [reply.body], streams, events)
        media = "text/event-stream" if streams and events else "application/json"
        flow = Flow(self.connections)
        return StreamingResponse(flow(http, pieces, reply), reply.status, media_type=media)


def parsed(raw: bytes) -> tuple[Json, Refusal | None]:
    """Return the body, or the refusal of what is no JSON object."""
    try:
        body: Any = json.loads(raw or b"{}")
    except ValueError:
        return {}, invalid("Invalid JSON payload received. Unexpected token.")
    if isinstance(body, dict):
        return body, None
    return {}, invalid("Invalid JSON payload received. Root element must be a message.")


def answer_plain(request: Request, model: Model) -> Json:
    """Answer the methods that no script plays."""
    if request.method == "countTokens":
        inner = request.body.get("generateContentRequest") or request.body
        tokens = count_tokens(inner.get("contents"))
        return {"totalTokens": tokens, "promptTokensDetails": [{"modality": "TEXT", "tokenCount": tokens}]}
    return embeddings.answer(request, model)


def wire_pieces(chunks: list[Json], streams: bool, events: bool) -> list[str]:
    """Return the texts that go over the wire."""
    lines = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks]
    if not streams:
        return lines
    if events:
        return [f"data: {line}\r\n\r\n" for line in lines]
    return [("[" if not number else ",\r\n") + line for number, line in enumerate(lines)] + ["]"]


def half(piece: str) -> str:
    """Return a piece up to the middle of its longest quoted text."""
    longest = max(QUOTED.finditer(piece), key=lambda found: len(found[1]))
    return piece[: longest.start(1) + len(longest[1]) // 2]


async def gone(http: HttpRequest) -> None:
    """Wait until the client has left."""
    while not await http.is_disconnected():
        await asyncio.sleep(0.02)


def finish(space: Space, request: Request, reply: Reply) -> None:
    """Close the entry of the history."""
    request.seconds = time.time() - request.at
    if space.recorder is not None:
        space.recorder(request, reply)
