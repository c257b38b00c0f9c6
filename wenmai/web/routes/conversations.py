"""Conversations: questions on threads, answered as JSON or as a stream of events, threads, and traces of questions."""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Annotated, Any, Literal

from fastapi import Query, Request
from starlette.responses import Response

from state import events
from state.schema import Evidence
from wenmai.answer import NodeEnd, ThreadEvent, TurnEvent, record_of
from wenmai.application.conversations import (
    FoundTurn,
    KeptTurn,
    NewTitle,
    Question,
    ThreadExport,
    ThreadReceipt,
    ThreadView,
    TurnRecord,
)
from wenmai.application.paging import USUAL, Page
from wenmai.application.reading import LONGEST_WORDING
from wenmai.application.traces import TraceLine, TraceRecord
from wenmai.application.transcripts import markdown_of
from wenmai.web.dependencies import (
    Event,
    Limit,
    Offset,
    Operations,
    Reading,
    download,
    event_response,
    resource,
    while_connected,
)
from wenmai.web.openapi import EVENT_STREAM, StreamEvent, stream_response
from wenmai.web.problems import Problem

CITATION = {
    "n": 1,
    "label": "《雾港》第二回 灯塔之约",
    "evidence": "f1e8f1c5-cbc1-5a77-9f59-69963323a2f4",
    "source": "雾港",
    "part": 1,
    "chapter": 2,
    "title": "第二回 灯塔之约",
    "quote": "苏晚照的哥哥苏晚亭是灯塔的守塔人。",
    "start": 20,
    "end": 37,
    "location": "第二回 灯塔之约",  # FastAPI leaves null out of examples
}
GRADE = {
    "question_type": "relation",
    "scores": {"tool_usage": 20, "evidence": 16, "completeness": 16, "citation": 20, "depth": 16},
    "score": 88,
    "reason": "reader: 0.79",
    "suggestion": "",
    "hallucination_detected": False,
    "passed": True,
    "fail_reason": "",
    "confidence": 0.79,
    "unsupported": [],
    "queries": [],
    "by": "offline",
}
VERDICT = {"attempt": 2, "status": "answer", "passed": True, "confidence": 0.79, "grade": GRADE, "notes": []}
WITHDRAWN = "这一稿未通过：深度不足、总分不足；没有依据：两人从来不认识。"
Kind = tuple[str, Any, dict[str, Any] | None]  # name, type of the data, example
KINDS: tuple[Kind, ...] = (
    ("thread", ThreadEvent, {"thread_id": "b6279777-cbe7-4c5d-bd59-131575c9925d"}),
    ("step", events.StepEvent, {"node": "resolve_pronouns"}),
    ("node", NodeEnd, {"node": "resolve_pronouns"}),
    (
        "tool",
        events.ToolStartEvent | events.ToolEndEvent,
        {"event": "tool_end", "call": 1, "tool": "search_memory", "ok": True, "items": 4},
    ),
    ("recall", events.RecallEvent, None),
    ("thought", events.ThoughtEvent, {"attempt": 1, "text": "再想一想"}),
    ("reading", events.ReadingEvent, {"attempt": 1, "pieces": 6}),
    ("draft", events.DraftEvent, {"attempt": 1, "text": "两人从来不认识[1]。"}),
    ("reset", events.ResetEvent, {"attempt": 1, "reason": "failed", "text": WITHDRAWN}),
    ("text", events.TextEvent, {"text": "苏晚照的哥哥是苏晚亭[1]。"}),
    ("citations", events.CitationsEvent, {"citations": [CITATION]}),
    ("verdict", events.VerdictEvent, VERDICT),
    ("memory", events.MemoryEvent, None),
)
router = resource("ask")
threads = resource("threads")
traces = resource("traces")


