"""Long work that goes on behind a request: its state, its progress for those who watch, its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from tools.errors import StoreLocked, WenmaiError
from tools.wording import Words
from wenmai.app.libraries import BUSY
from wenmai.application.caller import Caller, allows
from wenmai.application.models.jobs import JobState, JobView
from wenmai.application.models.paging import USUAL, FirstRow, Page, Rows, in_range, part_of
from wenmai.inputs import NotFound

NO_JOB = Words("没有编号为 {id} 的任务", "there is no job {id}")
INTERNAL = Words("服务器内部错误，原因见服务器的日志", "The server failed: its log says why")
Report = Callable[[dict[str, Any]], None]
Work = Callable[[Report], Awaitable[dict[str, Any]]]
KEPT = 200  # finished jobs that are still known

log = logging.getLogger("wenmai.web")


@dataclass(slots=True, kw_only=True)
class Job:
    """A piece of work of a user. `progress` is the last step, `result` what it gave."""

    id: str
    kind: str
    subject: str
    user_id: str
    started_at: datetime
    state: JobState = "running"
    progress: dict[str, Any] | None = None
    result: dict[str, Any] | None = None
    error: str | None = None
    ended_at: datetime | None = None
    _changed: asyncio.Event = field(default_factory=asyncio.Event, repr=False)

    def change(self, **values: Any) -> None:
        """Set what has changed and wake those who watch."""
        for name, value in values.items():
            setattr(self, name, value)
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def watched(self) -> AsyncIterator["Job"]:
        """Yield the job now, after each change, and at its end; steps that follow fast are left out."""
        while True:
            changed, is_over = self._changed, self.state != "running"
            yield self
            if is_over:
                return
            await changed.wait()


@dataclass(slots=True)
class Jobs:
    """The jobs of a process; they end with it."""

    _jobs: dict[str, Job] = field(default_factory=dict)
    _tasks: dict[str, asyncio.Task[None]] = field(default_factory=dict)

    def begin(self, kind: str, subject: str, user_id: str, work: Work) -> Job:
        """Start a piece of work and return its job. Raises StoreLocked while another changes the same library."""
        if any(one.subject == subject and one.state == "running" for one in self._jobs.values()):
            raise StoreLocked(BUSY.of(library=subject))
        job = Job(id=str(uuid4()), kind=kind, subject=subject, user_id=user_id, started_at=datetime.now(UTC))
        self._forget_oldest()
        self._jobs[job.id] = job
        task = asyncio.create_task(self._run(job, work))
        self._tasks[job.id] = task
        task.add_done_callback(lambda _: self._tasks.pop(job.id, None))
        return job

    def find(self, id: str) -> Job | None:
        """Return a job."""
        return self._jobs.get(id)

    def all(self) -> list[Job]:
        """Return every job that is known, the newest first."""
        return list(self._jobs.values())[::-1]

    async def cancel(self, id: str) -> None:
        """Stop a job and wait until it has stopped."""
        if task := self._tasks.get(id):
            task.cancel()
            await asyncio.wait([task])
            if (job := self._jobs[id]).state == "running":  # it may have ended meanwhile
                job.change(state="cancelled", ended_at=datetime.now(UTC))

    async def close(self) -> None:
        """Stop every job."""
        for id in list(self._tasks):
            await self.cancel(id)

    async def _run(self, job: Job, work: Work) -> None:
        try:
            result = await work(lambda step: job.change(progress=step))
            job.change(state="done", result=result, ended_at=datetime.now(UTC))
        except WenmaiError as error:
            job.change(state="failed", error=str(error), ended_at=datetime.now(UTC))
        except Exception:
            log.exception("job %s failed", job.kind)
            job.change(state="failed", error=INTERNAL.say(), ended_at=datetime.now(UTC))

    def _forget_oldest(self) -> None:
        over = [id for id, job in self._jobs.items() if job.state != "running"]
        for id in over[: max(0, len(over) - KEPT + 1)]:
            del self._jobs[id]


@dataclass(frozen=True, slots=True)
class JobOperations:
    """What can be done with jobs: a caller's own; who may administer has those of all on the libraries of the key."""

    jobs: Jobs
    caller: Caller

    def begin(self, kind: str, subject: str, work: Work) -> JobView:
        """Start a piece of work of the caller on a library. Raises StoreLocked while another changes it."""
        return job_view(self.jobs.begin(kind, subject, self.caller.user_id, work))

    @in_range
    async def list(self, *, limit: Rows = USUAL, offset: FirstRow = 0) -> Page[JobView]:
        """Return jobs, the newest first."""
        visible = [job_view(one) for one in self.jobs.all() if self._sees(one)]
        return part_of(visible, limit, offset)

    async def get(self, id: str) -> JobView:
        """Return a job as it is now. Raises NotFound."""
        return job_view(self._find(id))

    async def cancel(self, id: str) -> JobView:
        """Stop a job. What it has written stays; the same work started again goes on from there. Raises NotFound."""
        job = self._find(id)
        await self.jobs.cancel(job.id)
        return job_view(job)

    def watch(self, id: str) -> AsyncIterator[JobView]:
        """Yield a job now, after each change and at its end. Raises NotFound."""
        job = self._find(id)
        return (job_view(one) async for one in job.watched())

    def _find(self, id: str) -> Job:
        job = self.jobs.find(id)
        if job is None or not self._sees(job):
            raise NotFound("job", NO_JOB.of(id=id[:80]))
        return job

    def _sees(self, job: Job) -> bool:
        is_own = self.caller.is_admin or job.user_id == self.caller.user_id
        return is_own and allows(self.caller.libraries, job.subject)


def job_view(job: Job) -> JobView:
    """Return a job as plain data."""
    return JobView(**{name: getattr(job, name) for name in JobView.model_fields})
