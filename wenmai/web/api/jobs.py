"""Jobs: long work of the server, its progress and its end."""

from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field
from starlette.responses import Response

from tools.wording import Words
from wenmai.application.caller import Caller, allows
from wenmai.application.models.paging import Page, Paging, page_of
from wenmai.inputs import NotFound
from wenmai.web.api.access import api_of, viewer
from wenmai.web.rest.endpoints import Call, Resource, StreamEvent
from wenmai.web.rest.jobs import Job
from wenmai.web.rest.streams import Event, streamed

NO_JOB = Words("没有编号为 {id} 的任务", "there is no job {id}")
resource = Resource("jobs")


class JobView(BaseModel):
    """A job. It is kept as long as the server runs."""

    id: str
    kind: str = Field(examples=["ingest"])
    subject: str = Field(description="What it changes: the library")
    state: Literal["running", "done", "failed", "cancelled"]
    progress: dict[str, Any] | None = Field(
        description="The last step: done, total, unit, chapter, seconds, remaining",
        examples=[
            {"done": 12, "total": 64, "unit": "passages", "chapter": "第三回", "seconds": 4.2, "remaining": 18.2}
        ],
    )
    result: dict[str, Any] | None = Field(description="What it did, once it is done")
    error: str | None = Field(description="Why it failed")
    started_at: datetime
    ended_at: datetime | None


@resource.get("/jobs", "List jobs")
async def listed(call: Call[Paging, None]) -> Page[JobView]:
    """List your jobs, the newest first; with the right to administer those of all on the libraries of the key."""
    own = [one for one in api_of(call).jobs.all() if sees(viewer(call), one)]
    return page_of([job_view(one) for one in own], call.query)


@resource.get("/jobs/{job}", "Get a job")
async def one(call: Call[None, None]) -> JobView:
    """Return a job as it is now."""
    return job_view(found(call))


@resource.get(
    "/jobs/{job}/events", "Watch a job", events={"progress": StreamEvent(JobView), "end": StreamEvent(JobView)}
)
async def watched(call: Call[None, None]) -> Response:
    """Stream the job: an event `progress` at each change, `end` at its end; each with the whole job."""
    return streamed(changes(found(call)))


@resource.delete("/jobs/{job}", "Stop a job")
async def stopped(call: Call[None, None]) -> JobView:
    """Stop a job. What it has written stays; the same job started again goes on from there."""
    job = found(call)
    await api_of(call).jobs.cancel(job.id)
    return job_view(job)


async def changes(job: Job) -> AsyncIterator[Event]:
    """Yield a job at each of its changes."""
    async for now in job.watched():
        yield ("progress" if now.state == "running" else "end"), job_view(now).model_dump(mode="json")


def found(call: Call[None, None]) -> Job:
    """Return the job that the path names. Raises NotFound."""
    job = api_of(call).jobs.find(call.part("job"))
    if job is None or not sees(viewer(call), job):
        raise NotFound("job", NO_JOB.of(id=call.part("job")[:80]))
    return job


def sees(who: Caller, job: Job) -> bool:
    """Return True if a job may be seen and stopped by a user."""
    return allows(who.libraries, job.subject) and (who.is_admin or job.user_id == who.user_id)


def job_view(job: Job) -> JobView:
    """Return what is shown of a job."""
    return JobView(
        id=job.id,
        kind=job.kind,
        subject=job.subject,
        state=job.state,
        progress=job.progress,
        result=job.result,
        error=job.error,
        started_at=job.started_at,
        ended_at=job.ended_at,
    )
