"""Chapters: the table of contents, and the text that offsets of citations refer to."""

from typing import Any

from pydantic import BaseModel, Field

from tools.records import Chapter, Horizon
from tools.wording import Words
from wenmai.application.models.paging import Guard, GuardedPaging, Page, page_of
from wenmai.ingestion.chapters.records import NoteKind
from wenmai.ingestion.library.text_notes import KeptNote, load_text_notes
from wenmai.inputs import NotFound
from wenmai.web.api.access import horizon_for, readable, services_of
from wenmai.web.rest.endpoints import Call, Resource

resource = Resource("chapters")
NO_CHAPTER = Words(
    "资料库 {library} 里没有这一章，或者它在防剧透的范围之外",
    "library {library} has no such chapter, or the spoiler guard hides it",
)


class ChapterPlace(BaseModel):
    """A line of the table of contents."""

    source: str = Field(description="Id of the text, as citations name it")
    part: int
    chapter: int | None = Field(description="Its number; null for one without, which a spoiler guard hides")
    copy_number: int = Field(description="Counts chapters of one number in a part, from 0")
    title: str
    characters: int


class ChapterText(ChapterPlace):
    """A chapter; offsets count Unicode characters (code points)."""

    text: str


class ChapterQuery(Guard):
    """Which chapter is meant."""

    source: str = Field(description="Id of the text")
    part: int = Field(default=1, ge=1)
    chapter: int | None = Field(default=None, ge=0, description="Its number; left out for one without")
    copy_number: int = Field(default=0, ge=0)


class NoteQuery(GuardedPaging):
    """Which notes are asked for."""

    kind: NoteKind | None = None
    source: str | None = Field(default=None, description="Id of the text")


class NoteView(BaseModel):
    """A note with the chapter in which, or before which, it stood."""

    source: str
    part: int
    chapter: int
    title: str
    kind: NoteKind
    line: int = Field(description="Counts from 1 in the file, 0 where there are no lines")
    text: str


@resource.get("/libraries/{library}/chapters", "List chapters")
async def listed(call: Call[GuardedPaging, None]) -> Page[ChapterPlace]:
    """List the chapters of a library in reading order."""
    library = await readable(call)
    horizon = await horizon_for(call, library)
    chapters = await (await services_of(call)).catalog.chapters(library)
    return page_of([place_of(one) for one in chapters if shown(one, horizon)], call.query)


@resource.get("/libraries/{library}/notes", "List notes")
async def notes(call: Call[NoteQuery, None]) -> Page[NoteView]:
    """List what stood in the texts and is no story (prefaces, footnotes, licences): it is never searched or quoted."""
    library, query = await readable(call), call.query
    found = await load_text_notes((await services_of(call)).catalog, library, await horizon_for(call, library))
    wanted = [one for one in found if query.kind in (None, one.kind) and query.source in (None, one.task_id)]
    return page_of([note_view(one) for one in wanted], query)


@resource.get("/libraries/{library}/chapters/text", "Read a chapter")
async def text(call: Call[ChapterQuery, None]) -> ChapterText:
    """Return the text of a chapter."""
    found = await chapter_text(call)
    return ChapterText(**place_of(found).model_dump(), text=found.text)


async def chapter_text(call: Call[Any, None]) -> Chapter:
    """Return the chapter that a query names. Raises NotFound."""
    library = await readable(call)
    query: ChapterQuery = call.query
    horizon = await horizon_for(call, library)
    wanted = (query.part, query.chapter, query.copy_number)
    for one in await (await services_of(call)).catalog.chapters(library, query.source):
        if (one.part, one.number, one.copy) == wanted and shown(one, horizon):
            return one
    raise NotFound("chapter", NO_CHAPTER.of(library=library))


def shown(chapter: Chapter, horizon: Horizon | None) -> bool:
    """Return True if a reader at the horizon may see a chapter."""
    return horizon is None or horizon.shows(chapter.part, chapter.number)


def note_view(note: KeptNote) -> NoteView:
    """Return what is shown of a note."""
    return NoteView(
        source=note.task_id,
        part=note.part,
        chapter=note.chapter,
        title=note.title,
        kind=note.kind,
        line=note.line,
        text=note.text,
    )


def place_of(chapter: Chapter) -> ChapterPlace:
    """Return a chapter's line."""
    return ChapterPlace(
        source=chapter.task_id,
        part=chapter.part,
        chapter=chapter.number,
        copy_number=chapter.copy,
        title=chapter.title,
        characters=len(chapter.text),
    )
