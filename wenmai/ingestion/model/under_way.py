"""Calls under way: what was begun is paid for, so that it comes to its end also where its caller is stopped."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable
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
        await asyncio.wait(tasks)
        raise
    if any(one.done() and (one.cancelled() or one.exception()) for one in tasks):
        stop()
        await asyncio.wait(tasks)
    return [one.result() for one in tasks]
