"""The routes of OpenAI's protocol: completions, and the libraries as models."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from functools import wraps
from typing import Any

from sse_starlette import EventSourceResponse
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tools.records import LibraryInfo
from wenmai.answer import Event
from wenmai.app.container import Services
from wenmai.application.caller import NO_LIBRARY, Caller, allows
from wenmai.application.guard import horizon_of
from wenmai.application.models.paging import Guard
from wenmai.direct_tools.checks import check_guard
from wenmai.errors import InputError, LibraryNotFound, StoreError, WenmaiError
from wenmai.inputs import context_from
from wenmai.web.api.access import STATE, Api
from wenmai.web.callers import identity_of, viewer_of
from wenmai.web.chat.conversation import conversation_of
from wenmai.web.chat.errors import refused
from wenmai.web.chat.forms import ChatRequest, check_form, request_from
from wenmai.web.chat.models import model_row, run_of
from wenmai.web.chat.replies import Reply
from wenmai.web.chat.steps import Steps
from wenmai.web.chat.task_answers import Subject, answer_to, words_of
from wenmai.web.chat.tasks import Task, task_of
from wenmai.web.conversations.port import NO_RESULT, Asked, thread_id
from wenmai.web.rest.connected import while_connected
from wenmai.web.rest.endpoints import json_of
from wenmai.web.rest.streams import PING_S

PREFIX = "/v1"
THREAD = "x-wenmai-thread"
Answer = Callable[[Request], Awaitable[Response]]


def with_protocol_errors(answer: Answer) -> Answer:
    """Return an endpoint whose errors have the protocol's form."""

    @wraps(answer)
    async def guarded(request: Request) -> Response:
        try:
            return await answer(request)
        except WenmaiError as error:
            return refused(error)

    return guarded


@with_protocol_errors
async def models(request: Request) -> Response:
    """List the libraries that the key opens."""
    services, who = await services_and_viewer(request)
    known = [one for one in await services.catalog.libraries() if allows(who.libraries, one.name)]
    return JSONResponse({"object": "list", "data": [model_row(one) for one in known if one.problem is None]})


@with_protocol_errors
async def model(request: Request) -> Response:
    """Return one of them, by its name with or without a guard."""
    id = str(request.path_params["model"])
    services, who = await services_and_viewer(request)
    return JSONResponse(model_row(await library_of(services, who, run_of(id, {})["library"]), id))


@with_protocol_errors
async def completions(request: Request) -> Response:
    """Answer the last message of a conversation."""
    asked = request_from(await json_of(request))
    services, who = await services_and_viewer(request)
    run = run_of(asked.model, asked.context())
    info = await library_of(services, who, run["library"])
    check_guard(run)
    context_from(run)
    name = request.headers.get(THREAD, "").strip()
    thread = thread_id(name, identity_of(who)) if name else None
    reply = Reply(asked.model, str(request.base_url), thread, asked.wants_usage)
    if task := task_of(asked):
        text = answer_to(task, await subject_of(services, info, task, run))
        return event_stream(reply.text_stream(text)) if asked.stream else JSONResponse(reply.text_reply(text))
    return await turn(request, services, who, asked, run, reply)


async def turn(
    request: Request, services: Services, who: Caller, asked: ChatRequest, run: dict[str, Any], reply: Reply
) -> Response:
    """Answer a question; without a thread's name nothing of it is kept."""
    check_form(asked)
    conversation = conversation_of(asked.messages, services.settings.max_question_chars)
    question = Asked(
        question=conversation.question,
        thread=reply.thread,
        context=run,
        session=conversation.session,
        is_kept=reply.thread is not None,
    )
    events = api_of(request).conversations().ask(who, question)
    await anext(events)  # raises what is wrong with the question
    if asked.stream:
        return event_stream(reply.turn_stream(events), reply.thread)
    return JSONResponse(await while_connected(request, final_reply(reply, events)), headers=thread_header(reply.thread))


async def final_reply(reply: Reply, events: AsyncIterator[Event]) -> dict[str, Any]:
    """Return the reply at the end of a turn. Raises StoreError where there is none."""
    steps, lines, record = Steps(), list[str](), None
    async with aclosing(events) as turn:  # type: ignore[type-var]  # they are a generator's
        async for event in turn:
            lines += [line] if (line := steps.line(event)) else []
            record = event.data if event.kind == "answer" else record
    if record is None:
        raise StoreError(NO_RESULT)
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


async def library_of(services: Services, who: Caller, name: str) -> LibraryInfo:
    """Return a library that the key opens. Raises LibraryNotFound."""
    who.require_library(name)
    try:
        return await services.catalog.info(name)
    except InputError as error:  # no name of a library
        raise LibraryNotFound(NO_LIBRARY.of(name=name)) from error


async def services_and_viewer(request: Request) -> tuple[Services, Caller]:
    """Return the process's services, and who asks."""
    return await api_of(request).services(), viewer_of(request.scope)


def api_of(request: Request) -> Api:
    """Return the API that a request is sent to."""
    api: Api = request.scope[STATE]
    return api


def event_stream(chunks: AsyncIterator[dict[str, str]], thread: str | None = None) -> Response:
    """Return a stream of chunks; who leaves it gives the question up."""
    return EventSourceResponse(chunks, ping=PING_S, headers=thread_header(thread), sep="\n")


def thread_header(thread: str | None) -> dict[str, str]:
    """Return the header that says on which thread an answer stands."""
    return {THREAD: thread} if thread else {}


ROUTES: tuple[tuple[str, str, Answer], ...] = (
    ("GET", "/models", models),
    ("GET", "/models/{model:path}", model),
    ("POST", "/chat/completions", completions),
)
