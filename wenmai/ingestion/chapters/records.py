"""Sections and chapters of a text as they stand in its file, before they have a place in a library."""

import re
from dataclasses import dataclass
from typing import Literal

_PARAGRAPH = re.compile(r"\u3000{2,}")
_BREAKS = re.compile(r"\n{3,}")


Kind = Literal["chapter", "opening", "closing", "extra", "inner"]
"""What a section is: a chapter, or a prologue, an epilogue, a side story, an interlude."""
NoteKind = Literal["front", "contents", "end", "author", "translator", "footnote", "page", "licence", "site", "picture"]


@dataclass(frozen=True, slots=True)
class TextNote:
    """What stands in a text and is no story; `line` counts from 1 in the file, 0 where there are no lines."""

    kind: NoteKind
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its text, in file order.

    Attributes:
        number: None where the heading carries none.
        volume: the heading of the volume that it belongs to, '' if none.
        kind: a prologue is chapter 0 of its part, epilogues and side stories are parts of their own.
        line: the line of the heading in its file, from 1; 0 where there are no lines.
        printed: that line as it is printed.
        notes: what stood in its text and is no story.
    """

    number: int | None
    title: str
    text: str
    volume: str = ""
    kind: Kind = "chapter"
    line: int = 0
    printed: str = ""
    notes: tuple[TextNote, ...] = ()


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A line that looks like a heading and is none, and why."""

    line: int
    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Division:
    """A text cut into sections, and what was left out of them."""

    sections: tuple[Section, ...]
    left_out: tuple[LeftOut, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceChapter:
    """A chapter of one task. `order` counts from 0 inside the task; `copy` counts chapters of one number from 0."""

    task_id: str
    task_name: str
    number: int
    title: str
    text: str
    order: int
    source_file: str
    copy: int = 0
    volume: str = ""
    line: int = 0
    printed: str = ""
    notes: tuple[TextNote, ...] = ()


def clean(text: str) -> str:
    """Give a text Unix line ends, and a line break where a run of wide blanks stands for a paragraph."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    return _BREAKS.sub("\n\n", _PARAGRAPH.sub("\n", text)).strip()


def clean_title(title: str) -> str:
    return " ".join(title.split())