def named_example(name: str, data: Any, example: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return an example with the name that the graph's own events bear in themselves."""
    named = "event" in getattr(data, "__annotations__", {})
    return {"event": name, **example} if example is not None and named else example


STEPS = {name: StreamEvent(data, named_example(name, data, example)) for name, data, example in KINDS}
EVENTS = stream_response({**STEPS, "answer": StreamEvent(KeptTurn), "error": StreamEvent(Problem)})


@router.post("/ask", summary="Ask on a new thread", response_model=KeptTurn, responses=EVENTS)
async def ask(app: Operations, request: Request, question: Question) -> KeptTurn | Response:
    """Answer a question on a thread that is made for it; see `POST /threads/{thread}/ask`."""
    return await answer_question(app, request, question, None)


@router.post("/threads/{thread:path}/ask", summary="Ask on a thread", response_model=KeptTurn, responses=EVENTS)
async def ask_on(app: Operations, request: Request, thread: str, question: Question) -> KeptTurn | Response:
    """Answer a question on a thread; a UUID of your own that is not used yet begins one.

    With `Accept: text/event-stream` the turn comes as it happens: what a model thinks and writes before it is checked
    (`thought`, `draft`, withdrawn by `reset`), then the checked text, its citations and the verdict, last `answer` or
    `error`. Who leaves before the end gives the question up.
    """
    return await answer_question(app, request, question, thread)


async def answer_question(
    app: Operations, request: Request, asked: Question, thread: str | None
) -> KeptTurn | Response:
    is_stream = EVENT_STREAM in request.headers.get("accept", "")
    session = asked.session_context.model_dump() if asked.session_context else None
    fields = {"stream_drafts": is_stream, **asked.context()}
    events = app.conversations.events(asked.question, thread, session, fields, is_watched=is_stream)
    if is_stream:
        first = await anext(events)  # raises what is wrong with the question
        return event_response(turn_messages(first, events))
    return KeptTurn.model_validate(await while_connected(request, record_of(events)))


async def turn_messages(first: TurnEvent, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[Event]:
    yield first.kind, first.data
    async with aclosing(events):
        async for event in events:
            is_answer = event.kind == "answer"
            yield event.kind, KeptTurn.model_validate(event.data).model_dump(mode="json") if is_answer else event.data


@threads.get("/threads", name="listed", summary="List threads")
async def thread_rows(
    app: Operations,
    limit: Limit = USUAL,
    offset: Offset = 0,
    q: Annotated[str | None, Query(min_length=1, description="Only those with this in the title")] = None,
    library: Annotated[str | None, Query(description="Only those that began on this library")] = None,
) -> Page[ThreadView]:
    """List your threads, the last used first."""
    return await app.conversations.list(q=q, library=library, limit=limit, offset=offset)


@threads.get("/threads/search", summary="Find words in your threads")
async def found(
    app: Operations,
    guard: Reading,
    q: Annotated[str, Query(min_length=1, max_length=LONGEST_WORDING, description="The words")],
    library: Annotated[
        str | None, Query(description="Only threads that began on this library, in which the guard counts")
    ] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[FoundTurn]:
    """List where these very words stand in questions and answers, the last used thread first."""
    return await app.conversations.find(q, library=library, guard=guard, limit=limit, offset=offset)


@threads.get("/threads/{thread:path}/turns", summary="List the turns of a thread")
async def turns(app: Operations, thread: str, limit: Limit = USUAL, offset: Offset = 0) -> Page[KeptTurn]:
    """List questions and answers, the oldest first, without evidence. Citations and verdicts are kept of the newest."""
    return await app.conversations.turns(thread, limit=limit, offset=offset)


@threads.get("/threads/{thread:path}/turns/{number}/evidence", summary="List the evidence of a turn")
async def evidence(
    app: Operations, thread: str, number: str, limit: Limit = USUAL, offset: Offset = 0
) -> Page[Evidence]:
    """List what was found for a question, best first; of older turns it is no longer kept."""
    return await app.conversations.evidence(thread, number_of(number), limit=limit, offset=offset)


@threads.get("/threads/{thread:path}/turns/{number}/record", summary="Get the result record of a turn")
async def record(app: Operations, thread: str, number: str) -> TurnRecord:
    """Return all that is kept of a newer turn: the result record, as the command line has it."""
    turn = await app.conversations.turn(thread, number_of(number))
    return TurnRecord(record=turn.model_dump(mode="json", exclude={"number", "answered_at"}) if turn.status else {})


@threads.patch("/threads/{thread:path}", summary="Rename a thread")
async def rename(app: Operations, thread: str, new: NewTitle) -> ThreadView:
    """Give a thread another title."""
    return await app.conversations.rename(thread, new.title)


@threads.get("/threads/{thread:path}/export", summary="Export a thread", response_model=ThreadExport)
async def export(
    app: Operations,
    guard: Reading,
    thread: str,
    format: Literal["json", "markdown"] = "json",
    number: Annotated[int | None, Query(description="Only this question; they count from 1")] = None,
) -> Response:
    """Return a whole thread as a file, or one turn; under a guard without answers asked for under a later one or none.

    Markdown is in the language of the answers, with quotes, verdict, guard and date below each.
    """
    whole = await app.conversations.export(thread, guard=guard, number=number)
    if format == "markdown":
        return download(markdown_of(whole), "text/markdown", f"{whole.id}.md")
    return download(json.dumps(whole.model_dump(mode="json"), ensure_ascii=False), "application/json", f"{thread}.json")


# Behind those of its parts: a name may have slashes.
@threads.get("/threads/{thread:path}", name="one", summary="Get a thread")
async def one_thread(app: Operations, thread: str) -> ThreadView:
    """Return one thread."""
    return await app.conversations.get(thread)


@threads.delete("/threads/{thread:path}", summary="Delete a thread")
async def delete(app: Operations, thread: str) -> ThreadReceipt:
    """Delete a thread with its documents and the traces of its questions. Memories stay."""
    return await app.conversations.delete(thread)


def number_of(given: str) -> int:
    """Return the number of a turn; 0, which no turn has, for what is none."""
    return int(given) if given.isdecimal() and len(given) < 10 else 0


@traces.get("/traces", name="listed", summary="List traces")
async def trace_rows(
    app: Operations,
    thread: Annotated[str | None, Query(description="Only those of this thread")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[TraceLine]:
    """List the traces of your threads and recalls among the newest of the server, the newest first."""
    return await app.traces.list(thread=thread, limit=limit, offset=offset)


@traces.get("/traces/{trace}", name="one", summary="Get a trace")
async def one_trace(app: Operations, guard: Reading, trace: str) -> TraceRecord:
    """Return a trace of yours; under a guard one that saw more of the story shows its question alone."""
    return await app.traces.get(trace, guard=guard)
