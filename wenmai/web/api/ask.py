"""Asking: a question on a thread, answered as JSON or as a stream of events."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from wenmai.answer import Event
from wenmai.application.caller import allows
from wenmai.direct_tools.checks import check_guard, fields_as_sent, with_library
from wenmai.errors import StoreError
from wenmai.web.api.access import api_of, services_of, viewer
from wenmai.web.conversations.port import NO_RESULT, Asked, Turn
from wenmai.web.rest.connected import while_connected
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.run_fields import RunFields
from wenmai.web.rest.streams import EVENT_STREAM, streamed
from wenmai.web.rest.streams import Event as Sent
from wenmai.web.rest.turn_events import turn_events

resource = Resource("ask")


class SessionBody(BaseModel):
    """What was talked about elsewhere: entities in order of mention, the last is the newest."""

    entities: list[str]
    topic: str | None = None


class Question(RunFields):
    """A question with its sources and limits; what is left out has the usual value."""

    question: str = Field(min_length=1, examples=["他后来怎么样了？"])
    library: str | None = Field(
        default=None, examples=["sample"], description="The library; needed for stories, unless there is only one"
    )
    stream_drafts: bool | None = Field(
        default=None, description="Stream thoughts, and drafts as they are written; default: true for an event stream"
    )
    session_context: SessionBody | None = None


class CitationView(BaseModel):
    """A quotation behind a mark of the answer: `[n]`."""

    n: int
    evidence: str = Field(description="Its id, by which GET /threads/{thread}/turns/{number}/evidence lists it")
    quote: str
    source: str | None = None
    part: int | None = None
    chapter: int | None = None
    title: str | None = None
    start: int | None = Field(
        default=None,
        description="Where the quote stands in its chapter, in Unicode characters: GET /libraries/{library}/quotes",
    )
    end: int | None = None
    location: str | None = None


class TurnView(BaseModel):
    """A question with its answer.

    Of older turns only question and answer are kept: the other fields are null then.
    """

    number: int | None = Field(description="Counts the questions of a thread from 1")
    question: str
    resolved_question: str | None = None
    answer: str
    status: Literal["answer", "not_found", "clarify", "chat", "failed"] | None = None
    confidence: float | None = Field(default=None, description="0..1, null where the grader gives none")
    passed: bool | None = None
    citations: list[CitationView] = Field(default_factory=list)
    grade: dict[str, Any] | None = Field(default=None, description="The verdict: five scores of 0..20, and why")
    notes: list[dict[str, Any]] = Field(
        default_factory=list, description="Sentences that the check dropped or flagged, citations that it moved"
    )
    tool_calls: list[dict[str, Any]] = Field(default_factory=list)
    library: str | None = None
    mode: str | None = None
    mind: str | None = None
    warning: str | None = None
    trace_id: str | None = Field(default=None, description="GET /traces/{id} tells how it was answered")
    usage: dict[str, Any] | None = None
    answered_at: str | None = None


class AskedTurn(TurnView):
    """An answer, and the thread to ask on."""

    thread_id: str


KEPT = tuple(name for name in TurnView.model_fields if name not in ("number", "question", "answer", "answered_at"))


@resource.post("/ask", "Ask on a new thread", events=turn_events(AskedTurn))
async def ask(call: Call[None, Question]) -> AskedTurn | Response:
    """Answer a question on a thread that is made for it; see `POST /threads/{thread}/ask`."""
    return await answered(call, None)


@resource.post("/threads/{thread}/ask", "Ask on a thread", events=turn_events(AskedTurn))
async def ask_on(call: Call[None, Question]) -> AskedTurn | Response:
    """Answer a question on a thread; a UUID of your own that is not used yet begins one.

    With `Accept: text/event-stream` the turn comes as it happens: what a model thinks and writes before it is checked
    (`thought`, `draft`, withdrawn by `reset`), then the checked text, its citations and the verdict, last `answer` or
    `error`. Who leaves before the end gives the question up.
    """
    return await answered(call, call.part("thread"))


async def answered(call: Call[None, Question], thread: str | None) -> AskedTurn | Response:
    """Return the turn, or the stream of its events."""
    body = call.body
    session = body.session_context.model_dump() if body.session_context else None
    with fields_as_sent():
        asked = Asked(question=body.question, thread=thread, context=await context_of(call), session=session)
        events = api_of(call).conversations().ask(viewer(call), asked)
        if call.accepts(EVENT_STREAM):
            first = await anext(events)  # raises what is wrong with the question
            return streamed(sent(first, events))
        return await while_connected(call.request, whole(events))


async def context_of(call: Call[None, Question]) -> dict[str, Any]:
    """Return the fields of the run, with its library. Raises FieldError."""
    context = call.body.context()
    check_guard(context)
    context.setdefault("stream_drafts", call.accepts(EVENT_STREAM))
    who = viewer(call)
    return await with_library(context, (await services_of(call)).catalog, partial(allows, who.libraries))


async def whole(events: AsyncIterator[Event]) -> AskedTurn:
    """Return the turn at the end of its events. Raises StoreError where there is none."""
    turn: AskedTurn | None = None
    async with aclosing(events) as steps:  # type: ignore[type-var]  # they are a generator's
        async for event in steps:
            turn = asked_turn(event.data) if event.kind == "answer" else turn
    if turn is None:
        raise StoreError(NO_RESULT)
    return turn


async def sent(first: Event, events: AsyncIterator[Event]) -> AsyncIterator[Sent]:
    """Yield events as they are sent."""
    yield first.kind, first.data
    async with aclosing(events) as steps:  # type: ignore[type-var]  # they are a generator's
        async for event in steps:
            yield event.kind, shown(event)


def shown(event: Event) -> Any:
    """Return what is sent of an event."""
    return asked_turn(event.data).model_dump(mode="json") if event.kind == "answer" else event.data


def asked_turn(record: Mapping[str, Any]) -> AskedTurn:
    """Return a result record as a turn."""
    known = known_of(record)
    return AskedTurn(
        number=None, question=record["question"], answer=record["answer"], thread_id=str(record["thread_id"]), **known
    )


def turn_view(turn: Turn) -> TurnView:
    """Return a kept turn."""
    known = known_of(turn.record)
    at = turn.answered_at.isoformat() if turn.answered_at else None
    return TurnView(number=turn.number, question=turn.question, answer=turn.answer, answered_at=at, **known)


def known_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a turn that a result record has."""
    return {name: record[name] for name in KEPT if record.get(name) is not None}
