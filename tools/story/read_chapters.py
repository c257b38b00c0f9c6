"""read_chapters: which chapters there are, or what some of them tell."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import NAMESPACE, excerpt, passage_evidence, passage_rows, unique, unscored_item
from tools.formatting import (
    COUNT_CHARACTERS,
    ListRow,
    counts,
    lines_that_fit,
    listing,
    mark,
    marked,
    thin,
    unmarked,
)
from tools.language import cost
from tools.messages import say
from tools.ports import PassageStore, StoryGraph, SummaryStore
from tools.records import PERSON, Passage, PassageFilter
from tools.story.names import spelling_key
from tools.story.summaries import chosen_summaries, covered, summary_evidence
from tools.story.telling import MARK, Digest, Extract, rarity_in
from tools.text.books import OUTSIDE as OUTSIDE

MOST_CHAPTERS = 200
FIRST_ONES, LAST_ONES = 100, 40
"""Of more chapters so many of the first and last are shown, and of the others what stands outside the count."""


def key_of(passage: Passage) -> tuple[int, int | None, str]:
    """Return what tells the chapter of a passage from the others of a library."""
    return passage.part, passage.chapter, passage.chapter_title


def heading_of(passage: Passage) -> str:
    return passage.chapter_title or say("story.chapter_heading", number=mark(passage.chapter))


def chosen_chapters(found: list[Passage], arguments: "ReadChaptersArguments") -> list[Passage]:
    """Return the chapters of a range, those with words in their title, or both; negative numbers count back.

    Each chapter is given by its first passage. Chapter 1 of a book is not its first side story, unless the title or the
    part is asked for.
    """
    if arguments.title:
        found = [one for one in found if spelling_key(arguments.title) in spelling_key(heading_of(one))]
    if arguments.chapters is None:
        return found
    first, last = arguments.chapters
    if first >= 0 and last >= 0:
        found = [one for one in found if one.chapter is not None and first <= one.chapter <= last]
        inside = [one for one in found if not OUTSIDE.match(one.chapter_title)]
        return found if arguments.title or arguments.part is not None else inside or found
    # a preface without a title is no chapter
    found = [one for one in found if one.chapter or one.chapter_title] or found

    def place(number: int) -> int:
        """Return where the chapter of a number stands, else the first one behind it, else the end."""
        places = (at for at, one in enumerate(found) if one.chapter is not None and one.chapter >= number)
        return number + len(found) if number < 0 else next(places, len(found))

    return found[max(0, place(first)) : max(0, place(last) + 1)]


def first_and_last(chapters: Sequence[Passage]) -> list[Passage]:
    """Return at most `MOST_CHAPTERS`: the first, the last, and between them what a count of chapters must know.

    That is what stands outside the count, and where a part begins.
    """
    if len(chapters) <= MOST_CHAPTERS:
        return list(chapters)
    middle = pairwise(chapters[FIRST_ONES - 1 : -LAST_ONES])
    special = [one for before, one in middle if OUTSIDE.match(one.chapter_title) or one.part != before.part]
    inner = special[: MOST_CHAPTERS - FIRST_ONES - LAST_ONES]
    return [*chapters[:FIRST_ONES], *inner, *chapters[-LAST_ONES:]]


COMPARED = 120  # passages of the whole book that say which words are common in it
WEIGHED = 400  # passages whose sentences are weighed; of more an even sample


def _range(value: list[int]) -> list[int]:
    """Check a range of chapters; the message follows the parameter's name."""
    if len(value) != 2 or (value[0] > value[1] and (value[0] < 0) == (value[1] < 0)):
        raise ValueError(say("story.wrong_chapter_range"))
    return value


class ReadChaptersArguments(BaseModel):
    chapters: Annotated[list[int], AfterValidator(_range)] | None = Field(
        default=None, description="章节范围 [起始, 结束]，负数从最后一章数起；不指定则列出所有章节"
    )
    part: int | None = Field(default=None, description="只看这一部，可选")
    title: str | None = Field(default=None, description="只看标题含有这些字的章，如楔子、番外，可选")
    titles_only: bool = Field(default=False, description="只列出这些章的标题")
    page: int | None = Field(default=None, ge=1, description="逐页通读这些章的全文，从 1 起，可选")
    sentences: int | None = Field(default=None, ge=1, description="最能说明内容的句子共几句，可选")


