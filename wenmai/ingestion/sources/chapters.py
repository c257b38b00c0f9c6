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
    rf"{_MARK}(尾声|尾聲|终章|終章|后记|後記|番外|附录|附錄|epilogue|afterword)(?:篇|[{NUMERAL}]{{1,3}})?\b[\s:：—-]*(.*)$",
    re.IGNORECASE,
)
_PART = re.compile(
    rf"{_MARK}(?:第\s*[{NUMERAL}]+\s*[部卷编編篇册冊]|[卷部]\s*[{NUMERAL}]+|(?:part|book|volume)\s+(?:\d+|[ivxlcdm]+|[a-z]+))"
    r"(?:[\s:：.—-].{0,30})?$",
    re.IGNORECASE,
)
_MARKDOWN = re.compile(r"^#\s+(.+?)\s*#*$")
_MARKDOWN_NUMBER = re.compile(rf"^(?:\d+|[{NUMERAL}]+)(?=[\s.、:：])")
_BARE_NUMBER = re.compile(
    rf"^\s*([{NUMERAL}]{{1,4}}|[IVXLC]{{1,6}})[.、．]?[\s\u3000]+([^\s。！？；，,;”」…].{{0,30}})$"
)
_PROSE_END = "。！？；，,;”」…"
_EXCLAIMED = re.compile(rf"^第\s*[{NUMERAL}]{{1,9}}\s*[回章节節话話][\s:：]+[^。“”「」]{{1,30}}[！？!?…]$")
"""A heading whose title ends like a sentence; a blank keeps it apart from prose."""
LEAST_NUMBERED = 3
LEAST_BODY = 200
"""Characters between bare numbers, on average, that make them chapters instead of a list."""
MAX_SUBTITLE = 60
SUBTITLED_SHARE = 2 / 3
"""Of the headings without a title, so many must have one on the line below."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line: its number (None: not numbered) and its text without markup."""

    number: int | None
    title: str


def story_heading(line: str) -> Heading | None:
    """Recognise a chapter's heading line; prose that merely begins like one is refused."""
    text = line.strip()
    if not text or len(text) > MAX_HEADING or (text[-1] in _PROSE_END and not _EXCLAIMED.match(text)):
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
    (_, preface), *headed = _runs(lines, _recogniser(lines, markdown))
    if not headed:
        return [_whole(preface)]
    runs = _with_subtitles([(heading, body) for heading, body in headed if heading])
    opening = clean("\n".join(preface))
    before = [Section(number=0, title="", text=opening)] if len(opening) >= MIN_PREFACE else []
    return before + [_section(heading, body) for heading, body in runs]


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
    return _numbered(lines).get


def _numbered(lines: list[str]) -> dict[str, Heading]:
    """Return the lines that number chapters by a bare numeral, 一　麦场: they count from 1 and have text between."""
    found: dict[str, Heading] = {}
    for line in lines:
        match = _BARE_NUMBER.match(line)
        if match and parse_number(match[1]) == len(found) + 1 and line not in found:
            found[line] = Heading(len(found) + 1, clean_title(line))
    size = sum(map(len, lines))
    return found if len(found) >= LEAST_NUMBERED and size >= LEAST_BODY * len(found) else {}


def _with_subtitles(runs: list[tuple[Heading, list[str]]]) -> list[tuple[Heading, list[str]]]:
    """Add the line below to headings without a title, in a text that has its titles there."""
    untitled = [_subtitle(body) for heading, body in runs if _is_untitled(heading)]
    if not untitled or sum(map(bool, untitled)) < SUBTITLED_SHARE * len(untitled):
        return runs
    return [_joined(heading, body) if _is_untitled(heading) else (heading, body) for heading, body in runs]


def _is_untitled(heading: Heading) -> bool:
    match = _ZH.match(heading.title) or _EN.match(heading.title)
    return heading.number is not None and bool(match) and not (match and match[2])


def _subtitle(body: list[str]) -> str:
    """Return a body's first line where it is short and stands alone, else ''."""
    at = next((at for at, line in enumerate(body) if line.strip()), None)
    if at is None or (at + 1 < len(body) and body[at + 1].strip()):
        return ""
    line = body[at].strip()
    is_speech = line[0] in "“「『\"‘'"
    return "" if len(line) > MAX_SUBTITLE or is_speech or line[-1] in "。；，,;”」…." else line


def _joined(heading: Heading, body: list[str]) -> tuple[Heading, list[str]]:
    title = _subtitle(body)
    if not title:
        return heading, body
    at = next(at for at, line in enumerate(body) if line.strip())
    return Heading(heading.number, f"{heading.title}: {clean_title(title)}"), body[at + 1 :]


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
