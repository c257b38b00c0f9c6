"""Threads: the conversations of a user."""

import json
from collections.abc import Sequence
from typing import Annotated, Literal

from fastapi import Query
from starlette.responses import Response

from state.schema import Evidence
from wenmai.application.models.conversations import KeptTurn, NewTitle, ThreadExport, ThreadView, TurnRecord
from wenmai.application.models.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

router = resource("threads")


@router.get("/threads", summary="List threads")
async def listed(
    app: Operations,
    limit: Limit = USUAL,
    offset: Offset = 0,
    q: Annotated[str | None, Query(min_length=1, description="Only those with this in the title")] = None,
    library: Annotated[str | None, Query(description="Only those that began on this library")] = None,
) -> Page[ThreadView]:
    """List your threads, the last used first."""
    return await app.conversations.list(q=q, library=library, limit=limit, offset=offset)


@router.get("/threads/{thread}", summary="Get a thread")
async def one(app: Operations, thread: str) -> ThreadView:
    """Return one thread."""
    return await app.conversations.get(thread)


@router.get("/threads/{thread}/turns", summary="List the turns of a thread")
async def turns(app: Operations, thread: str, limit: Limit = USUAL, offset: Offset = 0) -> Page[KeptTurn]:
    """List questions and answers, the oldest first, without evidence. Citations and verdicts are kept of the newest."""
    return await app.conversations.turns(thread, limit=limit, offset=offset)


@router.get("/threads/{thread}/turns/{number}/evidence", summary="List the evidence of a turn")
async def evidence(
    app: Operations, thread: str, number: str, limit: Limit = USUAL, offset: Offset = 0
) -> Page[Evidence]:
    """List what was found for a question, best first; of older turns it is no longer kept."""
    return await app.conversations.evidence(thread, number_of(number), limit=limit, offset=offset)


@router.get("/threads/{thread}/turns/{number}/record", summary="Get the result record of a turn")
async def record(app: Operations, thread: str, number: str) -> TurnRecord:
    """Return all that is kept of a newer turn: the result record, as the command line has it."""
    turn = await app.conversations.turn(thread, number_of(number))
    return TurnRecord(record=turn.model_dump(mode="json", exclude={"number", "answered_at"}) if turn.status else {})


@router.patch("/threads/{thread}", summary="Rename a thread")
async def rename(app: Operations, thread: str, new: NewTitle) -> ThreadView:
    """Give a thread another title."""
    return await app.conversations.rename(thread, new.title)


@router.get("/threads/{thread}/export", summary="Export a thread", response_model=ThreadExport)
async def export(
    app: Operations, guard: Reading, thread: str, format: Literal["json", "markdown"] = "json"
) -> Response:
    """Return a whole thread as a file, JSON or Markdown, without answers that quote what comes after the guard."""
    whole = await app.conversations.export(thread, guard=guard)
    if format == "markdown":
        return download(markdown(whole), "text/markdown", f"{whole.id}.md")
    return download(json.dumps(whole.model_dump(mode="json"), ensure_ascii=False), "application/json", f"{thread}.json")


@router.delete("/threads/{thread}", summary="Delete a thread", status_code=204, response_class=Response)
async def delete(app: Operations, thread: str) -> None:
    """Delete a thread with its documents. Traces and memories stay."""
    await app.conversations.delete(thread)


def number_of(given: str) -> int:
    """Return the number of a turn; 0, which no turn has, for what is none."""
    return int(given) if given.isdecimal() and len(given) < 10 else 0


def download(text: str, media_type: str, name: str) -> Response:
    """Return a text as a file."""
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)


def markdown(thread: ThreadExport) -> str:
    """Return a thread as a text for people: questions as headings, citations as footnotes of their turn."""
    parts = [f"# {one_line(thread.title)}", *(part for turn in thread.turns for part in parts_of(turn))]
    return "\n\n".join(parts) + "\n"


def parts_of(turn: KeptTurn) -> Sequence[str]:
    """Return question, answer and citations of a turn."""
    notes = [
        f"> [{one['n']}] {' · '.join(filter(None, (one['source'], one['title'])))}：「{one_line(one['quote'])}」"
        for one in turn.citations
    ]
    return [f"## {one_line(turn.question)}", turn.answer, *(["\n".join(notes)] if notes else [])]


def one_line(text: str) -> str:
    """Return a text without line breaks."""
    return " ".join(text.split())
