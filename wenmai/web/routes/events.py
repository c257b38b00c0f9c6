"""Events: what happens in the story, who takes part, with its evidence."""

from typing import Annotated

from fastapi import Query

from tools.records import EventType
from wenmai.application.models.events import EventView
from wenmai.application.models.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

router = resource("events")


@router.get("/libraries/{library}/events", summary="List events")
async def listed(
    app: Operations,
    guard: Reading,
    library: str,
    entity: Annotated[str | None, Query(description="Only those that this entity takes part in")] = None,
    type: Annotated[EventType | None, Query(description="Only those of this type")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[EventView]:
    """List events in story order; those without a place come last."""
    return await app.events.list(library, entity=entity, type=type, guard=guard, limit=limit, offset=offset)