@dataclass(frozen=True, slots=True)
class ReadChapters:
    """Lists chapters, returns what tells most of some of them, or their text page by page."""

    passages: PassageStore
    graph: StoryGraph
    summaries: SummaryStore | None = None
    name: str = "read_chapters"
    description: str = (
        "不指定章节时列出所有章节；指定时按故事顺序返回这些章的概要，或最能说明内容的原文句子，短的返回全文；"
        "用 page 逐页读全文。用于“全书有几章？”、“第N章讲了什么？”、“这本书讲了什么？”。"
    )
    arguments: type[BaseModel] = ReadChaptersArguments

    async def __call__(self, arguments: ReadChaptersArguments, scope: Scope) -> ToolResult:
        first, last = arguments.chapters or (-1, -1)
        is_by_number = first >= 0 and last >= 0 and not arguments.title  # then no other chapter need be fetched
        bounds = (first, last) if is_by_number else None
        where = PassageFilter(chapters=bounds, part=arguments.part, horizon=scope.horizon)
        kept = await self.passages.scroll(scope.library, where, texts=False)
        firsts: dict[tuple[int, int | None, str], Passage] = {}
        for one in kept:
            firsts.setdefault(key_of(one), one)
        chapters = chosen_chapters(list(firsts.values()), arguments)
        if arguments.titles_only or (arguments.chapters is None and not arguments.title):
            return _listed(chapters, scope)
        wanted = {key_of(one) for one in chapters}
        found = [one for one in kept if key_of(one) in wanted]
        if arguments.page is not None:
            return paged(await self._read(found, scope), arguments.page, scope)
        read = await self._read(thin(found, WEIGHED), scope)
        rows = passage_rows(read)
        if arguments.sentences is None and len(read) == len(found) and fit_whole(rows, scope.budget):
            return passages_result(read, listing(rows, scope.budget, whole=len(rows)), len(found))
        return await self._told(chapters, read, len(found), arguments.sentences, scope)

    async def _read(self, passages: Sequence[Passage], scope: Scope) -> list[Passage]:
        rows = await self.passages.fetch(scope.library, [one.id for one in passages], horizon=scope.horizon)
        return [row.passage for row in rows]

    async def _told(
        self, chapters: Sequence[Passage], read: Sequence[Passage], total: int, most: int | None, scope: Scope
    ) -> ToolResult:
        """Return a model's summaries of the chapters where there are any, and telling sentences in the room left.

        Where a number of sentences is asked for, either stands alone.
        """
        room, sections = scope.budget - NOTE_CHARACTERS, list[Section]()
        headings = {(one.part, one.chapter or 0): heading_of(one) for one in chapters}
        if self.summaries is not None:
            for summary in await chosen_summaries(self.summaries, chapters, room, scope):
                own = await summary_evidence(self.passages, summary, scope)
                sections += [Section(covered(summary, headings), "model", own)] if own else []
        room -= sum(one.cost for one in sections)
        if not sections or (most is None and room > LEAST_ROOM):
            extracts = await self._extracts(read, room, most, scope)
            for _, group in groupby(extracts, lambda one: key_of(one.passage)):
                found = list(group)
                own = [(one.line, excerpt(one.passage, one.start, one.end)) for one in found]
                sections.append(Section(heading_of(found[0].passage), "text", own))
        pieces = [piece for one in sections for _, piece in one.sentences]
        lines = list[str]()
        for _, parts in groupby(sections, lambda one: one.by):
            alike = list(parts)
            lines += [say(NOTES[alike[0].by], total=total), *(line for one in alike for line in one.lines)]
        return ToolResult(
            data={
                "total": total,
                "shown": len(pieces),
                "items": [piece_item(one) for one in pieces],
                "sections": [one.data for one in sections],
            },
            text="\n".join(lines) if pieces else say("evidence.nothing_found"),
            evidence=unique(pieces),
            items=len(pieces),
        )

    async def _extracts(self, read: Sequence[Passage], room: int, most: int | None, scope: Scope) -> list[Extract]:
        every = await self.passages.scroll(scope.library, PassageFilter(horizon=scope.horizon), texts=False)
        sample = await self._read(thin(every, COMPARED), scope)
        names = await self.graph.names(scope.library, scope.horizon)
        events = await self.graph.every_event(scope.library, scope.horizon)
        digest = Digest(
            {one.text: one.entity for one in names if one.kind == PERSON},
            {(one.task_id, one.part, one.chapter, one.start) for one in events if one.start is not None},
            rarity_in(sample),
        )
        grouped = [list(group) for _, group in groupby(read, key_of)]
        return await asyncio.to_thread(digest.of, grouped, room - headings_cost(grouped), most)


