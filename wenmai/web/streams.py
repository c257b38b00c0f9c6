"""Server-sent events: named events with JSON, kept alive; an error ends the stream as an event."""

import json
import logging
from collections.abc import AsyncIterator
from typing import Any

from sse_starlette import EventSourceResponse

from wenmai.errors import WenmaiError
from wenmai.web.problems import problem_of

EVENT_STREAM = "text/event-stream"
PING_S = 15
Event = tuple[str, Any]  # its name and its data

log = logging.getLogger("wenmai.web")


def streamed(events: AsyncIterator[Event]) -> EventSourceResponse:
    """Return a stream of events; who leaves it ends what makes them."""
    return EventSourceResponse(written(events), ping=PING_S)


async def written(events: AsyncIterator[Event]) -> AsyncIterator[dict[str, str]]:
    """Yield events as they are sent; behind an error `error` with its problem."""
    try:
        async for name, data in events:
            yield {"event": name, "data": json.dumps(data, ensure_ascii=False, default=str)}
    except WenmaiError as error:
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
    except Exception as error:
        log.exception("a stream of events failed")
        yield {"event": "error", "data": problem_of(error).model_dump_json()}
