"""What a reader does with a book: finds words in it, sees who is named, and comes back to the same place."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from tools.errors import LibraryNotFound
from tools.messages import Message
from tools.records import PLACE_NOTE, Chapter, PassageFilter
from wenmai.app.clock import now
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import (
    MOST_CHAPTER,
    USUAL,
    FirstRow,
    Guard,
    Number,
    Page,
    Rows,
    Strict,
    in_range,
    read_library,
)
from wenmai.application.passages import PassageView, around, chapter_at, found_passages, passage_view
from wenmai.inputs import FieldError, NotFound, is_unicode

if TYPE_CHECKING:
    from tools.story.names import NameMention

EXCERPT = 80  # characters on each side of a wording
LONGEST_WORDING = 200
NEAREST = 5

Nearby = Annotated[int, Field(ge=1, le=50)]


class FoundText(BaseModel):
    """A wording in its chapter: `before + quote + after` is verbatim, offsets count Unicode characters."""

    source: str = Field(description="Id of the text, as citations name it")
    part: int
    chapter: int | None
    copy_number: int
    title: str
    start: int
    end: int
    before: str
    quote: str
    after: str


class NearestPassages(BaseModel):
    """Passages near to a question or to half-remembered words, the nearest first."""

    passages: list[PassageView]


class NameMark(BaseModel):
    """Who is named at a place of a chapter."""

    start: int
    end: int
    name: str = Field(description="The entity, by the name that a reader knows")


class NameMarks(BaseModel):
    """Who is named in a chapter, in its order."""

    names: list[NameMark]


class ReadingPlace(Strict):
    """A place in a book."""

    source: str = Field(min_length=1, description="Id of the text, as citations name it")
    part: Number = Field(ge=1, le=MOST_CHAPTER)
    chapter: Number | None = Field(default=None, ge=0, le=MOST_CHAPTER, description="null for one without a number")
    copy_number: Number = Field(default=0, ge=0, le=MOST_CHAPTER)
    start: Number = Field(default=0, ge=0, description="Characters of the chapter before it")


class KeptPlace(ReadingPlace):
    """Where a reader was last."""

    changed_at: datetime


@dataclass(frozen=True, slots=True)
class ReadingOperations:
    """What a reader can do with libraries; places are each user's own.

    Every operation raises LibraryNotFound for a library that is not there for the caller, FieldError for a guard that
    hides nothing, StoreError.
    """

    services: Services
    caller: Caller

    @in_range
    async def find(
        self, library: str, query: str, *, guard: Guard | None = None, limit: Rows = USUAL, offset: FirstRow = 0
    ) -> Page[FoundText]:
        """Return where these very words stand, in reading order.

        Simplified and traditional script, case, width, punctuation and blanks do not count.

        Raises FieldError for a query that is blank or has more than 200 characters.
        """
        wording = words_from(query)
        async with read_library(self.services, self.caller, library, guard) as horizon:
            chapters = await self.services.catalog.chapters(library, None, horizon)
            return await asyncio.to_thread(found_texts, chapters, wording, limit, offset)

    @in_range
    async def nearest(
        self, library: str, query: str, *, guard: Guard | None = None, limit: Nearby = NEAREST
    ) -> NearestPassages:
        """Return the passages that are nearest to a question or a half-remembered sentence, by words and by meaning.

        They need not answer it. Raises FieldError for a query that is blank or too long (MAX_QUESTION_CHARS).
        """
        found = await found_passages(self.services, self.caller, library, query, guard, limit)
        return NearestPassages(passages=[passage_view(one.passage) for one in found])

    async def names(
        self,
        library: str,
        source: str,
        *,
        part: int = 1,
        chapter: int | None = None,
        copy_number: int = 0,
        guard: Guard | None = None,
    ) -> NameMarks:
        """Return who is named where in a chapter, by the names that a reader knows.

        Args:
            source: id of the text, as citations name it.
            part: the part that the chapter counts in.
            chapter: its number; None for one without.
            copy_number: counts chapters of one number in a part, from 0.

        Raises:
            NotFound: there is no such chapter, or the guard hides it.
        """
        from tools.story.names import EntityLinker

        async with read_library(self.services, self.caller, library, guard) as horizon:
            read = await chapter_at(self.services, library, source, part, chapter, copy_number, horizon)
            bounds = None if chapter is None else (chapter, chapter)
            where = PassageFilter(part=part, task_id=source, chapters=bounds, horizon=horizon)
            tagged = [
                (one.start, one.end, frozenset(one.entities))
                for one in await self.services.passages.scroll(library, where)
                if one.chapter == chapter and read.text[one.start : one.end] == one.text
            ]
            table = await EntityLinker(self.services.graph).table(library, horizon)
            mentions = await asyncio.to_thread(table.find, read.text)
        return NameMarks(names=[mark for one in mentions if (mark := name_mark(one, tagged)) is not None])

    async def place(self, library: str, *, guard: Guard | None = None) -> KeptPlace | None:
        """Return where the caller was last; None where nothing is known, or where a guard hides it.

        Where its text was replaced it is the beginning of the same chapter in the text that is there now.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            kept = await self.services.catalog.note(library, place_key(self.caller.user_id))
            if not self.caller.user_id or kept is None:
                return None
            place = KeptPlace.model_validate(kept)
            if horizon is not None and not horizon.shows(place.part, place.chapter):
                return None
            with suppress(NotFound):
                await self._require_chapter(library, place)
                return place
            same = await self.services.catalog.chapters(library, at=(place.part, place.chapter))
        if not same:
            return None
        other = same[0]
        return place.model_copy(update={"source": other.task_id, "copy_number": other.copy, "start": 0})

    async def set_place(self, library: str, place: ReadingPlace) -> KeptPlace:
        """Keep where the caller is now.

        Raises:
            FieldError: nobody is known as the caller.
            NotFound: there is no such chapter.
        """
        if not self.caller.user_id:
            raise FieldError("key", Message("reading.no_user"))
        async with read_library(self.services, self.caller, library):
            await self._require_chapter(library, place)
            await self.services.require_room()
            kept = KeptPlace(**place.model_dump(), changed_at=now())
            key = place_key(self.caller.user_id)
            await self.services.catalog.put_note(library, key, kept.model_dump(mode="json"))
        return kept

    async def _require_chapter(self, library: str, place: ReadingPlace) -> None:
        await chapter_at(self.services, library, place.source, place.part, place.chapter, place.copy_number)


