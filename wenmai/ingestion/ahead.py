"""Work on several items at a time, with results in their order."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


async def in_order(
    items: Iterable[Item], work: Callable[[Item], Coroutine[Any, Any, Result]], at_a_time: int
) -> AsyncGenerator[Result, None]:
    """Yield the results of `work` in the order of the items, with `at_a_time` of them under way.

    What is under way when the generator is closed is cancelled.
    """
    under_way: deque[asyncio.Task[Result]] = deque()
    try:
        for item in items:
            under_way.append(asyncio.create_task(work(item)))
            if len(under_way) >= at_a_time:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
