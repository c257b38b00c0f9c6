"""Ingests behind a request: their files stay until they are done, and a server that was killed goes on with them."""

import asyncio
import logging
import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from state.context import Language
from tools.errors import StoreFull, StoreLocked, WenmaiError
from tools.files import replace_file
from wenmai.app import sample
from wenmai.app.data_dir import JOBS, left_job_folders, unnamed
from wenmai.application.caller import Caller
from wenmai.application.jobs import JobView, Report
from wenmai.ingestion.contracts import IngestReport, Step

if TYPE_CHECKING:
    from wenmai.application.operations import Application

WANTED = ".job.json"  # no uploaded file has such a name
MOST_STARTS = 3  # what has ended the process so often may be the cause of it
AGAIN_S = 60.0

log = logging.getLogger("wenmai.web")


class WantedIngest(BaseModel):
    """What is to be read, as it stands beside its files.

    Attributes:
        is_sample: the story that comes along is meant.
        starts: how often it was begun by a process that was killed before its end.
    """

    user_id: str
    library: str
    file: str = ""
    title: str | None = None
    language: Language | None = None
    aliases: str | None = None
    graph: list[str] = []
    without_tables: bool = False
    chapters: str | None = None
    headings: list[str] = []
    replaces: str | None = None
    is_sample: bool = False
    starts: int = 0


async def begin_ingest(app: "Application", wanted: WantedIngest, folder: Path) -> JobView:
    """Begin to read the files of a folder as a job, which removes it at its end. Raises StoreLocked, StoreFull."""
    jobs, starts, writing = app.shared.jobs, wanted.starts, Lock()
    await app.services.require_room()

    async def work(report: Report) -> dict[str, Any]:
        def progress(step: Step) -> None:
            report({**asdict(step), "remaining": step.remaining})

        await app.services.require_room()  # it may have waited for long
        nonlocal starts
        starts = wanted.starts + 1
        await asyncio.to_thread(keep)
        with unnamed(folder):
            return asdict(await ingested(app, wanted, folder, progress))

    def keep() -> None:
        """Write the record anew, of one who was removed meanwhile without the name."""
        with writing, suppress(FileNotFoundError):  # it has just ended
            replace_file(folder / WANTED, record(wanted, job.user_id, starts))

    def settle() -> None:
        """Remove the files of a job that has ended; those of one that closes in order stay, and no start is counted."""
        if jobs.is_closing and job.view.state != "done":
            with writing, suppress(OSError):
                replace_file(folder / WANTED, record(wanted, job.user_id, wanted.starts))
        else:
            shutil.rmtree(folder, ignore_errors=True)

    await asyncio.to_thread(replace_file, folder / WANTED, wanted.model_dump_json())
    job = jobs.ingest(wanted.library, wanted.user_id, work, app.services.ingest_places, folder.name, settle, keep)
    return job.view


def record(wanted: WantedIngest, user_id: str, starts: int) -> str:
    return wanted.model_copy(update={"user_id": user_id, "starts": starts}).model_dump_json()


def forget_in_records(data_dir: Path, user_id: str) -> None:
    """Take a user's name out of the records of ingests that wait for a later start: they go on as nobody's."""
    for path in (data_dir / JOBS).glob(f"*/{WANTED}"):
        with suppress(OSError, ValidationError):
            wanted = WantedIngest.model_validate_json(path.read_bytes())
            if wanted.user_id == user_id:
                replace_file(path, record(wanted, "", wanted.starts))


async def ingested(
    app: "Application", wanted: WantedIngest, folder: Path, progress: Callable[[Step], None]
) -> IngestReport:
    if wanted.is_sample:
        return await app.libraries.ingest_request(sample.request(wanted.language or "zh"), progress=progress)
    return await app.libraries.ingest(
        folder / wanted.file,
        wanted.library,
        title=wanted.title,
        aliases=folder / wanted.aliases if wanted.aliases else None,
        graph=[folder / one for one in wanted.graph],
        without_tables=wanted.without_tables,
        chapters=wanted.chapters,
        headings=wanted.headings,
        replaces=wanted.replaces,
        language=wanted.language,
        progress=progress,
    )


async def resume_ingests(app: "Application") -> list[Path]:
    """Go on with what a server that ended had begun; return the folders of what is to be tried again later."""
    left = await asyncio.to_thread(left_job_folders, app.services.settings.data_dir)
    return [folder for folder in left if not await goes_on(app, folder)]


async def resume_later(app: "Application", folders: Sequence[Path], pause_s: float = AGAIN_S) -> None:
    """Try again what could not go on: there may be room by now, or whoever held the library has ended."""
    while folders:
        await asyncio.sleep(pause_s)
        folders = [folder for folder in folders if not await goes_on(app, folder)]


async def goes_on(app: "Application", folder: Path) -> bool:
    """Begin a job that has been left, or remove it for good; return False for one that is to be tried again.

    A folder without a record was never begun.
    """
    try:
        wanted = WantedIngest.model_validate_json(await asyncio.to_thread((folder / WANTED).read_bytes))
        if wanted.starts < MOST_STARTS:
            await begin_ingest(app.for_caller(Caller.local(wanted.user_id)), wanted, folder)
            log.info("job %s goes on: %s", folder.name, wanted.library)
            return True
        log.error("job %s is given up: the server ended in it %d times", folder.name, wanted.starts)
    except (StoreFull, StoreLocked) as error:
        log.warning("job %s does not go on yet: %s", folder.name, error)
        return False
    except (OSError, ValidationError, WenmaiError) as error:
        log.warning("job %s does not go on: %s", folder.name, type(error).__name__)
    await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
    return True
