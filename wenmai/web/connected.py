"""Work that is given up when the client that asked for it leaves."""

import asyncio
from collections.abc import Coroutine
from typing import TypeVar

from starlette.requests import Request

from tools.wording import Words
from wenmai.inputs import FieldError

T = TypeVar("T")
CLIENT_LEFT_IT = Words("连接已断开，没有保存", "the connection broke, nothing was kept")
CLIENT_LEFT = 499
LOOK_SECONDS = 1.0


async def while_connected(request: Request, work: Coroutine[None, None, T]) -> T:
    """Return what comes of a piece of work; when the client leaves it is given up, and nothing is stored."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_SECONDS))[0]:
            if await request.is_disconnected():
                raise FieldError("body", CLIENT_LEFT_IT, CLIENT_LEFT)
    finally:
        task.cancel()
    return task.result()
