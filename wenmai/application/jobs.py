"""Long work that goes on behind a request: its state, its progress for those who watch, its end."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import nullcontext
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Literal
from uuid import uuid4

from pydantic import BaseModel, Field

from tools.errors import StoreLocked, WenmaiError
from tools.messages import Message, say
from wenmai.application.caller import Caller, allows
from wenmai.application.paging import USUAL, FirstRow, Page, Rows, in_range
from wenmai.inputs import FieldError, NotFound

JobState = Literal["running", "done", "failed", "cancelled"]


class JobView(BaseModel):
    """A job. It is kept as long as the server runs."""

    id: str
    kind: Literal["ingest", "upload"]
    subject: str = Field(description="What it changes: the library; the name of the file that is uploaded")
    state: JobState
    is_waiting: bool = Field(default=False, description="Whether it still waits for other ingests to end")
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


Report = Callable[[dict[str, Any]], None]
Work = Callable[[Report], Awaitable[dict[str, Any]]]
KEPT = 200  # finished jobs of a user and a kind that are still known
MOST_KEPT = 2_000  # finished jobs of all
MOST_UPLOADS = 20  # of one user, that are not stored yet: their bytes are held

log = logging.getLogger("wenmai.web")


@dataclass(slots=True)
class Job:
    """A piece of work of a user, as it is now."""

    view: JobView
    user_id: str
    task: asyncio.Task[None] | None = None
    settle: Callable[[], None] | None = None  # what is done at its end, however often; it may block
    keep: Callable[[], None] | None = None  # writes down what it is and whose, for the next start; it may block
    failure: Exception | None = None
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
    is_closing: bool = False

    def ingest(
        self,
        library: str,
        user_id: str,
        work: Work,
        places: asyncio.Semaphore,
        id: str | None = None,
        settle: Callable[[], None] | None = None,
        keep: Callable[[], None] | None = None,
    ) -> Job:
        """Start to read a text into a library, behind others where so many are read already.

        Raises StoreLocked while another job changes the same library.
        """
        running = [one.view for one in self.known.values() if one.is_running]
        if any((one.kind, one.subject) == ("ingest", library) for one in running):
            raise StoreLocked(Message("library.being_changed", library=library))
        job = self.begin("ingest", library, user_id, work, places, id)
        job.settle, job.keep = settle, keep
        return job

    def begin(
        self,
        kind: Literal["ingest", "upload"],
        subject: str,
        user_id: str,
        work: Work,
        places: asyncio.Semaphore | None = None,
        id: str | None = None,
    ) -> Job:
        """Start a piece of work and return its job; with `places` it waits for one."""
        own = {id: job for id, job in self.known.items() if (job.view.kind, job.user_id) == (kind, user_id)}
        over = [id for id, job in own.items() if not job.is_running]
        for id in over[: max(0, len(over) - KEPT + 1)]:
            del self.known[id]
        ended = sorted((job.view.ended_at, id) for id, job in self.known.items() if job.view.ended_at is not None)
        for _, id in ended[: max(0, len(ended) - MOST_KEPT + 1)]:
            del self.known[id]
        started = {"id": id or str(uuid4()), "kind": kind, "subject": subject, "started_at": datetime.now(UTC)}
        rest = dict.fromkeys(("progress", "result", "error", "ended_at"))
        is_waiting = places is not None and places.locked()
        job = Job(JobView.model_validate({**started, **rest, "state": "running", "is_waiting": is_waiting}), user_id)
        self.known[job.view.id] = job
        job.task = asyncio.create_task(self._run(job, work, places))
        return job

    async def cancel(self, job: Job) -> None:
        """Stop a job and wait until it has stopped."""
        if job.task and not job.task.done():
            job.task.cancel()
            await asyncio.wait([job.task])
            if job.settle is not None:  # it may not have begun
                await asyncio.to_thread(job.settle)
            if job.is_running:  # it may have ended meanwhile
                job.end("cancelled")

    async def forget_user(self, user_id: str) -> None:
        """Stop the uploads of a user and forget the user's jobs; what is read into libraries goes on as nobody's."""
        for id, job in [(id, job) for id, job in self.known.items() if job.user_id == user_id]:
            if job.view.kind == "upload":
                await self.cancel(job)
            if job.is_running:
                job.user_id = ""
                if job.keep is not None:
                    await asyncio.to_thread(job.keep)
            else:
                self.known.pop(id, None)

    async def close(self) -> None:
        """Stop all; what is kept of an ingest goes on with the next start."""
        self.is_closing = True
        for job in list(self.known.values()):
            await self.cancel(job)

    async def _run(self, job: Job, work: Work, places: asyncio.Semaphore | None) -> None:
        try:
            async with places or nullcontext():
                if job.view.is_waiting:
                    job.change(is_waiting=False)
                job.end("done", result=await work(lambda step: job.change(progress=step)))
        except WenmaiError as error:
            job.failure = without_frames(error)
            job.end("failed", error=str(error))
        except Exception as error:
            log.exception("job %s failed", job.view.kind)
            job.failure = without_frames(error)
            job.end("failed", error=say("server.internal_error"))
        finally:
            if job.settle is not None:
                await asyncio.to_thread(job.settle)


def without_frames(error: Exception) -> Exception:
    """Return an error of a job that is kept: it holds nothing more of where it was raised, such as the file."""
    error.__cause__ = error.__context__ = None
    return error.with_traceback(None)


@dataclass(frozen=True, slots=True)
class JobOperations:
    """What can be done with jobs: a caller's own; who may administer has those of all on the libraries of the key."""

    jobs: Jobs
    caller: Caller

    def begin_upload(self, name: str, work: Work) -> JobView:
        """Start to store a file of the caller's. Raises FieldError (429) where too many wait already."""
        own = [one for one in self.jobs.known.values() if one.is_running and one.user_id == self.caller.user_id]
        if sum(one.view.kind == "upload" for one in own) >= MOST_UPLOADS:
            raise FieldError(
                "file", Message("upload.too_many_at_once", most=MOST_UPLOADS), HTTPStatus.TOO_MANY_REQUESTS
            )
        return self.jobs.begin("upload", name, self.caller.user_id, work).view

    async def ended(self, id: str, within_s: float) -> JobView:
        """Return a job at its end, or as it is when the time is up. Raises its error where it failed; NotFound."""
        job = self._find(id)
        if job.task is not None:
            await asyncio.wait([job.task], timeout=within_s)
        failure, job.failure = job.failure, None  # once raised it has the frames of who waited
        if failure is not None:
            raise failure
        return job.view

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
            raise NotFound("job", Message("server.unknown_job", id=id[:80]))
        return job

    def _sees(self, job: Job) -> bool:
        if job.view.kind == "upload":  # its subject is the name of a file, which is its user's alone
            return job.user_id == self.caller.user_id
        is_own = self.caller.is_admin or job.user_id == self.caller.user_id
        return is_own and allows(self.caller.libraries, job.view.subject)
