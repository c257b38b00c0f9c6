"""The routes of OpenAI's protocol: completions, and the libraries as models."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from fastapi import APIRouter
from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tools.errors import InputError, LibraryNotFound, StoreError, WenmaiError
from tools.messages import Message
from tools.records import LibraryInfo
from wenmai.answer import TurnEvent
from wenmai.app.container import Services
from wenmai.application.caller import allows
from wenmai.application.operations import Application
from wenmai.application.paging import Guard, check_guard, horizon_of
from wenmai.inputs import context_from
from wenmai.web.dependencies import PING_S, ApiRoute, Handler, Operations, json_of, while_connected
from wenmai.web.openai.replies import ChatReply, Steps, error_of
from wenmai.web.openai.requests import check_form, conversation_of, request_from, run_of
from wenmai.web.openai.tasks import Subject, Task, answer_to, task_of, words_of
from wenmai.web.problems import retry_headers

PREFIX = "/v1"
THREAD = "x-wenmai-thread"


class ProtocolRoute(ApiRoute):
    def get_route_handler(self) -> Handler:
        answer = super().get_route_handler()

        async def guarded(request: Request) -> Response:
            try:
                return await answer(request)
            except WenmaiError as error:
                status, told = error_of(error)
                return JSONResponse(told, status, retry_headers(error))

        return guarded


router = APIRouter(prefix=PREFIX, route_class=ProtocolRoute, include_in_schema=False)


@router.get("/models")
async def models(app: Operations) -> Response:
    known = [one for one in await app.services.catalog.libraries() if allows(app.caller.libraries, one.name)]
    return JSONResponse({"object": "list", "data": [model_row(one) for one in known if one.problem is None]})


@router.get("/models/{model:path}")
async def model(app: Operations, model: str) -> Response:
    return JSONResponse(model_row(await library_of(app, run_of(model, {})["library"]), model))


@router.post("/chat/completions")
async def completions(app: Operations, request: Request) -> Response:
    """Answer the last message of a conversation; without a thread's name nothing of it is kept."""
    asked = request_from(await json_of(request))
    run = run_of(asked.model, asked.context())
    info = await library_of(app, run["library"])
    check_guard(run)
    context_from(run)
    name = request.headers.get(THREAD, "").strip()
    thread = await app.session(name) if name else None
    reply = ChatReply(asked.model, str(request.base_url), thread, asked.wants_usage)
    if task := task_of(asked):
        text = answer_to(task, await subject_of(app.services, info, task, run))
        return event_stream(reply.text_stream(text)) if asked.stream else JSONResponse(reply.text_reply(text))
    check_form(asked)
    talk = conversation_of(asked.messages, app.services.settings.max_question_chars)
    events = app.conversations.events(talk.question, reply.thread, talk.session, run, is_kept=reply.thread is not None)
    await anext(events)  # raises what is wrong with the question
    headers = {THREAD: reply.thread} if reply.thread else {}
    if asked.stream:
        return event_stream(reply.turn_stream(events), headers)
    return JSONResponse(await while_connected(request, final_reply(reply, events)), headers=headers)


def model_row(info: LibraryInfo, id: str | None = None) -> dict[str, Any]:
    """Return a library as a model; `name` is what clients show."""
    return {"id": id or info.name, "object": "model", "created": 0, "owned_by": "wenmai", "name": info.title}


async def final_reply(reply: ChatReply, events: AsyncGenerator[TurnEvent]) -> dict[str, Any]:
    steps, lines, record = Steps(), list[str](), None
    async with aclosing(events) as turn:
        async for event in turn:
            lines += [line] if (line := steps.line(event)) else []
            record = event.data if event.kind == "answer" else record
    if record is None:
        raise StoreError(Message("conversation.no_result"))
    return reply.turn_reply(record, "".join(lines))


async def subject_of(services: Services, info: LibraryInfo, task: Task, run: dict[str, Any]) -> Subject:
    """Return what a conversation is about, as far as its reader has read; no names where they cannot be read."""
    try:
        guard = Guard(as_of_chapter=run.get("as_of_chapter"), as_of_part=run.get("as_of_part"))
        horizon = await horizon_of(services.catalog, info.name, guard)
        table = await services.assembly.linker.table(info.name, horizon)
    except WenmaiError:
        return Subject(info.title, ())
    found = [one.entity for text in words_of(task) for one in table.find(text) if one.entity]
    return Subject(info.title, tuple(dict.fromkeys(found)))


async def library_of(app: Application, name: str) -> LibraryInfo:
    """Return a library that the key opens. Raises LibraryNotFound."""
    app.caller.require_library(name)
    try:
        return await app.services.catalog.info(name)
    except InputError as error:  # no name of a library
        raise LibraryNotFound(Message("access.unknown_library", name=name)) from error


def event_stream(chunks: AsyncIterator[dict[str, str]], headers: Mapping[str, str] | None = None) -> Response:
    """Return a stream of chunks; a client that disconnects cancels the question."""
    return EventSourceResponse(chunks, ping=PING_S, headers=headers, sep="\n")