def _listed(chapters: Sequence[Passage], scope: Scope) -> ToolResult:
    """Return the list of chapters, each as evidence of its own; `items` counts those too that are not shown."""
    parts = {one.part for one in chapters}
    shown = first_and_last(chapters)
    pieces = [_title_evidence(one) for one in shown]
    titles = [
        f"- {say('story.part_prefix', part=one.part) if len(parts) > 1 else ''}{heading_of(one)}" for one in shown
    ]
    lines = [marked(piece["id"], title) for piece, title in zip(pieces, titles, strict=True)]
    text = listing([], scope.budget)
    if lines:  # the last one is among those that fit
        room = scope.budget - cost(unmarked(lines[-1])) - 1 - COUNT_CHARACTERS
        kept = [*lines_that_fit(lines[:-1], room), lines[-1]]
        text = "\n".join([*kept, counts(len(chapters), len(kept), sampled=False)])
    rows = [{"part": one.part, "chapter": one.chapter, "title": one.chapter_title} for one in shown]
    return ToolResult(data={"total": len(chapters), "chapters": rows}, text=text, evidence=pieces, items=len(chapters))


def _title_evidence(first: Passage) -> Evidence:
    """Return a chapter's title as evidence; it stands above the stored text, so it has no offsets."""
    key = f"{first.library} {first.task_id} {first.part} {first.chapter} {first.chapter_title}"
    piece = passage_evidence(first, None)
    return {
        **piece,
        "id": str(uuid.uuid5(NAMESPACE, key)),
        "text": heading_of(first),
        "entities": [],
        "start": None,
        "end": None,
    }


NOTE_CHARACTERS = 60  # for the lines that say what is shown
LEAST_ROOM = 300  # beside summaries from which on telling sentences are shown too


def fit_whole(rows: Sequence[ListRow], budget: int) -> bool:
    """Return True if a listing has room for whole rows."""
    return sum(cost(row.head + row.text) + MARK for row in rows) + COUNT_CHARACTERS <= budget


def passages_result(read: Sequence[Passage], text: str, total: int) -> ToolResult:
    return ToolResult(
        data={"total": total, "shown": len(read), "items": [unscored_item(one) for one in read]},
        text=text,
        evidence=[passage_evidence(one, None) for one in read],
        items=len(read),
    )


def paged(read: Sequence[Passage], page: int, scope: Scope) -> ToolResult:
    """Return a page of whole passages in story order; one beyond the last has none."""
    pages: list[list[Passage]] = [[]]
    room = left = scope.budget - NOTE_CHARACTERS
    for one, row in zip(read, passage_rows(read), strict=True):
        needed = cost(row.head + row.text) + MARK
        if pages[-1] and needed > left:
            pages.append([])
            left = room
        pages[-1].append(one)
        left -= needed
    shown = pages[page - 1] if page <= len(pages) else []
    lines = [marked(row.evidence, row.head + row.text) for row in passage_rows(shown)]
    lines = lines or [say("evidence.nothing_found")]
    return passages_result(
        shown, "\n".join([*lines, say("story.page_of", page=page, pages=len(pages), total=len(read))]), len(read)
    )


def headings_cost(chapters: Sequence[Sequence[Passage]]) -> int:
    return sum(cost(heading_of(one[0])) + 1 for one in chapters)


Author = Literal["model", "text"]
NOTES: Mapping[Author, str] = {"model": "story.summaries_by_model", "text": "story.telling_sentences"}


@dataclass(frozen=True, slots=True)
class Section:
    """What is shown of chapters under a heading: a model's sentences, or those of the text, each with its evidence."""

    heading: str
    by: Author
    sentences: Sequence[tuple[str, Evidence]]

    @property
    def lines(self) -> list[str]:
        return [self.heading, *(marked(piece["id"], text) for text, piece in self.sentences)]

    @property
    def cost(self) -> int:
        return sum(cost(unmarked(line)) + MARK for line in self.lines)

    @property
    def data(self) -> dict[str, Any]:
        last = self.sentences[-1][1]
        rows = [{"text": text, "evidence": piece["id"]} for text, piece in self.sentences]
        return {
            "heading": self.heading,
            "by": self.by,
            "part": last["part"],
            "chapter": last["chapter"],
            "sentences": rows,
        }


def piece_item(piece: Evidence) -> dict[str, Any]:
    """Return sentences of a passage as an item of a tool's data, with the fields of a passage."""
    own = {"task_id": piece["source"], "title": piece["title"] or ""}
    return {name: piece[name] for name in ("id", "text", "chapter", "entities", "event_order", "part")} | own
