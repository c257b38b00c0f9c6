"""The service as an ASGI application: routes, keys, rules, answers."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.gemini.app import Flow, finish, gone, parsed
from tests.gemini.parts import Json
from tests.gemini.refusals import Refusal
from tests.gemini.replies import Reply, as_reply
from tests.gemini.response import completed
from tests.gemini.signatures import Signatures
from tests.gemini.space import resolved
from tests.gemini.wire import Connections
from tests.openai_service import refusals
from tests.openai_service.rules import check
from tests.openai_service.space import OpenAI
from tests.openai_service.view import ChatRequest
from tests.openai_service.wire import CALL_TAG, NO_TOOLS, chunks, completion, probed

TEXT_ALONE: Json = {
    "candidates": [{"content": {"role": "model", "parts": [{"text": NO_TOOLS}]}, "finishReason": "STOP"}]
}


@dataclass(slots=True)
class ChatService:
    """All spaces of one server; a request finds its own by its key."""

    connections: Connections = field(default_factory=Connections)
    spaces: dict[str, OpenAI] = field(default_factory=dict)

    def app(self) -> Starlette:
        """Return the application."""
        return Starlette(
            routes=[
                Route("/v1/models", self.list_models),
                Route("/v1/chat/completions", self.post, methods=["POST"]),
            ],
            exception_handlers={Refusal: self.refused, Exception: self.failed},
        )

    def space(self, http: HttpRequest) -> OpenAI:
        """Return the space of the request's key. Raises the service's refusals of keys."""
        given = http.headers.get("authorization", "")
        if not given.startswith("Bearer "):
            raise refusals.no_key()
        key = given.removeprefix("Bearer ")
        if key not in self.spaces:
            raise refusals.bad_key()
        return self.spaces[key]

    async def failed(self, http: HttpRequest, failure: Exception) -> Response:
        """Keep what a function of a script raised, for the test that holds it."""
        self.space(http).failures.append(failure)
        return JSONResponse(refusals.error(500, f"loopback: the script raised {failure!r}"), 500)

    async def refused(self, http: HttpRequest, refusal: Exception) -> Response:
        """Answer what the service refuses before a request counts as one of a space."""
        if not isinstance(refusal, Refusal):
            raise refusal
        return JSONResponse(refusal.body, refusal.code)

    async def list_models(self, http: HttpRequest) -> Response:
        """GET models."""
        known = [{"id": id, "object": "model", "created": 0, "owned_by": "loopback"} for id in self.space(http).models]
        return JSONResponse({"object": "list", "data": known})

    async def post(self, http: HttpRequest) -> Response:
        """POST chat/completions."""
        space = self.space(http)
        body, problem = parsed(await http.body())
        request = space.note(body, dict(http.headers))
        try:
            if problem is not None:
                raise refusals.refusal("We could not parse the JSON body of your request.")
            reply = await self.replied(space, request)
        except Refusal as refusal:
            expected = cannot(refusal, space)
            request.refusal = "" if expected else refusal.message
            reply = Reply(refusal.body if "type" in refusal.body["error"] else script_error(refusal), refusal.code)
            return await self.sent(http, space, request, reply, {})
        reply, headers = refusals.translated(reply) if reply.status != 200 and reply.raw is None else (reply, {})
        return await self.sent(http, space, request, reply, headers)

    async def replied(self, space: OpenAI, request: ChatRequest) -> Reply:
        """Return the answer. Raises Refusal for what the service would not take."""
        if space.outage is not None:
            return as_reply(await resolved(space.outage, request))
        check(request.body, space.dialect)
        if request.model not in space.models:
            raise refusals.unknown_model(request.model)
        space.check_thoughts(request)
        given = await self.answer(space, request)
        return completed(given, request, replace(space.models[request.model], signs=False), Signatures())

    async def answer(self, space: OpenAI, request: ChatRequest) -> Reply:
        """Return what the model says: mostly the next step of the script."""
        if request.probes:
            return Reply(probed(request, space.dialect))
        if request.tools and not request.forced and space.dialect.tools == "ignored" and CALL_TAG not in request.system:
            return Reply(TEXT_ALONE)
        if echoed := echo(request, space):
            return as_reply({"text": json.dumps(echoed)})
        return await space.reply(request)

    async def sent(
        self, http: HttpRequest, space: OpenAI, request: ChatRequest, reply: Reply, headers: dict[str, str]
    ) -> Response:
        """Send an answer the way its reply says."""
        request.status, request.sent = reply.status, reply.body
        if reply.delay_s:
            await asyncio.sleep(reply.delay_s)
        if reply.ending == "hang":
            await gone(http)
        if not request.probes:
            finish(space, request, reply)
        if reply.ending in ("hang", "closed"):
            self.connections.close(http)
            return Response(status_code=500)  # goes nowhere: the connection is closed
        if reply.raw is not None:
            return Response(reply.raw, reply.status, media_type="text/html")
        if reply.status != 200:
            return JSONResponse(reply.body, reply.status, headers)
        return self.completed(http, space, request, reply)

    def completed(self, http: HttpRequest, space: OpenAI, request: ChatRequest, reply: Reply) -> Response:
        """Return a completion, whole or as a stream."""
        whole = completion(reply.body, request, space.dialect, space.issued)
        flow = Flow(self.connections)
        if not request.body.get("stream"):
            if reply.ending == "whole":
                return JSONResponse(whole)
            pieces = [json.dumps(whole, ensure_ascii=False)]
            return StreamingResponse(flow(http, pieces, reply), media_type="application/json")
        with_usage = bool((request.body.get("stream_options") or {}).get("include_usage"))
        events = list(lines(chunks(whole, space.piece, with_usage=with_usage)))
        return StreamingResponse(flow(http, events, reply), media_type="text/event-stream")


def lines(events: list[Json]) -> Iterator[str]:
    """Yield the events of a stream."""
    for event in events:
        yield f"data: {json.dumps(event, ensure_ascii=False)}\n\n"
    yield "data: [DONE]\n\n"


def cannot(refusal: Refusal, space: OpenAI) -> bool:
    """Return True if a refusal is one by which a client learns what this kind of server lacks."""
    dialect, said = space.dialect, refusal.message
    lacking = {
        "stream_options": not dialect.stream_options,
        "does not support tools": dialect.tools == "refused",
        "response_format type is unavailable": True,
        "tool_choice: only": True,
        "reasoning_effort": not dialect.efforts,
    }
    return any(words in said for words, lacks in lacking.items() if lacks)


def script_error(refusal: Refusal) -> Json:
    """Return the body of a refusal by the script itself."""
    return refusals.error(refusal.code, refusal.message)


def echo(request: ChatRequest, space: OpenAI) -> Json | None:
    """Return the schema where this kind of server has its model repeat it."""
    mended = any(one["role"] == "assistant" for one in request.messages)
    kind = (request.body.get("response_format") or {}).get("type")
    if mended or kind not in space.dialect.echoes:
        return None
    return {"type": "object", "properties": {"scores": {"type": "object"}}, "required": ["scores"]}
