"""Long work that goes on behind a request: its state, its progress for those who watch, its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field

from tools.errors import StoreLocked, WenmaiError
from tools.wording import Words
from wenmai.app.libraries import BUSY
from wenmai.application.caller import Caller, allows
from wenmai.application.paging import USUAL, FirstRow, Page, Rows, in_range
from wenmai.inputs import NotFound

JobState = Literal["running", "done", "failed", "cancelled"]


class JobView(BaseModel):
    """A job. It is kept as long as the server runs."""

    id: str
    kind: str = Field(examples=["ingest"])
    subject: str = Field(description="What it changes: the library")
    state: JobState
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


NO_JOB = Words("没有编号为 {id} 的任务", "there is no job {id}")
INTERNAL = Words("服务器内部错误，原因见服务器的日志", "The server failed: its log says why")
Report = Callable[[dict[str, Any]], None]
Work = Callable[[Report], Awaitable[dict[str, Any]]]
KEPT = 200  # finished jobs that are still known

log = logging.getLogger("wenmai.web")


@dataclass(slots=True)
class Job:
    """A piece of work of a user, as it is now."""

    view: JobView
    user_id: str
    task: asyncio.Task[None] | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    @property
    def is_running(self) -> bool:
        return self.view.state == "running"

    def change(self, **values: Any) -> None:
        """Set what has changed and wake those who watch."""
        self.view = self.view.model_copy(update=values)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    def end(self, state: JobState, **values: Any) -> None:
        self.change(state=state, ended_at=datetime.now(UTC), **values)

    async def states(self) -> AsyncIterator[JobView]:
        """Yield the job now, after each change, and at its end; steps that follow fast are left out."""
        while True:
            changed, is_over = self._changed, not self.is_running
            yield self.view
            if is_over:
                return
            await changed.wait()


@dataclass(slots=True)
class Jobs:
    """The jobs of a process, by their ids; they end with it."""

    known: dict[str, Job] = field(default_factory=dict)

    def begin(self, kind: str, subject: str, user_id: str, work: Work) -> Job:
        """Start a piece of work and return its job. Raises StoreLocked while another changes the same library."""
        if any(one.view.subject == subject and one.is_running for one in self.known.values()):
            raise StoreLocked(BUSY.of(library=subject))
        over = [id for id, job in self.known.items() if not job.is_running]
        for id in over[: max(0, len(over) - KEPT + 1)]:
            del self.known[id]
        started = {"id": str(uuid4()), "kind": kind, "subject": subject, "started_at": datetime.now(UTC)}
        rest = dict.fromkeys(("progress", "result", "error", "ended_at"))
        job = Job(JobView.model_validate({**started, **rest, "state": "running"}), user_id)
        self.known[job.view.id] = job
        job.task = asyncio.create_task(self._run(job, work))
        return job

    async def cancel(self, job: Job) -> None:
        """Stop a job and wait until it has stopped."""
        if job.task and not job.task.done():
            job.task.cancel()
            await asyncio.wait([job.task])
            if job.is_running:  # it may have ended meanwhile
                job.end("cancelled")

    async def close(self) -> None:
        for job in list(self.known.values()):
            await self.cancel(job)

    async def _run(self, job: Job, work: Work) -> None:
        try:
            job.end("done", result=await work(lambda step: job.change(progress=step)))
        except WenmaiError as error:
            job.end("failed", error=str(error))
        except Exception:
            log.exception("job %s failed", job.view.kind)
            job.end("failed", error=INTERNAL.say())


@dataclass(frozen=True, slots=True)
class JobOperations:
    """What can be done with jobs: a caller's own; who may administer has those of all on the libraries of the key."""

    jobs: Jobs
    caller: Caller

    def begin(self, kind: str, subject: str, work: Work) -> JobView:
        """Start a piece of work of the caller on a library. Raises StoreLocked while another changes it."""
        return self.jobs.begin(kind, subject, self.caller.user_id, work).view

    @in_range
    async def list(self, *, limit: Rows = USUAL, offset: FirstRow = 0) -> Page[JobView]:
        """Return jobs, the newest first."""
        newest = reversed(self.jobs.known.values())
        return Page.of([one.view for one in newest if self._sees(one)], limit, offset)

    async def get(self, id: str) -> JobView:
        """Return a job as it is now. Raises NotFound."""
        return self._find(id).view

    async def cancel(self, id: str) -> JobView:
        """Stop a job. What it has written stays; the same work started again goes on from there. Raises NotFound."""
        job = self._find(id)
        await self.jobs.cancel(job)
        return job.view

    def watch(self, id: str) -> AsyncIterator[JobView]:
        """Yield a job now, after each change and at its end. Raises NotFound."""
        return self._find(id).states()

    def _find(self, id: str) -> Job:
        job = self.jobs.known.get(id)
        if job is None or not self._sees(job):
            raise NotFound("job", NO_JOB.of(id=id[:80]))
        return job

    def _sees(self, job: Job) -> bool:
        is_own = self.caller.is_admin or job.user_id == self.caller.user_id
        return is_own and allows(self.caller.libraries, job.view.subject)
