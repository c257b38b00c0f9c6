"""The text of a document as it grows, with the places that its parts have in the file, and its chunks."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tools.documents.records import Location, Span
from wenmai.formats.blocks import NOTE, Block, notes_in_place

MAX_CHARACTERS = 2_000_000  # three long novels; every 1,000 more take the embedder about a second
HEADING_CHARACTERS = 120
KEPT_CONTROLS = "\n\t"
# The ends of paragraphs, lines, sentences, clauses and words, the best place to cut first.
SEPARATORS = ["\n\n", "\n", "。", "！", "？", "……", ". ", "! ", "? ", "；", "; ", "，", "、", ", ", " ", ""]
OVERLAP_STARTS = tuple(separator for separator in SEPARATORS if separator and separator not in "，、, ")


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
    sections: list[DocumentSection] = field(default_factory=list)
    path: list[tuple[int, str]] = field(default_factory=list)
    bare: bool = False
    """True as long as the section holds nothing but headings."""
    warnings: list[str] = field(default_factory=list)
    """What of the file could not be read."""

    @property
    def text(self) -> str:
        return "".join(self.parts)

    def begin(self, location: Location) -> None:
        """Begin a part of its own: a page, a slide, a sheet, a file of a book. Headings above it are forgotten."""
        self.path = []
        self._open(location)

    def heading(self, level: int, title: str) -> None:
        """Begin a section under a heading; one that has only its heading goes on into it."""
        known = " ".join(tidy(title).split())[:HEADING_CHARACTERS]
        if not known:
            return
        self.path = [*(one for one in self.path if one[0] < level), (level, known)]
        here = replace(self._here, heading=tuple(title for _, title in self.path))
        if self.bare:
            self.sections[-1].location = here
        else:
            self._open(here)
        self._add(known + "\n")
        self.bare = True

    def line(self, text: str, number: int | None = None) -> None:
        """Add a line or a paragraph; its number is that of the file."""
        section = self._section()
        if number is not None:
            section.lines.append((self.size, number))
        self._add(tidy(text).rstrip() + "\n")
        self.bare = self.bare and not text.strip()

    def row(self, text: str, number: int) -> None:
        self._section().rows.append((self.size, number))
        self._add(" ".join(tidy(text).split()) + "\n")
        self.bare = False

    def finished(self) -> list[DocumentSection]:
        ends = [*(section.start for section in self.sections), self.size][1:]
        for section, end in zip(self.sections, ends, strict=True):
            section.end = end
        text = self.text
        return [section for section in self.sections if text[section.start : section.end].strip()]

    @property
    def _here(self) -> Location:
        return self.sections[-1].location if self.sections else Location()

    def _open(self, location: Location) -> None:
        self.sections.append(DocumentSection(self.size, location))
        self.bare = False

    def _section(self) -> DocumentSection:
        if not self.sections:
            self._open(Location())
        return self.sections[-1]

    def _add(self, text: str) -> None:
        self._section()
        self.parts.append(text)
        self.size += len(text)
        if self.size > MAX_CHARACTERS:
            raise DocumentTooLong


def tidy(text: str) -> str:
    """Return a text without control characters and lone surrogates, with plain line ends."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n").replace("\ufeff", "")
    if plain.isprintable():
        return plain
    return "".join(char for char in plain if char in KEPT_CONTROLS or unicodedata.category(char) not in ("Cc", "Cs"))


def fill_draft(draft: DocumentDraft, blocks: Iterable[Block]) -> None:
    """Add the blocks of a page: headings begin sections, a note follows what refers to it."""
    for block in notes_in_place(blocks):
        if block.level is not None:
            draft.heading(block.level, block.text)
        else:
            draft.line(NOTE.format(text=block.text) if block.is_note else block.text)


Chunks = list[tuple[int, int, Location]]


def chunks_of(text: str, sections: Sequence[DocumentSection], size: int, overlap: int) -> Chunks:
    """Return chunks of at most `size` characters as half-open offsets with their places in the file.

    Each begins with up to `overlap` of the one before it. Together they are the text: what lies between two sections
    belongs to the second.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS,
        keep_separator="end",
        chunk_size=size - overlap,
        chunk_overlap=0,
        strip_whitespace=False,
    )
    chunks: Chunks = []
    at = 0
    for section in sections:
        begin = at
        for part in merged_parts(splitter.split_text(text[begin : section.end]), size, overlap):
            start = overlap_start(text, at, max(begin, at - overlap), whole=bool(section.rows))
            chunks.append((start, at + len(part), place_of(section, start, at + len(part))))
            at += len(part)
        at = section.end
    return chunks


def merged_parts(parts: list[str], size: int, overlap: int) -> list[str]:
    """Return the parts, those put together that fit: the splitter leaves a heading alone before a long paragraph."""
    found: list[str] = []
    for part in parts:
        # Nothing overlaps into the first chunk of a section: it may be longer.
        most = size if len(found) == 1 else size - overlap
        if found and (len(found[-1]) + len(part) <= most or not part.strip()):
            found[-1] += part
        else:
            found.append(part)
    return found


def overlap_start(text: str, at: int, earliest: int, *, whole: bool) -> int:
    """Return where a chunk begins that goes on at `at`: behind the first end of a sentence from `earliest` on.

    Where no sentence ends it begins at `earliest`; with `whole`, in a table, at `at`: half a row means nothing.
    """
    found = [(text.find(end, earliest, at), len(end)) for end in OVERLAP_STARTS]
    ends = [begin + length for begin, length in found if 0 <= begin < at - length]
    return min(ends, default=at if whole else earliest)


def place_of(section: DocumentSection, start: int, end: int) -> Location:
    """Return the place of a part of a section; lines are given where there is no heading."""
    rows, lines = numbers_between(section.rows, start, end), numbers_between(section.lines, start, end)
    return replace(section.location, rows=rows, lines=None if section.location.heading else lines)


def numbers_between(marks: list[tuple[int, int]], start: int, end: int) -> Span | None:
    if not marks:
        return None
    first, last = (max(0, bisect_right(marks, offset, key=lambda mark: mark[0]) - 1) for offset in (start, end - 1))
    return marks[first][1], marks[last][1]
