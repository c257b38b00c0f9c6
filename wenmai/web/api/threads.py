"""Threads: the conversations of a user."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from tools.wording import Words
from wenmai.application.models.paging import Guard, Page, Paging, Strict, page_of
from wenmai.inputs import NotFound, spoken
from wenmai.web.api.access import api_of, viewer
from wenmai.web.api.ask import CitationView, TurnView, turn_view
from wenmai.web.conversations.port import Thread, Turn
from wenmai.web.rest.endpoints import Call, Resource

NO_TURN = Words("这个会话没有第 {number} 问", "this conversation has no question {number}")
BEYOND = Words(
    "（这个回答引用了还没读到的章节，没有导出。）",
    "(This answer quotes chapters that were not read yet; it was left out.)",
)
resource = Resource("threads")


class ThreadView(BaseModel):
    """A conversation."""

    id: str
    title: str = Field(description="At first the beginning of its first question")
    library: str | None = Field(description="The library of its first question")
    created_at: datetime
    updated_at: datetime


class ThreadQuery(Paging):
    """Which threads are asked for."""

    q: str | None = Field(default=None, min_length=1, description="Only those with this in the title")
    library: str | None = Field(default=None, description="Only those that began on this library")


class EvidencePiece(BaseModel):
    """One piece that was found for a question; citations name its id."""

    id: str
    kind: Literal["passage", "relation", "event", "property", "memory", "document"]
    tool: str
    text: str
    score: float | None
    library: str
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    location: str | None
    start: int | None
    end: int | None


class TurnRecord(BaseModel):
    """The result record of a turn, {} where it is no longer kept."""

    record: dict[str, Any]


class NewTitle(Strict):
    """Another title."""

    title: str = Field(min_length=1, max_length=200)


class ExportQuery(Guard):
    """The form of an export, and how far its reader is."""

    format: Literal["json", "markdown"] = "json"


class ThreadExport(ThreadView):
    """A whole conversation."""

    turns: list[TurnView]


@resource.get("/threads", "List threads")
async def listed(call: Call[ThreadQuery, None]) -> Page[ThreadView]:
    """List your threads, the last used first."""
    query = call.query
    rows = [
        thread_view(one)
        for one in await api_of(call).conversations().threads(viewer(call))
        if query.library in (None, one.library) and (query.q is None or query.q in one.title)
    ]
    return page_of(rows, query)


@resource.get("/threads/{thread}", "Get a thread")
async def one(call: Call[None, None]) -> ThreadView:
    """Return one thread."""
    return thread_view(await api_of(call).conversations().thread(viewer(call), call.part("thread")))


@resource.get("/threads/{thread}/turns", "List the turns of a thread")
async def turns(call: Call[Paging, None]) -> Page[TurnView]:
    """List questions and answers, the oldest first. Citations and verdicts are kept of the newest turns."""
    found = await api_of(call).conversations().turns(viewer(call), call.part("thread"))
    return page_of([turn_view(one) for one in found], call.query)


@resource.get("/threads/{thread}/turns/{number}/evidence", "List the evidence of a turn")
async def evidence(call: Call[Paging, None]) -> Page[EvidencePiece]:
    """List what was found for a question, best first; of older turns it is no longer kept."""
    rows = (await found_turn(call)).record.get("evidence") or []
    return page_of([EvidencePiece.model_validate(one) for one in rows], call.query)


@resource.get("/threads/{thread}/turns/{number}/record", "Get the result record of a turn")
async def record(call: Call[None, None]) -> TurnRecord:
    """Return all that is kept of a newer turn: the result record, as the command line has it."""
    return TurnRecord(record=dict((await found_turn(call)).record))


async def found_turn(call: Call[Any, None]) -> Turn:
    """Return the turn that the path names. Raises NotFound."""
    number = call.part("number")
    found = await api_of(call).conversations().turns(viewer(call), call.part("thread"))
    turn = next((one for one in found if str(one.number) == number), None)
    if turn is None:
        raise NotFound("number", NO_TURN.of(number=number[:20]))
    return turn


@resource.patch("/threads/{thread}", "Rename a thread")
async def rename(call: Call[None, NewTitle]) -> ThreadView:
    """Give a thread another title."""
    known = await api_of(call).conversations().rename(viewer(call), call.part("thread"), call.body.title)
    return thread_view(known)


@resource.get("/threads/{thread}/export", "Export a thread")
async def export(call: Call[ExportQuery, None]) -> ThreadExport | Response:
    """Return a whole thread as a file, JSON or Markdown, without answers that quote what comes after the guard."""
    conversations, who, id = api_of(call).conversations(), viewer(call), call.part("thread")
    known = thread_view(await conversations.thread(who, id))
    rows = [guarded(turn_view(one), call.query) for one in await conversations.turns(who, id)]
    whole = ThreadExport(**known.model_dump(), turns=rows)
    if call.query.format == "markdown":
        return download(markdown(whole), "text/markdown", f"{known.id}.md")
    return download(json.dumps(whole.model_dump(mode="json"), ensure_ascii=False), "application/json", f"{id}.json")


@resource.delete("/threads/{thread}", "Delete a thread")
async def delete(call: Call[None, None]) -> None:
    """Delete a thread with its documents. Traces and memories stay."""
    await api_of(call).conversations().delete(viewer(call), call.part("thread"))


def guarded(turn: TurnView, guard: Guard) -> TurnView:
    """Return a turn as a reader up to a chapter may see it."""
    if not any(is_beyond(one, guard) for one in turn.citations):
        return turn
    return TurnView(number=turn.number, question=turn.question, answer=spoken(BEYOND, turn.question))


def is_beyond(citation: CitationView, guard: Guard) -> bool:
    """Return True if a quotation comes after what was read."""
    if guard.as_of_chapter is None or citation.chapter is None:
        return False
    return (citation.part or 1, citation.chapter) > (guard.as_of_part or 1, guard.as_of_chapter)


def download(text: str, media_type: str, name: str) -> Response:
    """Return a text as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)


def markdown(thread: ThreadExport) -> str:
    """Return a thread as a text for people: questions as headings, citations as footnotes of their turn."""
    parts = [f"# {one_line(thread.title)}", *(part for turn in thread.turns for part in parts_of(turn))]
    return "\n\n".join(parts) + "\n"


def parts_of(turn: TurnView) -> Sequence[str]:
    """Return question, answer and citations of a turn."""
    notes = [f"> [{one.n}] {place_of(one.source, one.title)}：「{one_line(one.quote)}」" for one in turn.citations]
    return [f"## {one_line(turn.question)}", turn.answer, *(["\n".join(notes)] if notes else [])]


def place_of(*parts: str | None) -> str:
    """Return where a quotation stands."""
    return " · ".join(part for part in parts if part)


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())


def thread_view(thread: Thread) -> ThreadView:
    """Return what is shown of a thread."""
    return ThreadView(
        id=thread.id,
        title=thread.title,
        library=thread.library,
        created_at=thread.created_at,
        updated_at=thread.updated_at,
    )
