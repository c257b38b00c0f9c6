"""Long work that goes on behind a request: its state, its progress for those who watch, its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import uuid4

from wenmai.errors import WenmaiError
from wenmai.web.rest.problems import INTERNAL

State = Literal["running", "done", "failed", "cancelled"]
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
    state: State = "running"
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
        """Start a piece of work and return its job."""
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

    async def close(self) -> None:
        """Stop every job."""
        for id in list(self._tasks):
            await self.cancel(id)

    async def _run(self, job: Job, work: Work) -> None:
        try:
            result = await work(lambda step: job.change(progress=step))
            job.change(state="done", result=result, ended_at=datetime.now(UTC))
        except asyncio.CancelledError:
            job.change(state="cancelled", ended_at=datetime.now(UTC))
        except WenmaiError as error:
            job.change(state="failed", error=str(error), ended_at=datetime.now(UTC))
        except Exception:
            log.exception("job %s failed", job.kind)
            job.change(state="failed", error=INTERNAL, ended_at=datetime.now(UTC))

    def _forget_oldest(self) -> None:
        over = [id for id, job in self._jobs.items() if job.state != "running"]
        for id in over[: max(0, len(over) - KEPT + 1)]:
            del self._jobs[id]
