"""Jobs: long work of the server, its progress and its end."""

from collections.abc import AsyncIterator

from starlette.responses import Response

from wenmai.application.models.jobs import JobView
from wenmai.application.models.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, resource
from wenmai.web.openapi import StreamEvent, stream_response
from wenmai.web.streams import Event, streamed

EVENTS = {"progress": StreamEvent(JobView), "end": StreamEvent(JobView)}

router = resource("jobs")


@router.get("/jobs", summary="List jobs")
async def listed(app: Operations, limit: Limit = USUAL, offset: Offset = 0) -> Page[JobView]:
    """List your jobs, the newest first; with the right to administer those of all on the libraries of the key."""
    return await app.jobs.list(limit=limit, offset=offset)


@router.get("/jobs/{job}", summary="Get a job")
async def one(app: Operations, job: str) -> JobView:
    """Return a job as it is now."""
    return await app.jobs.get(job)


@router.get("/jobs/{job}/events", summary="Watch a job", response_class=Response, responses=stream_response(EVENTS))
async def watched(app: Operations, job: str) -> Response:
    """Stream the job: an event `progress` at each change, `end` at its end; each with the whole job."""
    return streamed(changes(app.jobs.watch(job)))


@router.delete("/jobs/{job}", summary="Stop a job")
async def stopped(app: Operations, job: str) -> JobView:
    """Stop a job. What it has written stays; the same job started again goes on from there."""
    return await app.jobs.cancel(job)


async def changes(states: AsyncIterator[JobView]) -> AsyncIterator[Event]:
    """Yield a job at each of its changes."""
    async for now in states:
        yield ("progress" if now.state == "running" else "end"), now.model_dump(mode="json")
