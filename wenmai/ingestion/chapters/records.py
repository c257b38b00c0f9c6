"""Lines, sections and chapters of a text as they stand in its file, before they have a place in a library."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from tools.language import HAN

_PARAGRAPH = re.compile(r"\u3000{2,}")
_WIDE_GAP = re.compile(r"^(\s*第\s*\S{1,9}?[章回节節话話卷部])\u3000{2,}(?=\S)")
"""A heading whose title stands behind several wide blanks, which elsewhere separate paragraphs."""
_PROSE_END = re.compile(r"[。！？!?.…：:；;，,—]+[”’」』\"')）】]*$")
LONG_LINE = 60
SHORT_PROSE = 8


@dataclass(frozen=True, slots=True)
class Line:
    """A line, or a paragraph within one, and the number of its line in the file, from 1."""

    number: int
    text: str

    @property
    def plain(self) -> str:
        return self.text.strip()

    @property
    def is_prose(self) -> bool:
        """Whether the line is running text: long, or a clause that ends in punctuation."""
        plain = self.plain
        return width(plain) > LONG_LINE or (len(plain) >= SHORT_PROSE and bool(_PROSE_END.search(plain)))


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text; a run of wide blanks within a line begins a paragraph of its own."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    return [
        Line(number, piece)
        for number, raw in enumerate(text.split("\n"), 1)
        for piece in _pieces(_WIDE_GAP.sub("\\1\u3000", raw))
    ]


def _pieces(raw: str) -> list[str]:
    plain = raw.strip()
    if "\u3000\u3000" not in plain:
        return [raw]
    first, *rest = _PARAGRAPH.split(plain)
    return [raw[: raw.index(plain)] + first, *rest]


def width(text: str) -> int:
    """Return a length in Chinese characters: two of other scripts count as one."""
    han = len(HAN.findall(text))
    return han + (len(text) - han) // 2


@cache
def _narrow(char: str) -> str:
    found = unicodedata.normalize("NFKC", char)
    return found if len(found) == 1 else char


def narrowed(text: str) -> str:
    """Return a text of the same length with letters, digits and punctuation of ordinary width."""
    return "".join(map(_narrow, text))


def is_blank(lines: Sequence[Line], at: int) -> bool:
    """Return True for a blank line and beyond the ends of the text."""
    return not 0 <= at < len(lines) or not lines[at].plain


def text_before(lines: Sequence[Line], at: int) -> str:
    return next((lines[n].plain for n in range(at - 1, -1, -1) if lines[n].plain), "")


def has_prose(lines: Sequence[Line]) -> bool:
    return any(line.is_prose for line in lines)


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
        kind: a prologue is chapter 0 of its part, an epilogue its last one; side stories are parts of their own.
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
    aliases: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Other names that the text itself gives to what it names: those of a note, of a page of a wiki."""


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
