"""Answers that take a while: server-sent events, and work that is given up when its client leaves."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Coroutine
from typing import Any, TypeVar

from sse_starlette import EventSourceResponse
from starlette.requests import Request

from tools.errors import WenmaiError
from tools.wording import Words
from wenmai.inputs import FieldError
from wenmai.web.problems import problem_of

T = TypeVar("T")
CLIENT_LEFT_IT = Words("连接已断开，没有保存", "the connection broke, nothing was kept")
CLIENT_LEFT = 499
LOOK_SECONDS = 1.0
EVENT_STREAM = "text/event-stream"
PING_S = 15
Event = tuple[str, Any]  # its name and its data

log = logging.getLogger("wenmai.web")


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


def event_response(events: AsyncIterator[Event]) -> EventSourceResponse:
    """Return a stream of events; who leaves it ends what makes them."""
    return EventSourceResponse(sse_messages(events), ping=PING_S)


async def sse_messages(events: AsyncIterator[Event]) -> AsyncIterator[dict[str, str]]:
    """Yield events as they are sent; behind an error `error` with its problem."""
    try:
        async for name, data in events:
            yield {"event": name, "data": json.dumps(data, ensure_ascii=False, default=str)}
    except WenmaiError as error:
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
    except Exception as error:
        log.exception("a stream of events failed")
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
