"""The text of a document as it grows, with the places that its parts have in the file."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tools.documents.records import Location
from wenmai.formats.blocks import NOTE, Block, notes_in_place

MAX_CHARACTERS = 2_000_000  # three long novels; every 1,000 more take the embedder about a second
HEADING_CHARACTERS = 120
CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")  # and lone surrogates, but no tab and no line end


class DocumentTooLong(Exception):
    """A document has more text than can be stored."""


@dataclass(slots=True)
class DocumentSection:
    """A part of the text that no chunk reaches beyond, with where its rows or lines begin: (offset, number)."""

    start: int
    location: Location
    rows: list[tuple[int, int]] = field(default_factory=list)
    lines: list[tuple[int, int]] = field(default_factory=list)
    end: int = 0


@dataclass(slots=True)
class DocumentDraft:
    parts: list[str] = field(default_factory=list)
    size: int = 0
    sections: list[DocumentSection] = field(default_factory=lambda: [DocumentSection(0, Location())])
    path: list[tuple[int, str]] = field(default_factory=list)
    bare: bool = False
    """True as long as the section holds nothing but headings."""
    warnings: list[str] = field(default_factory=list)
    """What of the file could not be read."""
    day: str = ""
    """The day that the file gives itself, as ISO writes it."""

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def begin(self, location: Location) -> None:
        """Begin a part of its own: a page, a slide, a sheet, a file of a book. Headings above it are forgotten."""
        self.path = []
        self._open(location)

    def page(self, number: int) -> None:
        """Begin a page of a text whose headings hold beyond their pages."""
        self._open(Location(page=number, heading=tuple(title for _, title in self.path)))

    def heading(self, level: int, title: str) -> None:
        """Begin a section under a heading; one that has only its heading goes on into it."""
        known = " ".join(tidy(title).split())[:HEADING_CHARACTERS]
        if not known:
            return
        self.path = [*(one for one in self.path if one[0] < level), (level, known)]
        here = replace(self.sections[-1].location, heading=tuple(title for _, title in self.path))
        if self.bare:
            self.sections[-1].location = here
        else:
            self._open(here)
        self._add(known + "\n")
        self.bare = True

    def line(self, text: str, number: int | None = None) -> None:
        """Add a line or a paragraph; its number is that of the file."""
        if number is not None:
            self.sections[-1].lines.append((self.size, number))
        self._add(tidy(text).rstrip() + "\n")
        self.bare = self.bare and not text.strip()

    def row(self, text: str, number: int) -> None:
        self.sections[-1].rows.append((self.size, number))
        self._add(" ".join(tidy(text).split()) + "\n")
        self.bare = False

    def finished(self) -> list[DocumentSection]:
        """Return the sections that have a text, with their ends."""
        ends = [*(section.start for section in self.sections), self.size][1:]
        for section, end in zip(self.sections, ends, strict=True):
            section.end = end
        text = self.text
        return [section for section in self.sections if text[section.start : section.end].strip()]

    def _open(self, location: Location) -> None:
        self.sections.append(DocumentSection(self.size, location))
        self.bare = False

    def _add(self, text: str) -> None:
        self.parts.append(text)
        self.size += len(text)
        if self.size > MAX_CHARACTERS:
            raise DocumentTooLong


def tidy(text: str) -> str:
    """Return a text without control characters and lone surrogates, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    return CONTROLS.sub("", plain)


def fill_draft(draft: DocumentDraft, blocks: Iterable[Block]) -> None:
    """Add the blocks of a page: headings begin sections, a note follows what refers to it."""
    for block in notes_in_place(blocks):
        if block.level is not None:
            draft.heading(block.level, block.text)
        else:
            draft.line(NOTE.format(text=block.text) if block.is_note else block.text)
