"""Calls of engines that block, between threads: coroutines that never suspend, and a lock for readers and writers."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

from anyio import CancelScope

S = TypeVar("S")
P = ParamSpec("P")
T = TypeVar("T")


def completed(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine that never suspends. Raises AssertionError for one that does."""
    try:
        work.send(None)
    except StopIteration as finished:
        result: T = finished.value
        return result
    work.close()
    raise AssertionError("the coroutine waits for something that does not block")


def in_thread(
    call: Callable[Concatenate[S, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[S, P], "CoroutineType[Any, Any, T]"]:
    """Run a method that blocks and never suspends in a thread to its end, also where its caller is cancelled."""

    @wraps(call)
    async def run(self: S, /, *args: P.args, **named: P.kwargs) -> T:
        return await asyncio.to_thread(lambda: completed(call(self, *args, **named)))

    return run  # type: ignore[return-value]  # mypy knows the type of a coroutine by its protocol alone


async def to_its_end(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of work; a caller that is cancelled goes on when it has ended, so that nothing comes behind."""
    task = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        with CancelScope(shield=True):
            while not task.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait([task])
        raise


class ReadWriteLock:
    """Lets any number of callers share a resource, or one have it alone."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0
        self._alone = False

    @contextmanager
    def shared(self) -> Iterator[None]:
        """Wait until no caller has the resource alone, and share it with others."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until all other callers are done, and have the resource alone; later callers wait."""
        with self._changed:
            self._changed.wait_for(lambda: not self._alone)
            self._alone = True
            self._changed.wait_for(lambda: self._inside == 0)
        try:
            yield
        finally:
            with self._changed:
                self._alone = False
                self._changed.notify_all()
