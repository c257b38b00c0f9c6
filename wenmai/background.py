"""An event loop in a thread of its own, for callers without one, or with another."""

import asyncio
import queue
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import aclosing, suppress
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")
END = object()


class Loop:
    """An event loop in a thread of its own."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="wenmai-connect", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of work in the loop; who interrupts the wait gives the work up, and waits for its end."""
        begun = asyncio.run_coroutine_threadsafe(task_of(work), self._loop)
        try:
            self._wait(begun.result())
        except BaseException:
            self._loop.call_soon_threadsafe(begun.result().cancel)
            self._wait(begun.result())
            raise
        return begun.result().result()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of work in the loop, to a caller in another one."""
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

    def iterate(self, events: AsyncGenerator[T]) -> Iterator[T]:
        """Yield the events of a generator that runs in the loop; it is closed when nobody reads on."""
        arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        task = self.run(task_of(moved(events, arrived.put)))
        try:
            while (event := arrived.get()) is not END:
                yield event
            self.run(outcome(task))
        finally:
            self.run(stop(task))

    async def relay(self, events: AsyncGenerator[T]) -> AsyncGenerator[T]:
        """Yield the events of a generator that runs in the loop, to a reader in another one."""
        arrived, here = asyncio.Queue[Any](), asyncio.get_running_loop()

        def put(event: Any) -> None:
            here.call_soon_threadsafe(arrived.put_nowait, event)

        task = await self.call(task_of(moved(events, put)))
        try:
            while (event := await arrived.get()) is not END:
                yield event
            await self.call(outcome(task))
        finally:
            await self.call(stop(task))

    def _wait(self, task: asyncio.Task[Any]) -> None:
        asyncio.run_coroutine_threadsafe(asyncio.wait([task]), self._loop).result()

    def stop(self) -> None:
        """End the loop and its thread."""
        try:
            self.run(self._loop.shutdown_asyncgens())
        finally:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()


async def task_of(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Begin work in the running loop."""
    return asyncio.create_task(work)


async def moved(events: AsyncGenerator[Any], put: Callable[[Any], None]) -> None:
    """Put every event, then END."""
    try:
        async with aclosing(events):
            async for event in events:
                put(event)
    finally:
        with suppress(RuntimeError):  # the reader's loop is closed
            put(END)


async def outcome(task: asyncio.Task[T]) -> T:
    """Return what comes of a task, or raise its error."""
    return await task


async def stop(task: asyncio.Task[Any]) -> None:
    """Cancel a task and wait for its end."""
    task.cancel()
    await asyncio.wait([task])


@cache
def close_at_exit(close: Callable[[], None]) -> None:
    """Have something closed, once, at the end of the process.

    Not by atexit: there no thread can be used any more, and stores are closed in some.
    """
    threading._register_atexit(close)  # type: ignore[attr-defined]  # typeshed does not have it
