"""Text to chunks: cut by langchain's splitter inside each section, with their places."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tools.documents.records import Location, Span
from wenmai.documents.parsing.draft import Section

# The ends of paragraphs, lines, sentences, clauses and words, the best place to cut first.
SEPARATORS = ["\n\n", "\n", "。", "！", "？", "……", ". ", "! ", "? ", "；", "; ", "，", "、", ", ", " ", ""]
OVERLAP_STARTS = tuple(separator for separator in SEPARATORS if separator and separator not in "，、, ")


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk before it is a document's: half-open offsets and its place in the file."""

    start: int
    end: int
    location: Location

    def to_plain(self) -> list[Any]:
        return [self.start, self.end, self.location.to_plain()]


def chunked(text: str, sections: Sequence[Section], size: int, overlap: int) -> list[Piece]:
    """Return chunks of at most `size` characters; each begins with up to `overlap` of the one before it.

    Together they are the text: what lies between two sections belongs to the second.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS,
        keep_separator="end",
        chunk_size=size - overlap,
        chunk_overlap=0,
        strip_whitespace=False,
    )
    pieces: list[Piece] = []
    begin = 0
    for section in sections:
        begins = replace(section, start=begin)
        pieces += section_pieces(
            text, begins, joined(splitter.split_text(text[begin : section.end]), size, overlap), overlap
        )
        begin = section.end
    return pieces


def section_pieces(text: str, section: Section, parts: list[str], overlap: int) -> Iterator[Piece]:
    at = section.start
    for part in parts:
        start = overlapping(text, at, max(section.start, at - overlap), whole=bool(section.rows))
        end = at + len(part)
        yield Piece(start, end, located(section, start, end))
        at = end


def joined(parts: list[str], size: int, overlap: int) -> list[str]:
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


def overlapping(text: str, at: int, earliest: int, *, whole: bool) -> int:
    """Return where a chunk begins that goes on at `at`: behind the first end of a sentence from `earliest` on.

    Where no sentence ends it begins at `earliest`; with `whole`, in a table, at `at`: half a row means nothing.
    """
    found = [(text.find(end, earliest, at), len(end)) for end in OVERLAP_STARTS]
    ends = [begin + length for begin, length in found if 0 <= begin < at - length]
    return min(ends, default=at if whole else earliest)


def located(section: Section, start: int, end: int) -> Location:
    """Return the place of a part of a section; lines are given where there is no heading."""
    rows, lines = spanned(section.rows, start, end), spanned(section.lines, start, end)
    return replace(section.location, rows=rows, lines=None if section.location.heading else lines)


def spanned(marks: list[tuple[int, int]], start: int, end: int) -> Span | None:
    """Return the first and the last number between two offsets."""
    if not marks:
        return None
    first, last = (max(0, bisect_right(marks, offset, key=offset_of) - 1) for offset in (start, end - 1))
    return marks[first][1], marks[last][1]


def offset_of(mark: tuple[int, int]) -> int:
    return mark[0]
