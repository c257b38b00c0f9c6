"""Markdown: headings where a text has no chapters of its own, and which of its marks are no headings and no story."""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from tools.text.numerals import NUMERAL, parse_number
from wenmai.ingestion.chapters.headings import Candidate, HeadingForm
from wenmai.ingestion.chapters.records import Line, clean_title, is_blank, width

LEVELS = range(1, 7)
LEAST_CHAPTERS = 2
LONGEST_UNDERLINED = 40  # length in Chinese characters of a line that is a heading by the line of marks below it
_MARKDOWN = re.compile(r"^(?P<marks>#{1,6})\s+(?P<title>.+?)\s*#*$")
_NUMBER = re.compile(rf"^(?:\d+|[{NUMERAL}]+)(?=[\s.、:：])")
_FORM = HeadingForm("markdown", "chapter", _MARKDOWN)
_UNDERLINE = re.compile(r"^(?:={2,}|-{2,})$")
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}|~{3,})")
_NOTE = re.compile(r"^\[\^[^\]\s]{1,20}\]:")
_NOTE_MARK = re.compile(r"\[\^[^\]\s]{1,20}\](?!:)")
_NO_TITLE = re.compile(r"^(?:[#>|`~*+-]|\d+[.)]\s)")


def markdown_heading(text: str, at: int = 0, level: int = 1) -> Candidate | None:
    match = _MARKDOWN.match(text)
    if not match or len(match["marks"]) != level:
        return None
    number = _NUMBER.match(match["title"])
    title = clean_title(match["title"])
    return Candidate(
        at=at,
        form=_FORM,
        number=parse_number(number[0]) if number else None,
        title=title,
        name=title,
        volume="",
        is_glued=False,
    )


def markdown_headings(lines: Sequence[Line], volumes: Collection[int]) -> list[Candidate]:
    """Return the headings of the highest level that has several, [] if none has; those of volumes do not count."""
    for level in LEVELS:
        every = (markdown_heading(line.plain, at, level) for at, line in enumerate(lines) if at not in volumes)
        found = [one for one in every if one]
        if len(found) >= LEAST_CHAPTERS:
            return found
    return []


def read_marks(lines: Sequence[Line]) -> tuple[list[Line], set[int]]:
    """Return the lines with underlined headings as `#` ones and without footnote marks, and where no heading can be.

    No heading stands in a fenced block or in a comment; both may span several lines.
    """
    hidden = _hidden(lines)
    found = [
        line if at in hidden or _NOTE.match(line.plain) else replace(line, text=_NOTE_MARK.sub("", line.text))
        for at, line in enumerate(lines)
    ]
    for at, line in enumerate(lines):
        if at and at not in hidden and _UNDERLINE.match(line.plain) and _is_underlined(lines, at - 1):
            marks = "#" if line.plain[0] == "=" else "##"
            found[at - 1 : at + 1] = [
                replace(found[at - 1], text=f"{marks} {found[at - 1].plain}"),
                Line(line.number, ""),
            ]
    return found, hidden


def _is_underlined(lines: Sequence[Line], at: int) -> bool:
    """Return True for a short line that stands alone and is no sentence: marks below one part scenes."""
    plain = lines[at].plain
    is_short = bool(plain) and width(plain) <= LONGEST_UNDERLINED and is_blank(lines, at - 1)
    return is_short and not lines[at].is_prose and not _NO_TITLE.match(plain) and plain[-1] not in "。.，,；;"


def _hidden(lines: Sequence[Line]) -> set[int]:
    """Return the places inside of fences and comments; what is never closed hides nothing."""
    found: set[int] = set()
    start, end = 0, ""
    for at, line in enumerate(lines):
        if end:
            is_end = end in line.text if end == "-->" else line.plain.startswith(end) and not line.plain.strip(end[0])
            if is_end:
                found.update(range(start, at + 1))
                end = ""
        elif fence := _FENCE.match(line.text):
            start, end = at, fence["fence"]
        elif "<!--" in line.text and "-->" not in line.text.rpartition("<!--")[2]:
            start, end = at, "-->"
        elif line.plain.startswith("<!--"):
            found.add(at)
    return found
