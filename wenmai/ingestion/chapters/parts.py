"""Sections to chapters with part and number: volumes, numbers that begin again, numbers that are wrong."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import median

from wenmai.ingestion.chapters.records import Section, SourceChapter

_CONTINUED = re.compile(r"[（(\s]?(?:[上中下续續]|continued)[)）]?$", re.IGNORECASE)
_WORD = re.compile(r"^[^\W\d_]+?(?=[\s\d:：.篇一二三四五六七八九十第之]|$)")
LONG_BOOK = 20_000
"""Characters that seldom stand without a heading."""
MANY_TIMES = 8
FEW = 4
"""From so many on, missing numbers are named as a range."""


@dataclass(slots=True)
class Part:
    """Chapters that are numbered together; `title` is the volume's, '' where the book names none."""

    title: str
    sections: list[Section] = field(default_factory=list)

    @property
    def last(self) -> Section | None:
        """The chapter that was numbered last, None before the first."""
        return next((one for one in reversed(self.sections) if one.kind == "chapter" or one.kind == "inner"), None)


@dataclass(frozen=True, slots=True)
class Numbered:
    """The chapters of a source, and what is odd about their numbers."""

    chapters: tuple[SourceChapter, ...]
    odd: tuple[str, ...]


def number_sections(sections: Sequence[Section], stem: str, source_file: str) -> Numbered:
    """Give every section its part and number; part 1 is task `<stem>`, another `<stem>#<part>`.

    A new part begins with a volume, and where numbers begin again at 1 for good. Epilogues and side stories are parts
    behind all others. Within a part a chapter keeps the number that is printed, also where another has the same one;
    where that would place it before chapters that stand in front of it, it takes the number of its place.
    """
    told = [one for one in sections if one.text.strip()]
    odd: list[str] = []
    main, asides = _parts(told)
    parts = [Part(part.title, _settled(part.sections, odd)) for part in (*main, *asides)]
    chapters = tuple(_chapters([part for part in parts if part.sections], stem, source_file))
    return Numbered(chapters, (*odd, *_odd_lengths(chapters)))


def _odd_lengths(chapters: Sequence[SourceChapter]) -> Iterator[str]:
    """Yield what speaks for headings that were not recognised: a long text without any, a chapter of many lengths."""
    sizes = [len(chapter.text) for chapter in chapters]
    if len(chapters) == 1 and not chapters[0].line and sizes[0] >= LONG_BOOK:
        yield f"没有认出章节标题，全文 {sizes[0]} 字算作一章：可用 --preview 查看，用 --chapters 或 --headings 指定"
    usual = median(sizes) if len(sizes) >= FEW else max(sizes, default=0)
    for chapter, size in zip(chapters, sizes, strict=True):
        if size > max(MANY_TIMES * usual, LONG_BOOK):
            name = chapter.title or chapter.task_name
            yield f"“{name}”有 {size} 字，是通常的 {size / usual:.0f} 倍：可能漏了标题"


def _parts(sections: Sequence[Section]) -> tuple[list[Part], list[Part]]:
    """Sort the sections into the parts of the story, and those of what stands beside it."""
    main, asides = [Part("")], list[Part]()
    volume = ""
    for at, one in enumerate(sections):
        if one.kind in ("extra", "closing"):
            word = aside_word(one)
            if not asides or asides[-1].title != word:
                asides.append(Part(word))
            asides[-1].sections.append(one)
            continue
        if _begins_part(one, sections[at:], main[-1], volume):
            main.append(Part(one.volume))
        main[-1].title = main[-1].title or one.volume
        main[-1].sections.append(one)
        volume = one.volume
    return main, asides


def aside_word(section: Section) -> str:
    """Return what an epilogue or a side story is called: 番外, 尾声."""
    match = _WORD.match(section.title)
    return match[0] if match else section.title


def _begins_part(one: Section, following: Sequence[Section], part: Part, volume: str) -> bool:
    """Return True for the first section of a volume, and where numbers begin again for good."""
    if part.last is None:
        return False
    if one.volume != volume:
        return True
    numbers = [other.number for other in following if other.kind == "chapter" and other.number is not None]
    if one.kind == "opening":
        return numbers[:1] == [1]
    first = next((other for other in part.sections if other.number == 1 and other.kind == "chapter"), None)
    is_new = first is not None and first.text != one.text and part.last is not first
    return one.kind == "chapter" and one.number == 1 and is_new and _begins_again(numbers, part.last.number or 0)


def _begins_again(numbers: Sequence[int], last: int) -> bool:
    """Return True if numbers count up from 1 and do not go on behind the last one before."""
    gap = next((after for before, after in pairwise(numbers) if after != before + 1), None)
    return gap != last + 1 and numbers[1:2] in ([], [2])


def _settled(sections: Sequence[Section], odd: list[str]) -> list[Section]:
    """Return the sections of a part with their numbers, and say which are not as they are printed."""
    found: list[Section] = []
    printed = [one.number for one in sections if one.kind == "chapter" and one.number is not None]
    for at, one in enumerate(sections):
        last = found[-1] if found else None
        if last and one.kind == "chapter" and one.number == last.number and _CONTINUED.search(one.title):
            notes = (*last.notes, *one.notes)
            found[-1] = replace(last, title=last.title, text=f"{last.text}\n\n{one.text}", notes=notes)
            continue
        after = next((other.number for other in sections[at + 1 :] if other.number is not None), None)
        number = _number(one, [other.number or 0 for other in found], after, printed)
        found.append(replace(one, number=number))
        odd.extend(_oddities(one, found, number, printed))
    return found


def _number(one: Section, before: Sequence[int], after: int | None, printed: Sequence[int]) -> int:
    """Return the number of a section behind others, as it is printed where that can be true."""
    last, number = before[-1] if before else None, one.number
    if number is None:
        return (last or 0) + 1 if last is not None else 1
    if last is None or number == last + 1 or one.kind != "chapter":
        return number
    is_wrong = printed.count(number) > 1 or number < min(before)
    if is_wrong and after == last + 2:
        return last + 1
    if number > last or (number not in before and number > min(before)):
        return number
    return last


def _oddities(one: Section, found: Sequence[Section], number: int, printed: Sequence[int]) -> Iterator[str]:
    """Yield what is odd about the number of the last section."""
    if one.kind != "chapter" or one.number is None:
        return
    place, before = _place(one), [other.number or 0 for other in found[:-1] if other.kind == "chapter"]
    highest = max(before, default=0)
    missing = [str(n) for n in range(highest + 1, number) if n not in printed] if before else []
    if number != one.number:
        yield f"{place}：印作第 {one.number} 章，按位置算作第 {number} 章"
    elif number in before:
        yield f"{place}：第 {number} 章重复出现，各算一章"
    elif number < highest:
        yield f"{place}：编号倒退，前面已有第 {highest} 章"
    elif missing:
        yield f"{place}：前面缺第 {'、'.join(missing) if len(missing) < FEW else f'{missing[0]}–{missing[-1]}'} 章"


def _place(section: Section) -> str:
    return f"第 {section.line} 行“{section.title}”" if section.line else f"“{section.title}”"


def _chapters(parts: Sequence[Part], stem: str, source_file: str) -> Iterator[SourceChapter]:
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
