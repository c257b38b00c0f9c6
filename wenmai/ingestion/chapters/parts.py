"""Sections to chapters with part and number: volumes, numbers that begin again, numbers that are wrong."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import median

from tools.messages import Names, say
from wenmai.ingestion.chapters.records import Section, SourceChapter

LONG_BOOK = 20_000  # characters that seldom stand without a heading
MANY_TIMES = 8
FEW = 4  # from so many on, missing numbers are named as a range


@dataclass(slots=True)
class Given:
    """The numbers that were given so far: the last and the lowest of all sections, those of chapters and of all."""

    last: int | None = None
    lowest: int = 0
    highest: int = 0
    every: set[int] = field(default_factory=set)
    chapters: set[int] = field(default_factory=set)

    def add(self, number: int, *, is_chapter: bool) -> None:
        self.lowest = number if self.last is None else min(self.lowest, number)
        self.last = number
        self.every.add(number)
        if is_chapter:
            self.chapters.add(number)
            self.highest = max(self.highest, number)


def odd_lengths(chapters: Sequence[SourceChapter]) -> Iterator[str]:
    """Yield what speaks for headings that were not recognised: a long text without any, a chapter of many lengths."""
    sizes = [len(chapter.text) for chapter in chapters]
    if len(chapters) == 1 and not chapters[0].line and sizes[0] >= LONG_BOOK:
        yield say("chapters.no_headings", size=sizes[0])
    usual = median(sizes) if len(sizes) >= FEW else max(sizes, default=0)
    for chapter, size in zip(chapters, sizes, strict=True):
        if size > max(MANY_TIMES * usual, LONG_BOOK):
            name = chapter.title or chapter.task_name
            yield say("chapters.unusually_long", name=name, size=size, times=size / usual)


def odd_number(one: Section, given: Given, number: int, printed: Container[int]) -> Iterator[str]:
    if one.kind != "chapter" or one.number is None:
        return
    place = say("chapters.titled_at_line" if one.line else "chapters.titled", line=one.line, title=one.title)
    missing = _missing(range(given.highest + 1, number), printed) if given.chapters else ""
    if number != one.number:
        yield say("chapters.misnumbered", place=place, printed=one.number, number=number)
    elif number in given.chapters:
        yield say("chapters.number_repeated", place=place, number=number)
    elif number < given.highest:
        yield say("chapters.numbers_go_back", place=place, highest=given.highest)
    elif missing:
        yield say("chapters.numbers_missing", place=place, numbers=missing)


def _missing(numbers: range, printed: Container[int]) -> str:
    """Return the numbers that no chapter has, many as the first and the last."""
    first = list(islice((n for n in numbers if n not in printed), FEW))
    if len(first) < FEW:
        return str(Names(first))
    return f"{first[0]}–{next(n for n in reversed(numbers) if n not in printed)}"


_CONTINUED = re.compile(r"[（(\s]?(?:[上中下续續]|continued)[)）]?$", re.IGNORECASE)
_WORD = re.compile(r"^[^\W\d_]+?(?=[\W\dⅠ-Ⅻ篇一二三四五六七八九十第之]|$)")


@dataclass(slots=True)
class NumberedPart:
    """Chapters that are numbered together.

    Attributes:
        title: the volume's, '' where the book names none.
        first: the first chapter 1.
        last: the chapter that was numbered last.
    """

    title: str
    sections: list[Section] = field(default_factory=list)
    first: Section | None = None
    last: Section | None = None

    def add(self, one: Section) -> None:
        self.sections.append(one)
        self.title = self.title or one.volume
        if one.kind in ("chapter", "inner"):
            self.last = one
        if one.kind == "chapter" and one.number == 1:
            self.first = self.first or one


def number_sections(
    sections: Sequence[Section], stem: str, source_file: str
) -> tuple[tuple[SourceChapter, ...], list[str]]:
    """Give every section its part and number; return the chapters, and what is odd about their numbers.

    Part 1 is task `<stem>`, another `<stem>#<part>`. A new part begins with a volume, and where numbers begin again at
    1 for good. Side stories are parts behind all others; an epilogue is the last chapter of its part. Within a part a
    chapter keeps the number that is printed, also where another has the same one; where that would place it before
    chapters that stand in front of it, it takes the number of its place.
    """
    odd: list[str] = []
    main, asides = _parts([one for one in sections if one.text.strip()])
    parts = [NumberedPart(part.title, _settled(part.sections, odd)) for part in (*main, *asides)]
    chapters = tuple(_chapters([part for part in parts if part.sections], stem, source_file))
    return chapters, [*odd, *odd_lengths(chapters)]


def _parts(sections: Sequence[Section]) -> tuple[list[NumberedPart], list[NumberedPart]]:
    """Sort the sections into the parts of the story, and those of what stands beside it: 番外."""
    main, asides = [NumberedPart("")], list[NumberedPart]()
    numbers = [one.number for one in sections if one.kind == "chapter" and one.number is not None]
    volume, at = "", 0
    for one in sections:
        if one.kind == "extra":
            match = _WORD.match(one.title)
            word = match[0] if match else one.title
            if not asides or asides[-1].title != word:
                asides.append(NumberedPart(word))
            asides[-1].add(one)
            continue
        if _begins_part(one, numbers, at, main[-1], volume):
            main.append(NumberedPart(one.volume))
        main[-1].add(one)
        volume = one.volume
        at += one.kind == "chapter" and one.number is not None
    return main, asides


def _begins_part(one: Section, numbers: Sequence[int], at: int, part: NumberedPart, volume: str) -> bool:
    """Return True for the first section of a volume, and where numbers begin again for good.

    `numbers` are those of all chapters, from place `at` on those that are not before this section.
    """
    if part.last is None:
        return False
    if one.volume != volume:
        return True
    if one.kind == "opening":
        return numbers[at : at + 1] == [1]
    if one.kind != "chapter" or one.number != 1:
        return False
    is_new = part.first is not None and part.first.text != one.text and part.last is not part.first
    return is_new and _begins_again(numbers, at, part.last.number or 0)


def _begins_again(numbers: Sequence[int], at: int, last: int) -> bool:
    """Return True if numbers count up from 1 and do not go on behind the last one before."""
    end = next((end for end in range(at + 1, len(numbers)) if numbers[end] != numbers[end - 1] + 1), None)
    is_going_on = end is not None and numbers[end] == last + 1
    return not is_going_on and numbers[at + 1 : at + 2] in ([], [2])


def _settled(sections: Sequence[Section], odd: list[str]) -> list[Section]:
    """Return the sections of a part with their numbers, and say which are not as they are printed."""
    found: list[Section] = []
    given = Given()
    printed = Counter(one.number for one in sections if one.kind == "chapter" and one.number is not None)
    for one, after in zip(sections, _next_numbers(sections), strict=True):
        last = found[-1] if found else None
        if last and one.kind == "chapter" and one.number == last.number and _CONTINUED.search(one.title):
            notes = (*last.notes, *one.notes)
            found[-1] = replace(last, title=last.title, text=f"{last.text}\n\n{one.text}", notes=notes)
            continue
        number = _number(one, given, after, printed)
        found.append(replace(one, number=number))
        odd.extend(odd_number(one, given, number, printed))
        given.add(number, is_chapter=one.kind == "chapter")
    return found


def _next_numbers(sections: Sequence[Section]) -> list[int | None]:
    found: list[int | None] = []
    number: int | None = None
    for one in reversed(sections):
        found.append(number)
        number = number if one.number is None else one.number
    return found[::-1]


def _number(one: Section, given: Given, after: int | None, printed: Mapping[int, int]) -> int:
    """Return the number of a section behind others, as it is printed where that can be true."""
    last, number = given.last, one.number
    if number is None:
        return (last or 0) + 1 if last is not None else 1
    if last is None or number == last + 1 or one.kind != "chapter":
        return number
    is_typo = after is not None and number > after and not printed[last + 1]
    is_wrong = is_typo or printed[number] > 1 or number < given.lowest
    if is_wrong and after == last + 2:
        return last + 1
    if number > last or (number not in given.every and number > given.lowest):
        return number
    return last


def _chapters(parts: Sequence[NumberedPart], stem: str, source_file: str) -> Iterator[SourceChapter]:
    for at, part in enumerate(parts, 1):
        counts: dict[int, int] = {}
        for order, section in enumerate(part.sections):
            number = section.number or 0
            copy = counts[number] = counts.get(number, -1) + 1
            yield SourceChapter(
                task_id=stem if at == 1 else f"{stem}#{at}",
                task_name=part.title or (stem if at == 1 else f"{stem} {at}"),
                number=number,
                title=section.title,
                text=section.text,
                order=order,
                source_file=source_file,
                copy=copy,
                volume=section.volume,
                line=section.line,
                printed=section.printed,
                notes=section.notes,
            )
