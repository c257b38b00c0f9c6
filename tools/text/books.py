"""Where a piece of evidence stands, as a reader calls it.

In Chinese 《书名》第二部 第七章 潮生, in English "Title, Part 2, Chapter 7: The Tide".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from state.context import Language
from tools.language import chinese_number

if TYPE_CHECKING:
    from state.schema import Evidence

OF_STORIES = ("passage", "relation", "event")  # kinds of evidence that stand in a chapter
OF_NETWORKS = ("property", "relation")
BOOKS = "books"  # key of the catalog's note of what its tasks belong to
_TAIL = re.compile(r"#\d+$")
NUMERAL = "0-9０-９零〇○一二三四五六七八九十百千两兩廿卄卅卌"
VOLUME = re.compile(
    rf"(?P<zh>第[{NUMERAL}]+[部卷集册冊篇编編輯辑]|[部卷集册冊篇][{NUMERAL}]+|[上中下][部卷集册冊篇])(?=[\s:：·、]|$)"
    r"|(?P<en>(?:part|volume|vol\.?|book)\s+[\w-]+)",
    re.IGNORECASE,
)
CHINESE_CHAPTER = re.compile(rf"^第\s*[{NUMERAL}]+\s*[回章节節话話]\s*[:：.、—–-]?\s*(?P<name>.*)$")
ENGLISH_CHAPTER = re.compile(
    r"^chapter\s+(?:(?:\d+|[ivxlc]+)\b|[a-z -]+?(?=\s*(?:[:.—–]|$)))\s*[:.—–-]?\s*(?P<name>.*)$", re.IGNORECASE
)
NUMBERED = re.compile(
    rf"第\s*[{NUMERAL}]+\s*[回章节節话話]"
    rf"|^\W*(?:(?:chapter|chap|ch)\b\W*)?(?:[{NUMERAL}]+|[ivxlc]+)(?:\W|$)|\bchapter\b",
    re.IGNORECASE,
)
OUTSIDE = re.compile(
    r"^(?:楔子|引子|序|前言|尾声|尾聲|尾章|终章|後記|后记|番外|外传|外傳|外篇|后日谈|後日談|特别篇|特別篇|附录|附錄"
    r"|prologue|preface|epilogue|afterword|appendix|side stor|bonus)",
    re.IGNORECASE,
)
"""Begins the title of what stands outside the count of chapters."""


@dataclass(frozen=True, slots=True)
class BookPart:
    """A part of a book: its book's title and authors, its number among the book's parts, its heading ('' without)."""

    title: str
    authors: tuple[str, ...] = ()
    number: int = 1
    parts: int = 1
    name: str = ""


Books = Mapping[int, BookPart]  # the part of a book that each part of a library is


def stem_of(task: str) -> str:
    """Return the file that a task comes from: task `a#2` is the second part of `a`."""
    return _TAIL.sub("", task)


def books_of(
    tasks: Sequence[tuple[str, int]], noted: Mapping[str, Mapping[str, Any]], title: str
) -> dict[int, BookPart]:
    """Return the books of a library by the numbers of its parts; `tasks` has every task with its part, in order.

    What the catalog has noted of a task are fields of BookPart, nothing in older libraries: then the book has the title
    of the library, where that is one book, else the name of its file.
    """
    files = [stem_of(task) for task, _ in tasks]
    plain = {stem: title if len(set(files)) == 1 else stem for stem in files}
    return {
        part: BookPart(**{**noted[task], "authors": tuple(noted[task]["authors"])})
        if task in noted
        else BookPart(plain[stem], number=files[: at + 1].count(stem), parts=files.count(stem))
        for at, (stem, (task, part)) in enumerate(zip(files, tasks, strict=True))
    }


def label(piece: "Evidence", books: Books, language: Language) -> str:
    """Return where a piece stands: book, part and chapter of a story, a row by its name, else source and place."""
    book = books.get(piece["part"] or 0) if piece["kind"] in OF_STORIES else None
    if book is None:
        if piece["kind"] in OF_NETWORKS and piece["title"] and piece["location"]:
            return f"{piece['title']} · {piece['location'].rpartition(' / ')[2]}"
        rows = (piece["source"], piece["title"] or piece["chapter"], piece["location"])
        return " · ".join(str(row) for row in rows if row is not None) or piece["id"]
    title, part = book.title.strip("《》"), _part(book, language)
    chapter = _chapter(piece["title"] or "", piece["chapter"], language)
    part = "" if chapter.startswith(part) else part
    if language == "en":
        return ", ".join(row for row in (*book.authors, title, part, chapter) if row)
    return f"{'、'.join(book.authors)}《{title}》{' '.join(row for row in (part, chapter) if row)}"


def _part(book: BookPart, language: Language) -> str:
    """Return the short heading of a part: 第二部 of 第二部 潮生; one in another language by its number."""
    found = VOLUME.match(book.name)
    if book.name and (found is None or found[language]):
        return found[0] if found else book.name
    if book.parts == 1 and not book.name:
        return ""
    return f"第{chinese_number(book.number)}部" if language == "zh" else f"Part {book.number}"


def _chapter(title: str, number: int | None, language: Language) -> str:
    """Return the heading of a chapter as it is printed, with its number in words of the language."""
    own, other = (CHINESE_CHAPTER, ENGLISH_CHAPTER) if language == "zh" else (ENGLISH_CHAPTER, CHINESE_CHAPTER)
    foreign = other.match(title)
    if not number or own.match(title) or (title and not foreign and (OUTSIDE.match(title) or NUMBERED.search(title))):
        return title
    name = foreign["name"] if foreign else title
    if language == "zh":
        return f"第{chinese_number(number)}章 {name}".strip()
    return f"Chapter {number}: {name}".removesuffix(": ")
