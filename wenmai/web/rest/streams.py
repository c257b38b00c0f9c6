"""Server-sent events: named events with JSON, kept alive; an error ends the stream as an event."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse

from wenmai.errors import WenmaiError
from wenmai.web.rest.problems import problem_of

EVENT_STREAM = "text/event-stream"
PING_S = 15
Event = tuple[str, Any]  # its name and its data
Sent = tuple[Any, Any]  # the type of an event's data, and an example of it
SENT = "Server-sent events: `event:` has a name of `x-events`, `data:` its JSON"

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


def described(events: Mapping[str, Sent]) -> dict[str, Any]:
    """Return what OpenAPI says of a stream; it has no words for events, so they have a key of ours."""
    shown = {
        name: {"schema": TypeAdapter(data).json_schema(ref_template="#/components/schemas/{model}")}
        | ({} if example is None else {"example": example})
        for name, (data, example) in events.items()
    }
    texts = (
        f"event: {name}\ndata: {json.dumps(example, ensure_ascii=False)}\n\n"
        for name, (_, example) in events.items()
        if example is not None
    )
    content = {
        "schema": {"type": "string", "description": SENT},
        "examples": {"stream": {"value": "".join(texts)}},
        "x-events": shown,
    }
    return {"content": {EVENT_STREAM: content}}
