"""Relations: what a text states of two entities, with its evidence."""

from typing import Annotated

from fastapi import Query

from wenmai.application.models.events import RelationTypes, RelationView
from wenmai.application.models.paging import USUAL, Page
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

router = resource("relations")


@router.get("/libraries/{library}/relations", summary="List relations")
async def listed(
    app: Operations,
    guard: Reading,
    library: str,
    entity: Annotated[str | None, Query(description="Only those from or to this entity")] = None,
    other: Annotated[str | None, Query(description="With `entity`: only those between the two")] = None,
    type: Annotated[str | None, Query(description="Only those of this type")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[RelationView]:
    """List relations in story order; those without a place come last."""
    return await app.relations.list(
        library, entity=entity, other=other, type=type, guard=guard, limit=limit, offset=offset
    )


@router.get("/libraries/{library}/relation-types", summary="List types of relations")
async def types(app: Operations, guard: Reading, library: str) -> RelationTypes:
    """List the types of the relations that a reader may see."""
    return await app.relations.types(library, guard=guard)
