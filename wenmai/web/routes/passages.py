"""The text of a library: chapters, notes, passages, and evidence with the text around it."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Query

from state.schema import Evidence
from tools.records import SummaryKind
from wenmai.application import passages as models
from wenmai.application.paging import MOST_CHAPTER, USUAL, Around, Page
from wenmai.application.summaries import Recap, SummaryView
from wenmai.ingestion.chapters.records import NoteKind
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

Source = Annotated[str, Query(description="Id of the text")]
Part = Annotated[int, Query(ge=1)]
Number = Annotated[int | None, Query(ge=0, description="Its number; left out for one without")]
CopyNumber = Annotated[int, Query(ge=0)]
router = resource("chapters")
Bound = Annotated[int | None, Query(ge=0)]
Context = Annotated[Around, Query(description="Characters on each side")]
passages = resource("passages")
summaries = resource("summaries")


@router.get("/libraries/{library}/chapters", summary="List chapters")
async def listed(
    app: Operations, guard: Reading, library: str, limit: Limit = USUAL, offset: Offset = 0
) -> Page[models.ChapterPlace]:
    """List the chapters of a library in reading order."""
    return await app.passages.chapters(library, guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}/guard", summary="Get the place that a spoiler guard means")
async def last_place(app: Operations, guard: Reading, library: str) -> models.LastPlace | None:
    """Return the last chapter that a guard shows, with its part; null without a guard."""
    return await app.passages.last_place(library, guard)


@router.get("/libraries/{library}/notes", summary="List notes")
async def notes(
    app: Operations,
    guard: Reading,
    library: str,
    kind: NoteKind | None = None,
    source: Annotated[str | None, Query(description="Id of the text")] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.NoteView]:
    """List what stood in the texts and is no story (prefaces, footnotes, licences): it is never searched or quoted."""
    return await app.passages.notes(library, kind=kind, source=source, guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}/chapters/text", summary="Read a chapter")
async def text(
    app: Operations,
    guard: Reading,
    library: str,
    source: Source,
    part: Part = 1,
    chapter: Number = None,
    copy_number: CopyNumber = 0,
) -> models.ChapterText:
    """Return the text of a chapter."""
    return await app.passages.chapter(library, source, part=part, chapter=chapter, copy_number=copy_number, guard=guard)


@passages.get("/libraries/{library}/passages", name="listed", summary="List passages")
async def passage_rows(
    app: Operations,
    guard: Reading,
    library: str,
    source: Annotated[str | None, Query(description="Only those of this text")] = None,
    entity: Annotated[str | None, Query(description="Only those that name this entity")] = None,
    from_chapter: Bound = None,
    to_chapter: Bound = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[models.PassageView]:
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


@passages.get("/libraries/{library}/search", summary="Search passages", response_model=Page[Evidence])
async def search(
    app: Operations,
    guard: Reading,
    library: str,
    q: Annotated[str, Query(min_length=1, examples=["灯塔的守塔人"])],
    limit: Limit = models.FOUND,
) -> Page[Mapping[str, object]]:
    """Return the passages that fit a question best, by its words and its meaning; no question is asked."""
    return await app.passages.search(library, q, guard=guard, limit=limit)


@passages.get("/libraries/{library}/appearances", summary="Count the passages of each chapter that name an entity")
async def appearances(app: Operations, guard: Reading, library: str) -> models.Appearances:
    """Count over all chapters that a reader may see, for all entities that he knows."""
    return await app.passages.appearances(library, guard=guard)


@passages.get("/libraries/{library}/evidence/{id}", summary="Get evidence in its context")
async def evidence(
    app: Operations, guard: Reading, library: str, id: str, context: Context = models.AROUND
) -> models.EvidenceView:
    """Return a passage, a relation or an event by the id that a citation names, with the text around it."""
    return await app.passages.evidence(library, id, context=context, guard=guard)


@passages.get("/libraries/{library}/quotes", summary="Get a quotation in its context")
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
    context: Context = models.AROUND,
) -> models.QuoteView:
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


@summaries.get("/libraries/{library}/summaries", name="listed", summary="List summaries and descriptions")
async def summary_rows(
    app: Operations,
    guard: Reading,
    library: str,
    kind: SummaryKind | None = None,
    entity: Annotated[str | None, Query(description="Only descriptions of this person")] = None,
    part: Annotated[int | None, Query(ge=1, le=MOST_CHAPTER, description="Only those that end in this part")] = None,
    chapter: Annotated[
        int | None, Query(ge=0, le=MOST_CHAPTER, description="Only those that end with this chapter")
    ] = None,
    limit: Limit = USUAL,
    offset: Offset = 0,
) -> Page[SummaryView]:
    """List what a model wrote of chapters and people, by the last chapter covered; none where no model did."""
    return await app.summaries.list(
        library, kind=kind, entity=entity, part=part, chapter=chapter, guard=guard, limit=limit, offset=offset
    )


@summaries.get("/libraries/{library}/recap", summary="Recap the story so far")
async def recap(app: Operations, guard: Reading, library: str) -> Recap:
    """Tell what has happened up to a spoiler guard: a model's summaries, else the text's most telling sentences."""
    return await app.summaries.recap(library, guard=guard)
