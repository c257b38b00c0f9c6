"""What is odd about the chapters of a text: numbers that miss, come again, go back; lengths that hide a heading."""

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from statistics import median

from tools.wording import Names, Words
from wenmai.ingestion.chapters.records import Section, SourceChapter

MISSING = Words("{place}：前面缺第 {numbers} 章", "{place}: before it, chapter {numbers} is missing")
TITLE = Words("“{title}”", '"{title}"')
AT_LINE = Words("第 {line} 行“{title}”", 'line {line} "{title}"')
BACK = Words(
    "{place}：编号倒退，前面已有第 {highest} 章", "{place}: the numbers go back, chapter {highest} stands before it"
)
DOUBLED = Words("{place}：第 {number} 章重复出现，各算一章", "{place}: chapter {number} comes again; each is a chapter")
MISNUMBERED = Words(
    "{place}：印作第 {printed} 章，按位置算作第 {number} 章",
    "{place}: printed as chapter {printed}, by its place chapter {number}",
)
LONG = Words(
    "“{name}”有 {size} 字，是通常的 {times:.0f} 倍：可能漏了标题",
    '"{name}" has {size} characters, {times:.0f} times as many as others: a heading may be missing',
)
NO_HEADINGS = Words(
    "没有认出章节标题，全文 {size} 字算作一章：可用 --preview 查看，用 --chapters 或 --headings 指定",
    "no headings were found, the {size} characters are one chapter: look by --preview, say what they are by "
    "--chapters or --headings",
)
LONG_BOOK = 20_000
"""Characters that seldom stand without a heading."""
MANY_TIMES = 8
FEW = 4
"""From so many on, missing numbers are named as a range."""


@dataclass(slots=True)
class Given:
    """The numbers that were given so far: the last and the lowest of all sections, those of chapters and of all."""

    last: int | None = None
    lowest: int = 0
    highest: int = 0
    every: set[int] = field(default_factory=set)
    chapters: set[int] = field(default_factory=set)

    def add(self, number: int, *, is_chapter: bool) -> None:
        """Take the number of the next section."""
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
        yield NO_HEADINGS.say(size=sizes[0])
    usual = median(sizes) if len(sizes) >= FEW else max(sizes, default=0)
    for chapter, size in zip(chapters, sizes, strict=True):
        if size > max(MANY_TIMES * usual, LONG_BOOK):
            name = chapter.title or chapter.task_name
            yield LONG.say(name=name, size=size, times=size / usual)


def odd_number(one: Section, given: Given, number: int, printed: Container[int]) -> Iterator[str]:
    """Yield what is odd about the number of a section behind others."""
    if one.kind != "chapter" or one.number is None:
        return
    place, highest = _place(one), given.highest
    missing = _missing(range(highest + 1, number), printed) if given.chapters else ""
    if number != one.number:
        yield MISNUMBERED.say(place=place, printed=one.number, number=number)
    elif number in given.chapters:
        yield DOUBLED.say(place=place, number=number)
    elif number < highest:
        yield BACK.say(place=place, highest=highest)
    elif missing:
        yield MISSING.say(place=place, numbers=missing)


def _missing(numbers: range, printed: Container[int]) -> str:
    """Return the numbers that no chapter has, many as the first and the last."""
    first = list(islice((n for n in numbers if n not in printed), FEW))
    if len(first) < FEW:
        return str(Names(first))
    return f"{first[0]}–{next(n for n in reversed(numbers) if n not in printed)}"


def _place(section: Section) -> str:
    return (AT_LINE if section.line else TITLE).say(line=section.line, title=section.title)
