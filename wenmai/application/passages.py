"""The text of a library: its chapters, its passages, what stands beside it, and any quotation in its context."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from tools.messages import Message
from tools.records import Chapter, ChapterOutline, Horizon, Passage, PassageFilter, ScoredPassage, slot_of
from tools.story.guard import mentions_by_chapter
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import EVERY, USUAL, Around, FirstRow, Guard, Page, Rows, in_range, read_library
from wenmai.ingestion.chapters.records import NoteKind
from wenmai.inputs import NotFound, query_from

if TYPE_CHECKING:
    from state.schema import Evidence

AROUND = 300  # characters on each side of a quotation
FOUND = 8  # rows of a search


class LastPlace(BaseModel):
    """The last chapter that a spoiler guard shows."""

    part: int
    chapter: int


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


class NoteView(BaseModel):
    """A note with the chapter in which, or before which, it stood."""

    source: str
    part: int
    chapter: int
    title: str
    kind: NoteKind
    line: int = Field(description="Counts from 1 in the file, 0 where there are no lines")
    text: str


class PassageView(BaseModel):
    """A passage; `text` equals its chapter's `[start:end]` in Unicode characters."""

    id: str
    text: str
    source: str
    part: int
    chapter: int | None
    title: str
    start: int
    end: int
    entities: list[str]


class Appearances(BaseModel):
    """Where each entity is named."""

    entities: dict[str, list[tuple[int, int | None, int]]] = Field(
        description="For each name its chapters in reading order, each as [part, chapter, passages that name it]"
    )


class QuoteView(BaseModel):
    """A quotation in its chapter: `before + quote + after` is verbatim."""

    title: str
    before: str
    quote: str
    after: str


class EvidenceView(BaseModel):
    """A piece of evidence in its chapter: `before + quote + after` is verbatim."""

    id: str
    kind: Literal["passage", "relation", "event"]
    text: str = Field(description="What it says; of a passage the quote itself")
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    entities: list[str]
    start: int | None = Field(description="Where the quote stands in its chapter; null where it has no place")
    end: int | None
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class PassageOperations:
    """What can be read of libraries; offsets count Unicode characters (code points).

    Every operation raises LibraryNotFound for a library that is not there for the caller, FieldError for a guard that
    hides nothing, StoreError.
    """

    services: Services
    caller: Caller

    async def last_place(self, library: str, guard: Guard | None) -> LastPlace | None:
        """Return the last chapter that a guard shows, with the part that it means; None without a guard."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            return None if horizon is None else LastPlace(part=horizon.part, chapter=horizon.chapter)

    @in_range
    async def chapters(
        self, library: str, *, guard: Guard | None = None, limit: Rows = USUAL, offset: FirstRow = 0
    ) -> Page[ChapterPlace]:
        """Return the table of contents in reading order."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            found = await self.services.catalog.outline(library, horizon, measured=True)
            return Page.of(found, limit, offset).map(place_of)

    async def chapter(
        self,
        library: str,
        source: str,
        *,
        part: int = 1,
        chapter: int | None = None,
        copy_number: int = 0,
        guard: Guard | None = None,
    ) -> ChapterText:
        """Return the text of a chapter.

        Args:
            source: id of the text, as citations name it.
            part: the part that the chapter counts in.
            chapter: its number; None for one without.
            copy_number: counts chapters of one number in a part, from 0.

        Raises:
            NotFound: there is none, or the guard hides it.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            found = await chapter_at(self.services, library, source, part, chapter, copy_number, horizon)
            return ChapterText(**place_of(found).model_dump(), text=found.text)

    @in_range
    async def notes(
        self,
        library: str,
        *,
        kind: NoteKind | None = None,
        source: str | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[NoteView]:
        """Return what stood in the texts and is no story, which is never searched or quoted, in reading order."""
        from wenmai.ingestion.library.notes import load_text_notes

        async with read_library(self.services, self.caller, library, guard) as horizon:
            found = await load_text_notes(self.services.catalog, library, horizon)
            rows = [one for one in found if kind in (None, one.kind) and source in (None, one.task_id)]
            return Page.of(rows, limit, offset).map(
                lambda one: NoteView(
                    source=one.task_id,
                    part=one.part,
                    chapter=one.chapter,
                    title=one.title,
                    kind=one.kind,
                    line=one.line,
                    text=one.text,
                )
            )

    @in_range
    async def list(
        self,
        library: str,
        *,
        source: str | None = None,
        entity: str | None = None,
        from_chapter: int | None = None,
        to_chapter: int | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[PassageView]:
        """Return passages in reading order."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            is_bounded = from_chapter is not None or to_chapter is not None
            where = PassageFilter(
                chapters=(from_chapter or 0, EVERY if to_chapter is None else to_chapter) if is_bounded else None,
                entity=entity,
                task_id=source,
                horizon=horizon,
            )
            total = await self.services.passages.count(library, where)
            rows = await self.services.passages.scroll(library, where, offset + limit)
            return Page.cut(rows[offset:], total, offset).map(passage_view)

    async def appearances(self, library: str, *, guard: Guard | None = None) -> Appearances:
        """Return how many passages of each chapter name each entity that a reader knows."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            known = {one.entity for one in await self.services.graph.names(library, horizon)}
            found = await mentions_by_chapter(self.services.passages, library, horizon)
            rows = {
                name: [(part, chapter, count) for (part, chapter), count in places.items()]
                for name, places in found.items()
                if name in known
            }
            return Appearances(entities=rows)

    @in_range
    async def quote(
        self,
        library: str,
        source: str,
        start: int,
        end: int,
        *,
        part: int = 1,
        chapter: int | None = None,
        copy_number: int = 0,
        context: Around = AROUND,
        guard: Guard | None = None,
    ) -> QuoteView:
        """Return what stands at the place that a citation names, with `context` characters on each side.

        Raises NotFound.
        """
        found = await self.chapter(library, source, part=part, chapter=chapter, copy_number=copy_number, guard=guard)
        before, quote, after = around(found.text, start, end, context)
        return QuoteView(title=found.title, before=before, quote=quote, after=after)

    @in_range
    async def evidence(
        self, library: str, id: str, *, context: Around = AROUND, guard: Guard | None = None
    ) -> EvidenceView:
        """Return a passage, a relation or an event by the id that a citation names, in its context. Raises NotFound."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            piece = await self._piece(library, id, horizon)
            if piece is None:
                raise NotFound("id", Message("library.unknown_or_hidden_evidence", library=library, id=id[:80]))
            at, same = piece["part"], list[Chapter]()
            if at is not None:
                same = await self.services.catalog.chapters(library, at=(at, piece["chapter"]))
            # An imported record names its file, which has no chapters.
            chapter = next((one for one in same if one.task_id == piece["source"]), same[0] if same else None)
            return evidence_view(piece, chapter, context)

    @in_range
    async def search(
        self, library: str, query: str, *, guard: Guard | None = None, limit: Rows = FOUND
    ) -> Page[Mapping[str, object]]:
        """Return the passages that fit a question best, by its words and its meaning, with their scores.

        Raises FieldError for a blank or too long question.
        """
        from tools.evidence import passage_evidence

        found = await found_passages(self.services, self.caller, library, query, guard, limit)
        return Page.cut([passage_evidence(one.passage, one.score) for one in found], len(found), 0)

    async def _piece(self, library: str, id: str, horizon: Horizon | None) -> "Evidence | None":
        from tools.base import Scope
        from tools.evidence import event_evidence, passage_evidence, relation_evidence

        for one in await self.services.passages.fetch(library, [id], horizon=horizon):
            if horizon is None or horizon.shows(one.passage.part, one.passage.chapter):
                return passage_evidence(one.passage, None)
        scope, graph = Scope(library=library, horizon=horizon), self.services.graph
        drawn = [relation_evidence(one, scope, {}) for one in await graph.every_relation(library, None, horizon)]
        drawn += [event_evidence(one, scope, {}) for one in await graph.every_event(library, horizon)]
        return next((one for one in drawn if one["id"] == id), None)


