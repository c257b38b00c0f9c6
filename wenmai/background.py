"""Work in threads of its own: an event loop for callers without one or with another, and work of low priority."""

import asyncio
import os
import sys
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wenmai-connect", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of work in the loop; who interrupts the wait gives the work up, and waits for its end."""
        ended, cancel = self._begin(work)
        try:
            return ended.result().result()
        except BaseException:
            cancel()
            ended.result()
            raise

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of work in the loop, to a caller in another one; see `run`."""
        ended, cancel = self._begin(work)
        waiting = asyncio.wrap_future(ended)
        try:
            return (await asyncio.shield(waiting)).result()
        except BaseException:
            cancel()
            while not waiting.done():
                with suppress(asyncio.CancelledError):  # of a second one; the first goes on below
                    await asyncio.shield(waiting)
            raise

    def _begin(self, work: Coroutine[Any, Any, T]) -> "tuple[Future[asyncio.Task[T]], Callable[[], object]]":
        """Begin work in the loop; return what gets its task when that has ended, and what cancels it."""
        ended: Future[asyncio.Task[T]] = Future()
        begun: list[asyncio.Task[T]] = []

        def begin() -> None:
            begun.append(self._loop.create_task(work))
            begun[0].add_done_callback(ended.set_result)

        self._loop.call_soon_threadsafe(begin)
        return ended, lambda: self._loop.call_soon_threadsafe(lambda: begun[0].cancel())

    def iterate(self, events: AsyncGenerator[T]) -> Iterator[T]:
        """Yield the events of a generator that runs in the loop; it is closed when nobody reads on."""
        try:
            while True:
                yield self.run(anext(events))
        except StopAsyncIteration:
            return
        finally:
            self.run(events.aclose())

    async def relay(self, events: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """Yield the events of a generator that runs in the loop, to a reader in another one; see `iterate`."""
        try:
            while True:
                yield await self.call(anext(events))
        except StopAsyncIteration:
            return
        finally:
            await self.call(events.aclose())

    def stop(self) -> None:
        """End the loop and its thread."""
        try:
            self.run(self._loop.shutdown_asyncgens())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


NICENESS = 10
"""Niceness of work that questions go before."""


def lower_priority() -> None:
    """Let this thread's work wait for that of others, where the system knows priorities of threads."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


@cache
def low_priority_threads() -> ThreadPoolExecutor:
    """Return threads for long work on the processor that questions go before, such as reading a book."""
    return ThreadPoolExecutor(os.cpu_count() or 1, thread_name_prefix="reading", initializer=lower_priority)


@cache
def close_at_exit(close: Callable[[], None]) -> None:
    """Have something closed, once, at the end of the process.

    Not by atexit: there no thread can be used any more, and stores are closed in some.
    """
    threading._register_atexit(close)  # type: ignore[attr-defined]  # typeshed does not have it
