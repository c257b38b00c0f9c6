"""Traces: how a question of one's own was answered."""

import asyncio
import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from tools.wording import Words
from wenmai.application.caller import Caller
from wenmai.application.models.paging import Guard, Page, Paging, page_of
from wenmai.inputs import NotFound
from wenmai.observability.guarded_traces import as_read
from wenmai.observability.traces import read_trace
from wenmai.web.api.access import api_of, horizon_for, services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource

ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}(?:-\d+)?")
LOOKED_AT = 500  # the newest files: each is read
NO_TRACE = Words("没有编号为 {id} 的轨迹", "there is no trace {id}")
resource = Resource("traces")


class TraceLine(BaseModel):
    """A question of yours, and how it ended."""

    id: str
    query: str
    thread_id: str | None
    status: str
    outcome: str | None
    passed: bool | None
    started_at: str
    total_duration_ms: int


class TraceRecord(BaseModel):
    """A whole trace, as it is stored: attempts with their calls, drafts and grades."""

    trace: dict[str, Any]


class TraceQuery(Paging):
    """Which traces are asked for."""

    thread: str | None = Field(default=None, description="Only those of this thread")


@resource.get("/traces", "List traces")
async def listed(call: Call[TraceQuery, None]) -> Page[TraceLine]:
    """List the traces of your threads and recalls among the newest of the server, the newest first."""
    folder, who = (await services_of(call)).settings.trace_dir, viewer(call)
    own = await threads_of(call, who)
    found = await asyncio.to_thread(lambda: list(own_traces(folder, who, own)))
    wanted = call.query.thread
    return page_of([line_of(one) for one in found if wanted in (None, one.get("thread_id"))], call.query)


@resource.get("/traces/{trace}", "Get a trace")
async def one(call: Call[Guard, None]) -> TraceRecord:
    """Return a trace of yours; under a guard one that saw more of the story shows its question alone."""
    id, who = call.part("trace"), viewer(call)
    path = (await services_of(call)).settings.trace_dir / f"{id}.json"
    try:
        if not ID.fullmatch(id):
            raise ValueError(id)
        record = await asyncio.to_thread(read_trace, path)
    except (OSError, ValueError) as error:
        raise NotFound("trace", NO_TRACE.of(id=id[:80])) from error
    if not is_own(record, who, await threads_of(call, who)):
        raise NotFound("trace", NO_TRACE.of(id=id))
    return TraceRecord(trace=as_read(record, await horizon_for(call, str(record.get("library") or ""))))


async def threads_of(call: Call[Any, Any], who: Caller) -> set[str]:
    """Return the ids of a user's threads."""
    return {one.id for one in await api_of(call).conversations().threads(who)}


def own_traces(folder: Path, who: Caller, threads: Collection[str]) -> Iterator[Mapping[str, Any]]:
    """Yield a user's traces among the newest files, the newest first; their names begin with their time."""
    for path in sorted((path for path in folder.glob("*.json")), reverse=True)[:LOOKED_AT]:
        try:
            record = read_trace(path)
        except (OSError, ValueError):
            continue
        if is_own(record, who, threads):
            yield record


def is_own(record: Mapping[str, Any], who: Caller, threads: Collection[str]) -> bool:
    """Return True if a trace is of a user's recall, or of a thread of his."""
    return record.get("user_id") == who.user_id or record.get("thread_id") in threads


def line_of(record: Mapping[str, Any]) -> TraceLine:
    """Return a trace's line."""
    return TraceLine(
        id=record["trace_id"],
        query=str(record.get("query") or ""),
        thread_id=record.get("thread_id"),
        status=str(record.get("status") or ""),
        outcome=record.get("outcome"),
        passed=record.get("passed"),
        started_at=str(record.get("started_at") or ""),
        total_duration_ms=int(record.get("total_duration_ms") or 0),
    )
