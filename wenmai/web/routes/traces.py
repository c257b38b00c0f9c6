"""Traces: how a question of one's own was answered."""

from typing import Annotated

from fastapi import Query

from wenmai.application.models.paging import USUAL, Page
from wenmai.application.models.traces import TraceLine, TraceRecord
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

router = resource("traces")


@router.get("/traces", summary="List traces")
async def listed(
    app: Operations,
    thread: Annotated[str | None, Query(description="Only those of this thread")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[TraceLine]:
    """List the traces of your threads and recalls among the newest of the server, the newest first."""
    return await app.traces.list(thread=thread, limit=limit, offset=offset)


@router.get("/traces/{trace}", summary="Get a trace")
async def one(app: Operations, guard: Reading, trace: str) -> TraceRecord:
    """Return a trace of yours; under a guard one that saw more of the story shows its question alone."""
    return await app.traces.get(trace, guard=guard)
