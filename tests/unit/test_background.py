"""A loop in a thread of its own: whoever gives up waiting gives up the work there, and sees it end."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Iterator

import pytest

from wenmai.background import Loop

EVENTS, STEP_S = 40, 0.0005


@pytest.fixture
def loop() -> Iterator[Loop]:
    made = Loop()
    yield made
    made.stop()


class Source:
    """A generator of numbers that says whether it was begun and closed; its steps take no time, or little, in turn."""

    def __init__(self) -> None:
        self.begun, self.closed = threading.Event(), threading.Event()

    async def events(self) -> AsyncGenerator[int]:
        self.begun.set()
        try:
            for number in range(EVENTS):
                await asyncio.sleep(STEP_S * (number % 2))
                yield number
        finally:
            self.closed.set()


async def test_a_reader_that_is_cancelled_anywhere_closes_what_it_reads(loop: Loop) -> None:
    """Time-outs and closed connections come at any moment, also while a step is being begun."""

    async def read(source: Source) -> int:
        return sum([number async for number in loop.relay(source.events())])

    ends = []
    for offset in range(200):
        source = Source()
        reading = asyncio.ensure_future(read(source))
        for _ in range(offset % 25):
            await asyncio.sleep(0)
        await asyncio.sleep(offset * STEP_S / 10)
        reading.cancel()
        ends.append(await asyncio.gather(reading, return_exceptions=True))
        assert source.closed.is_set() == source.begun.is_set()  # one that was never begun has nothing to close

    kinds = {type(end) for [end] in ends}
    assert kinds <= {asyncio.CancelledError, int} and asyncio.CancelledError in kinds
    assert await read(Source()) == sum(range(EVENTS))


async def test_who_gives_up_waits_for_the_end_of_the_work(loop: Loop) -> None:
    begun, done = threading.Event(), threading.Event()

    async def work() -> None:
        try:
            begun.set()
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.05)
            done.set()

    waiting = asyncio.ensure_future(loop.call(work()))
    await asyncio.to_thread(begun.wait)
    waiting.cancel()
    await asyncio.sleep(0)
    waiting.cancel()  # a second time, while the work is still ending
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert done.is_set()


def test_what_fails_there_is_raised_here(loop: Loop) -> None:
    async def work() -> None:
        raise LookupError("lost")

    with pytest.raises(LookupError, match="lost"):
        loop.run(work())
