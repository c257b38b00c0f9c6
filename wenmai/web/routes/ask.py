"""Asking: a question on a thread, answered as JSON or as a stream of events."""

from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from fastapi import Request
from starlette.responses import Response

from wenmai.answer import TurnEvent, record_of
from wenmai.application.models.conversations import KeptTurn, Question
from wenmai.web.connected import while_connected
from wenmai.web.dependencies import Operations, resource
from wenmai.web.openapi import stream_response
from wenmai.web.streams import EVENT_STREAM, Event, streamed
from wenmai.web.turn_events import turn_events

router = resource("ask")
EVENTS = stream_response(turn_events(KeptTurn))


@router.post("/ask", summary="Ask on a new thread", response_model=KeptTurn, responses=EVENTS)
async def ask(app: Operations, request: Request, question: Question) -> KeptTurn | Response:
    """Answer a question on a thread that is made for it; see `POST /threads/{thread}/ask`."""
    return await answered(app, request, question, None)


@router.post("/threads/{thread}/ask", summary="Ask on a thread", response_model=KeptTurn, responses=EVENTS)
async def ask_on(app: Operations, request: Request, thread: str, question: Question) -> KeptTurn | Response:
    """Answer a question on a thread; a UUID of your own that is not used yet begins one.

    With `Accept: text/event-stream` the turn comes as it happens: what a model thinks and writes before it is checked
    (`thought`, `draft`, withdrawn by `reset`), then the checked text, its citations and the verdict, last `answer` or
    `error`. Who leaves before the end gives the question up.
    """
    return await answered(app, request, question, thread)


async def answered(app: Operations, request: Request, asked: Question, thread: str | None) -> KeptTurn | Response:
    """Return the turn, or the stream of its events."""
    is_stream = EVENT_STREAM in request.headers.get("accept", "")
    session = asked.session_context.model_dump() if asked.session_context else None
    fields = {"stream_drafts": is_stream, **asked.context()}
    events = app.conversations.events(asked.question, thread, session, fields, is_watched=is_stream)
    if is_stream:
        first = await anext(events)  # raises what is wrong with the question
        return streamed(sent(first, events))
    return turn_of(await while_connected(request, record_of(events)))


async def sent(first: TurnEvent, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[Event]:
    """Yield events as they are sent."""
    yield first.kind, first.data
    async with aclosing(events):
        async for event in events:
            yield event.kind, turn_of(event.data).model_dump(mode="json") if event.kind == "answer" else event.data


def turn_of(record: Mapping[str, Any]) -> KeptTurn:
    """Return a result as a turn."""
    return KeptTurn.model_validate(record)