async def found_passages(
    services: Services, caller: Caller, library: str, query: str, guard: Guard | None, limit: int
) -> Sequence[ScoredPassage]:
    """Return the passages that fit a question best, the best first. Raises FieldError for a blank or too long one."""
    from tools.story.search import Retriever

    words = query_from(query, services.settings.max_question_chars)
    async with read_library(services, caller, library, guard) as horizon:
        await services.opening.open_library(library)
        search = Retriever(services.passages, services.embedder)
        return await search.search(library, words, PassageFilter(horizon=horizon), limit)


async def chapter_at(
    services: Services,
    library: str,
    source: str,
    part: int,
    chapter: int | None,
    copy_number: int,
    horizon: Horizon | None = None,
) -> Chapter:
    """Return a chapter by its place. Raises NotFound where there is none, or the horizon hides it."""
    at = (part, slot_of(chapter, copy_number))
    for one in await services.catalog.chapters(library, source, horizon, at=at):
        if one.copy == copy_number:
            return one
    raise NotFound("chapter", Message("library.unknown_or_hidden_chapter", library=library))


def passage_view(passage: Passage) -> PassageView:
    return PassageView(
        id=passage.id,
        text=passage.text,
        source=passage.task_id,
        part=passage.part,
        chapter=passage.chapter,
        title=passage.chapter_title,
        start=passage.start,
        end=passage.end,
        entities=[*passage.entities],
    )


def around(text: str, start: int, end: int, context: int) -> tuple[str, str, str]:
    """Return what stands before a place of a text, at it and after it."""
    first = min(start, end)
    return text[max(0, first - context) : first], text[first:end], text[end : end + context]


def evidence_view(piece: "Evidence", chapter: Chapter | None, context: int) -> EvidenceView:
    start, end = piece["start"], piece["end"]
    text = chapter.text if chapter and start is not None and end is not None else ""
    before, quote, after = around(text, start or 0, end or 0, context)
    title = piece["title"] or (chapter.title if chapter else None)
    return EvidenceView.model_validate({**piece, "title": title, "before": before, "quote": quote, "after": after})


def place_of(chapter: Chapter | ChapterOutline) -> ChapterPlace:
    return ChapterPlace(
        source=chapter.task_id,
        part=chapter.part,
        chapter=chapter.number,
        copy_number=chapter.copy,
        title=chapter.title,
        characters=len(chapter.text) if isinstance(chapter, Chapter) else chapter.characters,
    )
