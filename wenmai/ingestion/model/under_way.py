"""Calls under way: what was begun is paid for, so that it comes to its end also where its caller is stopped."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from tools.messages import say

T = TypeVar("T")
log = logging.getLogger("wenmai.ingest")


async def finished(work: Iterable[Coroutine[Any, Any, T]], stop: Callable[[], None]) -> list[T]:
    """Return what pieces of work bring, in order.

    After a failure, or where the caller is cancelled, `stop` is called, whereupon they begin nothing more; they come to
    their end before the failure is raised. A second cancellation ends the wait.
    """
    tasks = [asyncio.create_task(one) for one in work]
    if not tasks:
        return []
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    except asyncio.CancelledError:
        stop()
        log.warning(say("ingest.finishing_calls"))
        await _ended(tasks)
        raise
    if any(one.done() and (one.cancelled() or one.exception()) for one in tasks):
        stop()
        await _ended(tasks)
    return [one.result() for one in tasks]


async def _ended(tasks: Sequence[asyncio.Task[T]]) -> None:
    """Wait for all, and take every failure: the loop logs those that nobody has taken."""
    await asyncio.wait(tasks)
    for one in tasks:
        if not one.cancelled():
            one.exception()
