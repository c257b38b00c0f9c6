"""PLA-67: a removal of a user that has begun is finished, once, and nothing else is removed."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest

from wenmai.app.data_dir import REMOVALS, noted_removal, unfinished_removals
from wenmai.application.caller import Caller
from wenmai.application.operations import Application, open_application
from wenmai.application.users import ErasureReceipt, UserOperations, finish_removals
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
