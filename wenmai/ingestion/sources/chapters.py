"""Where the chapters of a plain text begin: 第N回, 第N章, Chapter N, 楔子, markdown headings."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from wenmai.ingestion.sources.sources import Section, clean, clean_title
from wenmai.language.numerals import NUMERAL, parse_number

MAX_HEADING = 80
MIN_PREFACE = 60
"""Characters before the first heading that make a chapter 0; fewer are a title."""
_MARK = r"^\s*(?:#{1,6}\s+)?"
_PART_PREFIX = rf"(?:第\s*[{NUMERAL}]+\s*[部卷编編篇册冊]\s*\S{{0,20}}\s+)?"
_ZH = re.compile(rf"{_MARK}{_PART_PREFIX}第\s*([{NUMERAL}]{{1,9}})\s*([回章节節话話])(?![合程数數目])\s*(.*)$")
_EN = re.compile(rf"{_MARK}(?:chapter|ch\.)\s+(\d+|[ivxlcdm]+|[a-z]+(?:-[a-z]+)?)\b[\s.:—–-]*(.*)$", re.IGNORECASE)
_OPENING = re.compile(rf"{_MARK}(楔子|引子|序章|序幕|序言|前言|prologue|preface)\b[\s:：—-]*(.*)$", re.IGNORECASE)
_CLOSING = re.compile(
    rf"{_MARK}(尾声|尾聲|终章|終章|后记|後記|番外|附录|附錄|epilogue|afterword)\b[\s:：—-]*(.*)$", re.IGNORECASE
)
_PART = re.compile(
    rf"{_MARK}(?:第\s*[{NUMERAL}]+\s*[部卷编編篇册冊]|[卷部]\s*[{NUMERAL}]+|(?:part|book|volume)\s+(?:\d+|[ivxlcdm]+|[a-z]+))"
    r"(?:[\s:：.—-].{0,30})?$",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^#\s+(.+?)\s*#*$")
_MARKDOWN_NUMBER = re.compile(rf"^(?:\d+|[{NUMERAL}]+)(?=[\s.、:：])")
_PROSE_END = "。！？；，,;”」…"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line: its number (None: not numbered) and its text without markup."""

    number: int | None
    title: str


def story_heading(line: str) -> Heading | None:
    """Recognise a chapter's heading line; prose that merely begins like one is refused."""
    text = line.strip()
    if not text or len(text) > MAX_HEADING or text[-1] in _PROSE_END:
        return None
    title = clean_title(text.lstrip("#"))
    if match := _ZH.match(text):
        number = parse_number(match[1])
        return Heading(number, title) if number is not None else None
    if match := _EN.match(text):
        number = parse_number(match[1])
        return Heading(number, title) if number is not None else None
    if _OPENING.match(text) and len(text) <= MAX_HEADING // 2:
        return Heading(0, title)
    if _CLOSING.match(text) and len(text) <= MAX_HEADING // 2:
        return Heading(None, title)
    return None


def title_number(title: str) -> int | None:
    """Return the number that a chapter's title carries: 第N回 gives N."""
    heading = story_heading(title)
    return heading.number if heading else None


def part_heading(line: str) -> bool:
    """Return True if a line is the heading of a part (第一部, Part Two, 卷二), which is no chapter."""
    return len(line.strip()) <= MAX_HEADING // 2 and bool(_PART.match(line.strip()))


def markdown_heading(line: str) -> Heading | None:
    """Recognise a first-level markdown heading."""
    match = _MARKDOWN.match(line.strip())
    if not match:
        return None
    number = _MARKDOWN_NUMBER.match(match[1])
    return Heading(parse_number(number[0]) if number else None, clean_title(match[1]))


def split_chapters(text: str, *, markdown: bool = False) -> list[Section]:
    """Cut a text into sections at its chapter headings; without any the text is one section numbered 1."""
    lines = clean(text).split("\n")
    (_, preface), *runs = _runs(lines, _recogniser(lines, markdown))
    if not runs:
        return [_whole(preface)]
    opening = clean("\n".join(preface))
    before = [Section(number=0, title="", text=opening)] if len(opening) >= MIN_PREFACE else []
    return before + [_section(heading, body) for heading, body in runs if heading]


def _whole(lines: list[str]) -> Section:
    """Make one chapter of a text without chapters; a markdown title on its first line is the chapter's."""
    title = markdown_heading(lines[0])
    body = lines[1:] if title and any(line.strip() for line in lines[1:]) else lines
    return Section(number=1, title=title.title if title else "", text=clean("\n".join(body)))


def _recogniser(lines: list[str], markdown: bool) -> Callable[[str], Heading | None]:
    """Choose what a heading is in this text: story headings, else first-level markdown if there are several."""
    if any(story_heading(line) for line in lines):
        return story_heading
    if markdown and sum(markdown_heading(line) is not None for line in lines) > 1:
        return markdown_heading
    return lambda line: None


def _runs(lines: list[str], recognise: Callable[[str], Heading | None]) -> Iterator[tuple[Heading | None, list[str]]]:
    """Yield each heading with the lines under it; the first run has no heading."""
    heading: Heading | None = None
    body: list[str] = []
    for line in lines:
        found = recognise(line)
        if found:
            yield heading, body
            heading, body = found, []
        elif not part_heading(line):
            body.append(line)
    yield heading, body


def _section(heading: Heading, body: list[str]) -> Section:
    return Section(number=heading.number, title=heading.title, text=clean("\n".join(body)))
