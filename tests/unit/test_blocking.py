"""Coroutines over engines whose calls block."""

import asyncio

import pytest

from wenmai.stores.files.threads import completed


async def test_a_coroutine_that_never_suspends_is_run_to_its_end() -> None:
    async def blocking(number: int) -> int:
        return number + 1

    async def work() -> int:
        return await blocking(await blocking(1))

    assert completed(work()) == 3


async def test_its_error_is_raised() -> None:
    async def work() -> int:
        raise ValueError("no number")

    with pytest.raises(ValueError, match="no number"):
        completed(work())


async def test_a_coroutine_that_waits_is_refused() -> None:
    async def work() -> None:
        await asyncio.sleep(0)

    with pytest.raises(AssertionError, match="waits"):
        completed(work())
