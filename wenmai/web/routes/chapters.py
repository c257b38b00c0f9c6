"""Chapters: the table of contents, and the text that offsets of citations refer to."""

from typing import Annotated

from fastapi import Query

from wenmai.application.models.paging import USUAL, Page
from wenmai.application.models.passages import ChapterPlace, ChapterText, LastPlace, NoteView
from wenmai.ingestion.chapters.records import NoteKind
from wenmai.web.dependencies import Limit, Offset, Operations, Reading, resource

Source = Annotated[str, Query(description="Id of the text")]
Part = Annotated[int, Query(ge=1)]
Number = Annotated[int | None, Query(ge=0, description="Its number; left out for one without")]
CopyNumber = Annotated[int, Query(ge=0)]

router = resource("chapters")


@router.get("/libraries/{library}/chapters", summary="List chapters")
async def listed(
    app: Operations, guard: Reading, library: str, limit: Limit = USUAL, offset: Offset = 0
) -> Page[ChapterPlace]:
    """List the chapters of a library in reading order."""
    return await app.passages.chapters(library, guard=guard, limit=limit, offset=offset)


@router.get("/libraries/{library}/guard", summary="Get the place that a spoiler guard means")
async def last_place(app: Operations, guard: Reading, library: str) -> LastPlace | None:
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
) -> Page[NoteView]:
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
) -> ChapterText:
    """Return the text of a chapter."""
    return await app.passages.chapter(library, source, part=part, chapter=chapter, copy_number=copy_number, guard=guard)
