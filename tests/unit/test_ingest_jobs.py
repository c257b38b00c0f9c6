"""PLA-66: the files of an ingest stay as long as somebody is to read them, and no longer."""

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from tools.errors import StoreFull
from wenmai.app.container import Services
from wenmai.app.data_dir import PROCESS, job_folder, left_job_folders
from wenmai.application.caller import Caller
from wenmai.application.ingest_jobs import MOST_STARTS, WANTED, WantedIngest, begin_ingest, resume_ingests, resume_later
from wenmai.application.jobs import Report
from wenmai.application.operations import Application, open_application
from wenmai.settings.settings import validate_config


def application(folder: Path) -> Application:
    return Application(Services(validate_config(data_dir=folder, ingests_at_once=1)))


async def forever(report: Report) -> dict[str, Any]:
    return await asyncio.Future()


def wanted(library: str = "second", starts: int = 0) -> WantedIngest:
    return WantedIngest(user_id="local", library=library, file="a.txt", starts=starts)


async def test_an_ingest_that_is_stopped_while_it_waits_leaves_no_files(tmp_path: Path) -> None:
    app = application(tmp_path)
    app.shared.jobs.ingest("first", "local", forever, app.services.ingest_places)
    await asyncio.sleep(0)
    folder = job_folder(tmp_path)
    job = await begin_ingest(app, wanted(), folder)
    assert job.is_waiting and (folder / WANTED).exists()
    assert (await app.jobs.cancel(job.id)).state == "cancelled"
    assert not folder.exists()
    await app.shared.jobs.close()


async def test_a_start_counts_until_an_orderly_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that only waits has not begun."""
    app, folders = application(tmp_path), [job_folder(tmp_path) for _ in range(2)]

    async def reading(*given: Any) -> Any:
        await asyncio.Future()

    def starts() -> list[int]:
        kept = [(folder / WANTED).read_bytes() for folder in folders]
        return [WantedIngest.model_validate_json(one).starts for one in kept]

    monkeypatch.setattr("wenmai.application.ingest_jobs.ingested", reading)
    for name, folder in zip(("first", "second"), folders, strict=True):
        await begin_ingest(app, wanted(name), folder)
    async with asyncio.timeout(10):
        while starts() != [1, 0]:
            await asyncio.sleep(0.01)
    await app.shared.jobs.close()
    assert starts() == [0, 0]


async def test_a_user_who_is_removed_does_not_come_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-67: no record of an ingest keeps the name, whether it runs, waits, or is left for later."""
    folders = [job_folder(tmp_path) for _ in range(4)]

    async def reading(*given: Any) -> Any:
        await asyncio.Future()

    def users() -> list[str]:
        kept = [WantedIngest.model_validate_json((folder / WANTED).read_bytes()) for folder in folders]
        return [one.user_id for one in kept]

    def of(user: str, library: str) -> WantedIngest:
        return wanted(library).model_copy(update={"user_id": user})

    monkeypatch.setattr("wenmai.application.ingest_jobs.ingested", reading)
    for user, folder in zip(("alice", "bob"), folders[2:], strict=True):
        (folder / WANTED).write_text(of(user, user).model_dump_json(), encoding="utf-8")
    settings = validate_config(data_dir=tmp_path, trace_dir=tmp_path / "traces", ingests_at_once=1)
    async with open_application(settings, Caller.local()) as app:
        for name, folder in zip(("first", "second"), folders, strict=False):
            await begin_ingest(app, of("alice", name), folder)
        await app.users.erase("alice")
        assert users() == ["", "", "", "bob"]
        await app.shared.jobs.close()
    assert users() == ["", "", "", "bob"]
    again = application(tmp_path)
    await resume_ingests(again)
    assert {job.user_id for job in again.shared.jobs.known.values()} == {"", "bob"}
    await again.shared.jobs.close()


async def test_an_ingest_that_has_waited_looks_for_room_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PLA-62: what others have written meanwhile may have filled the disk."""

    async def no_room(services: Services) -> None:
        raise StoreFull("255 MB")

    app = application(tmp_path)
    first = app.shared.jobs.ingest("first", "local", forever, asyncio.Semaphore(1))
    await asyncio.sleep(0)
    job = await begin_ingest(app, wanted(), job_folder(tmp_path))
    monkeypatch.setattr(Services, "require_room", no_room)
    await app.shared.jobs.cancel(first)
    async with asyncio.timeout(10):
        states = [one async for one in app.jobs.watch(job.id)]
    assert (states[-1].state, states[-1].error) == ("failed", "255 MB")
    await app.shared.jobs.close()


async def test_what_ends_the_server_each_time_is_given_up(tmp_path: Path) -> None:
    app, folder = application(tmp_path), job_folder(tmp_path)
    (folder / WANTED).write_text(wanted(starts=MOST_STARTS).model_dump_json(), encoding="utf-8")
    await resume_ingests(app)
    assert not folder.exists() and not app.shared.jobs.known


async def test_what_cannot_go_on_yet_goes_on_later(tmp_path: Path) -> None:
    """Its library is in use, or the disk is full: nobody has to start the server again."""
    app, folder = application(tmp_path), job_folder(tmp_path)
    (folder / WANTED).write_text(wanted().model_dump_json(), encoding="utf-8")
    other = app.shared.jobs.ingest("second", "local", forever, asyncio.Semaphore(1))
    left = await resume_ingests(app)
    assert left == [folder] and folder.name not in app.shared.jobs.known
    later = asyncio.create_task(resume_later(app, left, 0.01))
    await asyncio.sleep(0.05)
    assert folder.exists() and not later.done()
    await app.shared.jobs.cancel(other)
    async with asyncio.timeout(10):
        await later
    assert folder.name in app.shared.jobs.known
    await app.shared.jobs.close()


def test_the_jobs_of_another_server_are_left_to_it(tmp_path: Path) -> None:
    own, others = job_folder(tmp_path), job_folder(tmp_path)
    (others / PROCESS).write_text(str(os.getppid()))
    assert left_job_folders(tmp_path) == [own]
