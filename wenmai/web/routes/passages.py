"""Passages, how many of them name each entity, and any piece of evidence with the text around it."""

from typing import Annotated

from fastapi import Query

from wenmai.application.models.paging import USUAL, Page
from wenmai.application.models.passages import AROUND, Appearances, EvidenceView, PassageView, QuoteView
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource
from wenmai.web.routes.chapters import CopyNumber, Number, Part, Source

Bound = Annotated[int | None, Query(ge=0)]
Context = Annotated[int, Query(ge=0, le=5_000, description="Characters on each side")]

router = resource("passages")


@router.get("/libraries/{library}/passages", summary="List passages")
async def listed(
    app: Operations,
    guard: Reading,
    library: str,
    source: Annotated[str | None, Query(description="Only those of this text")] = None,
    entity: Annotated[str | None, Query(description="Only those that name this entity")] = None,
    from_chapter: Bound = None,
    to_chapter: Bound = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[PassageView]:
    """List passages in reading order."""
    return await app.passages.list(
        library,
        source=source,
        entity=entity,
        from_chapter=from_chapter,
        to_chapter=to_chapter,
        guard=guard,
        limit=limit,
        offset=offset,
    )


@router.get("/libraries/{library}/appearances", summary="Count the passages of each chapter that name an entity")
async def appearances(app: Operations, guard: Reading, library: str) -> Appearances:
    """Count over all chapters that a reader may see, for all entities that he knows."""
    return await app.passages.appearances(library, guard=guard)


@router.get("/libraries/{library}/evidence/{id}", summary="Get evidence in its context")
async def evidence(app: Operations, guard: Reading, library: str, id: str, context: Context = AROUND) -> EvidenceView:
    """Return a passage, a relation or an event by the id that a citation names, with the text around it."""
    return await app.passages.evidence(library, id, context=context, guard=guard)


@router.get("/libraries/{library}/quotes", summary="Get a quotation in its context")
async def quote(
    app: Operations,
    guard: Reading,
    library: str,
    source: Source,
    start: Annotated[int, Query(ge=0)],
    end: Annotated[int, Query(ge=0)],
    part: Part = 1,
    chapter: Number = None,
    copy_number: CopyNumber = 0,
    context: Context = AROUND,
) -> QuoteView:
    """Return what stands at the place that a citation names, with the text around it."""
    return await app.passages.quote(
        library,
        source,
        start,
        end,
        part=part,
        chapter=chapter,
        copy_number=copy_number,
        context=context,
        guard=guard,
    )
