"""read_chapters: which chapters there are, or what some of them tell."""

import uuid
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field

from state.schema import Evidence
from tools.base import Scope, ToolResult
from tools.evidence import NAMESPACE, passage_evidence, passage_rows, unscored_item
from tools.formatting import COUNT_CHARACTERS, counts, lines_that_fit, listing, mark, marked, thin, unmarked
from tools.language import cost
from tools.messages import say
from tools.ports import PassageStore
from tools.records import Passage, PassageFilter
from tools.story.names import spelling_key
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


CENTRAL_OF_ONE, CENTRAL_OF_MANY = 6, 8  # central passages of one chapter, and of several together
OPENING = 2  # passages of the opening
WEIGHED = 400  # passages whose vectors are compared; of more an even sample


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


@dataclass(frozen=True, slots=True)
class ReadChapters:
    """Lists chapters, or returns the passages that tell most of some of them."""

    passages: PassageStore
    name: str = "read_chapters"
    description: str = (
        "不指定章节时列出所有章节；指定时返回这些章的开头、最能概括内容的段落和结尾，按故事顺序。"
        "用于“全书有几章？”、“第N章讲了什么？”、“这本书讲了什么？”。"
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
        shown = await self._telling(found, CENTRAL_OF_ONE if len(wanted) == 1 else CENTRAL_OF_MANY, scope)
        return ToolResult(
            data={"total": len(found), "shown": len(shown), "items": [unscored_item(one) for one in shown]},
            text=listing(passage_rows(shown), scope.budget, total=len(found)),
            evidence=[passage_evidence(one, None) for one in shown],
            items=len(shown),
        )

    async def _telling(self, passages: Sequence[Passage], central: int, scope: Scope) -> list[Passage]:
        """Return the opening, the most central passages and the end, in story order and with their texts."""
        weighed = [*passages[:OPENING], *thin(passages[OPENING:-1], WEIGHED), *passages[OPENING:][-1:]]
        rows = await self.passages.fetch(scope.library, [one.id for one in weighed], horizon=scope.horizon)
        read = [row.passage for row in rows]
        if len(read) <= central + OPENING + 1:
            return read
        inner = read[OPENING:-1]
        vectors = await self.passages.vectors(scope.library, inner)
        best = by_centrality(inner, vectors)[:central]
        return [*read[:OPENING], *(inner[at] for at in sorted(best)), read[-1]]


def by_centrality(passages: Sequence[Passage], vectors: dict[str, list[float]]) -> list[int]:
    """Return where passages stand, the most central first: the one with the least sum of two ranks.

    One ranks by the cosine to the mean of all vectors, the other by how often the chapter has the passage's names.
    """
    counts = Counter(name for one in passages for name in one.entities)
    named = [sum(counts[name] for name in one.entities) for one in passages]
    near = _cosines([vectors.get(one.id, []) for one in passages])
    by_name, by_cosine = sorted(named, reverse=True), sorted(near, reverse=True)
    ranks = [by_name.index(name) + by_cosine.index(cosine) for name, cosine in zip(named, near, strict=True)]
    return sorted(range(len(passages)), key=ranks.__getitem__)


def _cosines(vectors: Sequence[Sequence[float]]) -> list[float]:
    """Return the cosine of each vector to the mean of all; 0 where a vector is missing."""
    if not all(vectors) or len({len(one) for one in vectors}) > 1:
        return [0.0] * len(vectors)
    import numpy as np  # loaded with the embedder, not with the tools

    matrix = np.asarray(vectors, np.float32)
    mean = matrix.mean(axis=0)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(mean)
    return [round(float(one), 6) for one in (matrix @ mean) / np.where(norms > 0, norms, 1.0)]


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
