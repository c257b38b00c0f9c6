"""An event loop in a thread of its own, for callers without one, or with another."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
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
        begun = asyncio.run_coroutine_threadsafe(task_of(work), self._loop)
        try:
            self._wait(begun.result())
        except BaseException:
            self._loop.call_soon_threadsafe(begun.result().cancel)
            self._wait(begun.result())
            raise
        return begun.result().result()

    async def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of work in the loop, to a caller in another one; see `run`."""
        task = await self._there(task_of(work))
        try:
            await self._there(ended(task))
        except BaseException:
            self._loop.call_soon_threadsafe(task.cancel)
            await self._there(ended(task))
            raise
        return task.result()

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

    def _wait(self, task: asyncio.Task[Any]) -> None:
        asyncio.run_coroutine_threadsafe(ended(task), self._loop).result()

    async def _there(self, work: Coroutine[Any, Any, T]) -> T:
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, self._loop))

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


async def ended(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task, whatever it is."""
    await asyncio.wait([task])


@cache
def close_at_exit(close: Callable[[], None]) -> None:
    """Have something closed, once, at the end of the process.

    Not by atexit: there no thread can be used any more, and stores are closed in some.
    """
    threading._register_atexit(close)  # type: ignore[attr-defined]  # typeshed does not have it
