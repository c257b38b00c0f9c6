"""PLA-67: a removal of a user that has begun is finished, once, and nothing else is removed."""

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from tools.errors import StoreLocked
from wenmai.app.container import Services
from wenmai.app.data_dir import REMOVALS, noted_removal, unfinished_removals
from wenmai.application.caller import Caller
from wenmai.application.operations import Application, open_application
from wenmai.application.users import ErasureReceipt, UserOperations, finish_removal, finish_removals
from wenmai.documents.originals import ORIGINALS
from wenmai.inputs import FieldError
from wenmai.settings.settings import validate_config


@pytest.fixture
async def app(tmp_path: Path) -> AsyncIterator[Application]:
    settings = validate_config(data_dir=tmp_path / "data", trace_dir=tmp_path / "traces")
    async with open_application(settings, Caller.local()) as opened:
        yield opened


async def broken_off(app: Application, user: str) -> None:
    with suppress(KeyboardInterrupt):
        async with noted_removal(app.services.settings.data_dir, user):
            raise KeyboardInterrupt


def noted(app: Application) -> list[str]:
    return unfinished_removals(app.services.settings.data_dir)


async def test_a_note_that_goes_while_notes_are_read(app: Application) -> None:
    await broken_off(app, "ann")
    (app.services.settings.data_dir / REMOVALS / ("0" * 64)).symlink_to("gone")
    assert noted(app) == ["ann"]


async def test_a_failure_of_the_disk_ends_no_loop(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    async def erase(self: UserOperations, name: str) -> ErasureReceipt:
        tried.append(name)
        raise OSError("input/output error")

    await broken_off(app, "ann")
    monkeypatch.setattr(UserOperations, "erase", erase)
    loop = asyncio.create_task(finish_removals(app.users, 0.01))
    async with asyncio.timeout(10):
        while len(tried) < 2:
            await asyncio.sleep(0.01)
    loop.cancel()
    assert noted(app) == ["ann"]


async def test_a_removal_under_way_is_left_to_who_began_it(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop leaves it alone; a second request waits for the first."""
    entered, free, begun = asyncio.Event(), asyncio.Event(), list[str]()
    remove = UserOperations._remove

    async def slow(self: UserOperations, name: str) -> ErasureReceipt:
        begun.append(name)
        entered.set()
        await free.wait()
        return await remove(self, name)

    monkeypatch.setattr(UserOperations, "_remove", slow)
    first = asyncio.create_task(app.users.erase("ann"))
    await entered.wait()
    assert noted(app) == ["ann"]
    await finish_removal(app.users, "ann")
    second = asyncio.create_task(app.users.erase("ann"))
    await asyncio.sleep(0.05)
    assert begun == ["ann"] and not second.done()
    free.set()
    await asyncio.gather(first, second)
    assert noted(app) == []


async def test_who_is_busy_is_not_removed_later(app: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was deleted: no note stays by which a later start would remove a user who goes on."""
    monkeypatch.setattr("wenmai.application.running.STOP_SECONDS", 0.05)
    free = asyncio.Event()

    async def unstoppable() -> None:
        while not free.is_set():
            with suppress(asyncio.CancelledError):
                await free.wait()

    busy = asyncio.create_task(app.shared.running.answered("ann", unstoppable))
    await asyncio.sleep(0)
    with pytest.raises(StoreLocked):
        await app.users.erase("ann")
    assert noted(app) == []
    free.set()
    await busy


async def test_who_is_being_removed_gets_no_key(app: Application) -> None:
    await broken_off(app, "ann")
    with pytest.raises(FieldError, match="ann") as refused:
        await app.keys.add("ann")
    assert refused.value.status == 409
    await app.users.erase("ann")
    assert (await app.keys.add("ann")).key.user == "ann"


async def test_files_are_copied_less_often_than_removals_are_tried(
    app: Application, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was replaced leaves the files at the start of a server and once an hour."""
    done: list[str] = []

    async def clean(self: Services) -> None:
        done.append("clean")

    async def erase(self: UserOperations, name: str) -> ErasureReceipt:
        done.append("erase")
        raise StoreLocked("busy")

    await broken_off(app, "ann")
    monkeypatch.setattr(Services, "clean", clean)
    monkeypatch.setattr(UserOperations, "erase", erase)
    loop = asyncio.create_task(finish_removals(app.users, 0.001))
    async with asyncio.timeout(10):
        while done.count("clean") < 2:
            await asyncio.sleep(0.001)
    loop.cancel()
    assert done[:9] == ["erase", "clean", *["erase"] * 6, "clean"]


async def test_files_of_uploads_that_were_killed_go_too(app: Application) -> None:
    """DOC-42: files of no document, half-written ones too; not what is being uploaded."""
    folder = app.services.settings.data_dir / ORIGINALS
    folder.mkdir(parents=True)
    for name, age in (("left.pdf", 7_200), (".left.pdfabc", 7_200), ("new.pdf", 60)):
        (folder / name).write_bytes(b"%PDF-")
        at = time.time() - age
        os.utime(folder / name, (at, at))
    await app.users.erase("ann")
    assert [path.name for path in folder.iterdir()] == ["new.pdf"]