def words_from(query: str) -> str:
    """Return the very words to look for. Raises FieldError where there are none, or too many."""
    if not query.strip() or not is_unicode(query):
        raise FieldError("query", Message("reading.no_words"))
    if len(query) > LONGEST_WORDING:
        raise FieldError("query", Message("reading.too_long", length=len(query), most=LONGEST_WORDING))
    return query


def place_key(user_id: str) -> str:
    return f"{PLACE_NOTE}{user_id}"


async def remove_places(services: Services, user_id: str) -> int:
    """Remove a user's places in every library that can be read; return how many there were."""
    count, key = 0, place_key(user_id)
    for info in await services.catalog.libraries():
        with suppress(LibraryNotFound):  # it was deleted meanwhile
            if info.problem is None and await services.catalog.note(info.name, key) is not None:
                await services.catalog.put_note(info.name, key, None)
                count += 1
    return count


def found_texts(chapters: Sequence[Chapter], wording: str, limit: int, offset: int) -> Page[FoundText]:
    from wenmai.language.wordings import Texts

    places = [*Texts([one.text for one in chapters]).find(wording)]
    return Page.of(places, limit, offset).map(lambda one: found_text(chapters[one[0]], *one[1:]))


def found_text(chapter: Chapter, start: int, end: int) -> FoundText:
    before, quote, after = around(chapter.text, start, end, EXCERPT)
    return FoundText(
        source=chapter.task_id,
        part=chapter.part,
        chapter=chapter.number,
        copy_number=chapter.copy,
        title=chapter.title,
        start=start,
        end=end,
        before=before,
        quote=quote,
        after=after,
    )


def name_mark(mention: "NameMention", tagged: Sequence[tuple[int, int, frozenset[str]]]) -> NameMark | None:
    """Return the mark of a name, None where its passage is about nobody of this name."""
    here = next((names for start, end, names in tagged if start <= mention.start < end), frozenset[str]())
    meant = [one.entity for one in mention.candidates if one.entity in here]
    if not meant:
        return None
    name = mention.entity if mention.entity in meant else meant[0]
    return NameMark(start=mention.start, end=mention.end, name=str(name))
