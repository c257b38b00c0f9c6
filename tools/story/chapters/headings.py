"""The chapters of a story by their headings: which are asked for, and which of many are shown."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.formatting import mark
from tools.messages import say
from tools.records import Passage
from tools.story.names import spelling_key
from tools.text.books import OUTSIDE as OUTSIDE

MOST_CHAPTERS = 200
FIRST_ONES, LAST_ONES = 100, 40
"""Of more chapters so many of the first and last are shown, and of the others what stands outside the count."""
Key = tuple[int, int | None, str]


@dataclass(frozen=True, slots=True)
class Heading:
    """A chapter: its place, its title as printed ('' without one) and its first passage."""

    part: int
    number: int | None
    title: str
    first: Passage

    @property
    def key(self) -> Key:
        """What tells it from the others of a library."""
        return self.part, self.number, self.title

    @property
    def shown(self) -> str:
        """The title as printed, else the number."""
        return self.title or say("story.chapter_heading", number=mark(self.number))


def key_of(passage: Passage) -> Key:
    """Return the key of a passage's chapter."""
    return passage.part, passage.chapter, passage.chapter_title


def headings_of(passages: Sequence[Passage]) -> list[Heading]:
    """Return the chapters of passages that are in story order."""
    found: dict[Key, Heading] = {}
    for one in passages:
        found.setdefault(key_of(one), Heading(*key_of(one), first=one))
    return list(found.values())


def asked(
    headings: Sequence[Heading], chapters: Sequence[int] | None, title: str | None, part: int | None = None
) -> list[Heading]:
    """Return the chapters of a range, those with words in their title, or both; negative numbers count back.

    Chapter 1 of a book is not its first side story, unless the title or the part is asked for.
    """
    found = list(headings)
    if title:
        found = [one for one in found if spelling_key(title) in spelling_key(one.shown)]
    if chapters is None:
        return found
    first, last = chapters
    if first >= 0 and last >= 0:
        found = [one for one in found if one.number is not None and first <= one.number <= last]
        counted = [one for one in found if not OUTSIDE.match(one.title)]
        return found if title or part is not None else counted or found
    found = [one for one in found if one.number or one.title] or found  # a preface without a title is no chapter
    start = first + len(found) if first < 0 else _place(found, first)
    end = last + len(found) if last < 0 else _place(found, last)
    return found[max(0, start) : max(0, end + 1)]


def _place(headings: Sequence[Heading], number: int) -> int:
    """Return where the chapter of a number stands, else the first one behind it, else the end."""
    places = (at for at, one in enumerate(headings) if one.number is not None and one.number >= number)
    return next(places, len(headings))


def shown_of(headings: Sequence[Heading]) -> list[Heading]:
    """Return at most `MOST_CHAPTERS`: the first, the last, and between them what a count of chapters must know.

    That is what stands outside the count, and where a part begins.
    """
    if len(headings) <= MOST_CHAPTERS:
        return list(headings)
    middle = range(FIRST_ONES, len(headings) - LAST_ONES)
    special = [at for at in middle if OUTSIDE.match(headings[at].title) or headings[at].part != headings[at - 1].part]
    inner = special[: MOST_CHAPTERS - FIRST_ONES - LAST_ONES]
    return [*headings[:FIRST_ONES], *(headings[at] for at in inner), *headings[-LAST_ONES:]]
