"""A file's bytes to text, places and chunks, by a reader for each kind. Nothing is fetched, nothing in it is run."""

import csv
import io
import re
import warnings
import zipfile
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date, datetime, time
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tools.documents.records import Location, Span
from tools.errors import IngestError
from tools.messages import Message
from tools.text.sentences import PROPERTY
from wenmai.documents.parsing.draft import (
    MAX_CHARACTERS,
    DocumentDraft,
    DocumentSection,
    DocumentTooLong,
    fill_draft,
    tidy,
)
from wenmai.documents.parsing.kinds import MIME_TYPES, check_archive, kind_of, refusal
from wenmai.formats.blocks import Unreadable, require_format
from wenmai.formats.data import json_blocks, xml_blocks
from wenmai.formats.docx import docx_blocks
from wenmai.formats.epub import read_book
from wenmai.formats.markdown import read_note
from wenmai.formats.pages import page_blocks, parsed
from wenmai.formats.pdf import level_of, read_pages
from wenmai.formats.plain import text_blocks
from wenmai.formats.scanned import without_scan_marks
from wenmai.formats.screenplay import screenplay_blocks
from wenmai.formats.subtitles import subtitle_blocks
from wenmai.formats.tables import GridRow, body_lines, table_rows, tables_in, title_text
from wenmai.formats.wrapping import layout_of, unwrapped_lines
from wenmai.ingestion.chapters.headings import judge
from wenmai.ingestion.chapters.records import Line
from wenmai.ingestion.sources.decoding import decode

MAX_CHUNKS = 5_000
MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.*?)\s*#*\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")
TABLE_LINE = re.compile(r"^\s*\|.*\|\s*$")
TABLE_RULE = re.compile(r"^\s*\|(?:\s*:?-+:?\s*\|)+\s*$")
DATED_KINDS = ("text", "markdown", "html", "docx", "pdf")
HEAD = 2_000  # characters in which a document gives its date
_DATED = r"[^\n。；;]{0,24}?(?:19|20)\d\d[^\n。；;]{0,16}"
STATED_DAY = re.compile(
    rf"\b(?:effective|in force|valid|revised|updated|published|issued|version|date)\b{_DATED}"
    rf"|(?:生效|施行|修订|发布|更新|实施|版本|日期){_DATED}|{_DATED}(?:起|生效|施行|修订|发布|印发|更新|公布)",
    re.IGNORECASE,
)
SECTIONS = ("chapter", "opening", "closing", "extra", "inner")
"""Levels of headings in a story that begin a section of a document."""
CELL_END = re.compile(r"(?<!\\)\|")
SNIFFED = 65_536
MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]+\d+:[A-Z]+\d+)"')
DELIMITERS = ",;\t|"
LONGEST_CELL = 2**20
LONGEST_ROW = 8_000  # characters of a row that is one chunk, whatever the size of others
VISIBLE = "visible"
NOWHERE: Mapping[int, Set[int]] = MappingProxyType({})
MOST_TITLES = 2  # of a table that are headings; what stands above them is text
MAX_DEPTH = 20  # groups of shapes in groups
# The ends of paragraphs, lines, sentences, clauses and words, the best place to cut first.
SEPARATORS = ["\n\n", "\n", "。", "！", "？", "……", ". ", "! ", "? ", "；", "; ", "，", "、", ", ", " ", ""]
OVERLAP_STARTS = tuple(separator for separator in SEPARATORS if separator and separator not in "，、, ")


def read(filename: str, data: bytes, size: int, overlap: int) -> dict[str, Any]:
    """Return `{mime_type, text, chunks: [[start, end, location]], warnings}`. Raises IngestError."""
    kind, draft, remedy = kind_of(filename, data), DocumentDraft(), Message("document.split_it")
    try:
        if kind in ("docx", "pptx", "xlsx", "epub"):
            check_archive(filename, data, kind)
        if kind in BINARY:
            BINARY[kind](data, draft)
        else:
            TEXTUAL[kind](decoded_text(filename, data, draft), draft)
    except DocumentTooLong as error:
        raise refusal(filename, Message("document.text_too_long", most=MAX_CHARACTERS), remedy) from error
    except Unreadable as error:
        raise refusal(filename, error.reason, error.remedy) from error
    sections = draft.finished()
    if not sections:
        raise refusal(filename, Message("document.no_text"), Message("file.choose_one_with_text"))
    text = draft.text[: sections[-1].end]
    day = draft.day or day_in(Path(filename).stem) or (kind in DATED_KINDS and stated_day(text[:HEAD])) or ""
    for section in sections:
        titles = reversed(section.location.heading)
        section.location = replace(section.location, day=next(filter(None, map(day_in, titles)), day) or None)
    chunks = [[start, end, place.to_plain()] for start, end, place in chunks_of(text, sections, size, overlap)]
    if len(chunks) > MAX_CHUNKS:
        raise refusal(filename, Message("document.too_many_chunks", count=len(chunks), most=MAX_CHUNKS), remedy)
    return {"mime_type": MIME_TYPES[kind], "text": text, "chunks": chunks, "warnings": draft.warnings}


def day_in(text: str) -> str:
    """Return the first day, or month, of a year that a text names, as ISO writes it; '' for none."""
    from tools.text.dates import dates_in

    return next((one.first.isoformat() for one in dates_in(text) if one.year), "")


def stated_day(head: str) -> str:
    """Return the day from which a document says that it holds, or of which it says to be; '' where it does not."""
    return next(filter(None, (day_in(match[0]) for match in STATED_DAY.finditer(head))), "")


def chunks_of(
    text: str, sections: Sequence[DocumentSection], size: int, overlap: int
) -> Iterator[tuple[int, int, Location]]:
    """Yield chunks of at most `size` characters as half-open offsets with their places in the file.

    A row of a table is whole, one longer than that a chunk of its own.
    Each begins with up to `overlap` of the one before it. Together they are the text: what lies between two sections
    belongs to the second.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        separators=SEPARATORS, keep_separator="end", chunk_size=size - overlap, chunk_overlap=0, strip_whitespace=False
    )
    at = 0
    for section in sections:
        begin = at
        lines = text[begin : section.end].splitlines(keepends=True) if section.rows else [text[begin : section.end]]
        whole = LONGEST_ROW if section.rows else 0
        parts = [part for one in lines for part in ([one] if len(one) <= whole else splitter.split_text(one))]
        for part in merged_parts(parts, size, overlap):
            start = overlap_start(text, at, max(begin, at - overlap), whole=bool(section.rows))
            yield start, at + len(part), place_of(section, start, at + len(part))
            at += len(part)
        at = section.end


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
    found = [(text.find(end, earliest, at), len(end)) for end in (("\n",) if whole else OVERLAP_STARTS)]
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


def decoded_text(filename: str, data: bytes, draft: DocumentDraft) -> str:
    """Return a file's text. Raises IngestError, which names the format that the name promises."""
    try:
        return decode(Path(filename), data, draft.warnings.append)
    except IngestError as error:
        promised = Path(filename).suffix.lower().removeprefix(".")
        if promised not in BINARY:
            raise
        why = Message("document.content_is_other_kind", kind=promised.upper())
        raise refusal(filename, why, Message("document.export_again")) from error


def read_text(text: str, draft: DocumentDraft) -> None:
    """Read lines; those that are a chapter's heading (第三回 …, Chapter 3) begin a section.

    A chat's days and a screenplay's scenes are sections too.
    """
    text = without_scan_marks(tidy(text))
    if blocks := text_blocks(text):
        fill_draft(draft, blocks)
        return
    draft.begin(Location())
    lines = [Line(number, line) for number, line in whole_lines(text.rstrip().split("\n"))]
    headings = {one.at for one in judge(lines)[0] if not one.form.run and one.level in SECTIONS}
    for at, line in enumerate(lines):
        if at in headings:
            draft.heading(1, line.text)
        else:
            draft.line(line.text, line.number)


def whole_lines(lines: Sequence[str], fixed: Container[int] = frozenset()) -> list[tuple[int, str]]:
    """Return lines with their numbers; those that a layout of a fixed width has broken are put together."""
    layout = layout_of(["\n".join(lines)])
    return unwrapped_lines(lines, layout, fixed) if layout else list(enumerate(lines, 1))


def read_markdown(text: str, draft: DocumentDraft) -> None:
    note = read_note(tidy(text).rstrip())
    draft.day = day_in(note.day)
    draft.begin(Location())
    fenced = False
    table: list[str] = []
    lines = note.with_properties().split("\n")
    for number, line in whole_lines(lines, set(fixed_lines(lines))):
        fenced ^= bool(FENCE.match(line))
        if TABLE_LINE.match(line) and not fenced:
            table.append(line)
            continue
        read_table(table, draft, number)
        table = []
        heading = None if fenced else MARKDOWN_HEADING.match(line)
        if heading:
            draft.heading(len(heading[1]), heading[2])
        else:
            draft.line(line, number)
    read_table(table, draft, len(text.split("\n")))


def fixed_lines(lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of lines of Markdown that end where they do: headings, rows, quotations, fenced blocks."""
    fenced = False
    for number, line in enumerate(lines, 1):
        is_fence = bool(FENCE.match(line))
        if fenced or is_fence or MARKDOWN_HEADING.match(line) or TABLE_LINE.match(line) or PROPERTY in line:
            yield number
        fenced ^= is_fence


def read_table(lines: list[str], draft: DocumentDraft, after: int) -> None:
    """Add the rows of a table that ends before a line; without a rule under its head it is text with bars."""
    first = after - len(lines)
    if len(lines) < 2 or not TABLE_RULE.match(lines[1]):
        for number, line in enumerate(lines, first):
            draft.line(line, number)
        return
    cells = [[cell.strip() for cell in CELL_END.split(line.strip()[1:-1])] for line in (lines[0], *lines[2:])]
    for row in table_rows(cells):
        draft.line(row, first)


def read_html(text: str, draft: DocumentDraft) -> None:
    soup = parsed(tidy(text))
    if soup.title:
        draft.heading(0, soup.title.get_text())
    fill_draft(draft, page_blocks(soup))


def read_json(text: str, draft: DocumentDraft) -> None:
    fill_draft(draft, json_blocks(text))


def read_subtitles(text: str, draft: DocumentDraft) -> None:
    fill_draft(draft, subtitle_blocks(tidy(text)))


def read_screenplay(text: str, draft: DocumentDraft) -> None:
    fill_draft(draft, screenplay_blocks(tidy(text)))


def read_xml(data: bytes, draft: DocumentDraft) -> None:
    fill_draft(draft, xml_blocks(data))


def read_docx(data: bytes, draft: DocumentDraft) -> None:
    """Read paragraphs, tables and notes in the order of the document."""
    fill_draft(draft, docx_blocks(data))


def read_epub(data: bytes, draft: DocumentDraft) -> None:
    for page in read_book(data).pages:
        draft.begin(Location())
        fill_draft(draft, page.blocks)


def read_pdf(data: bytes, draft: DocumentDraft) -> None:
    pages, unread = read_pages(data)
    for number, lines in enumerate(pages, 1):
        draft.page(number)
        for line in lines:
            if level := level_of(line):
                draft.heading(level, line)
            else:
                draft.line(line)
    draft.warnings += unread


def read_pptx(data: bytes, draft: DocumentDraft) -> None:
    """Read every slide: title, shapes in their order, tables, notes. Macros are never looked at."""
    require_format("office", "PPTX")
    from pptx import Presentation

    for number, slide in enumerate(Presentation(io.BytesIO(data)).slides, 1):
        draft.begin(Location(slide=number))
        for line in slide_lines(slide.shapes):
            draft.line(line)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            draft.line(f"备注：{notes.text}")


def slide_lines(shapes: Iterable[Any], depth: int = 0) -> Iterator[str]:
    for shape in shapes:
        if shape.has_text_frame and shape.text_frame.text.strip():
            yield shape.text_frame.text
        if getattr(shape, "has_table", False):
            yield from table_rows([[cell.text for cell in row.cells] for row in shape.table.rows])
        if hasattr(shape, "shapes") and depth < MAX_DEPTH:
            yield from slide_lines(shape.shapes, depth + 1)


def read_xlsx(data: bytes, draft: DocumentDraft) -> None:
    """Read the visible sheets with the values that their program has stored: formulas are never run."""
    require_format("office", "XLSX")
    from openpyxl import load_workbook  # type: ignore[import-untyped]  # the package has no stubs

    with warnings.catch_warnings(), zipfile.ZipFile(io.BytesIO(data)) as archive:
        warnings.simplefilter("ignore")  # about styles and extensions that no text depends on
        book = load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
        for sheet in book.worksheets:
            if sheet.sheet_state == VISIBLE:
                sheet.reset_dimensions()  # the declared size may be a lie, and rows would be filled up to it
                rows = held([cell_text(cell) for cell in row] for row in sheet.iter_rows(values_only=True))
                # What a sheet that is read row by row does not tell stands behind its rows.
                path: str = vars(sheet)["_worksheet_path"]
                again = spread_merged(rows, MERGED.findall(archive.read(path)))
                read_rows(rows, draft, Location(sheet=sheet.title), again)


def spread_merged(rows: list[list[str]], ranges: Iterable[bytes]) -> dict[int, set[int]]:
    """Put the value of merged cells, such as A3:B5, in each of their places; return those but the first, by row."""
    from openpyxl.utils.cell import range_boundaries  # type: ignore[import-untyped]  # the package has no stubs

    width = max(map(len, rows), default=0)
    again = defaultdict[int, set[int]](set)
    for one in ranges:
        left, top, right, bottom = (int(at or 0) for at in range_boundaries(one.decode()))
        value = rows[top - 1][left - 1] if top <= len(rows) and left <= len(rows[top - 1]) else ""
        for number, row in enumerate(rows[top - 1 : bottom] if value else (), top):
            row += [""] * (width - len(row))
            row[left - 1 : right] = [value] * (min(right, width) - left + 1)
            again[number] |= set(range(left - (number > top), right))
    return again


def cell_text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == time():
        return value.date().isoformat()
    if isinstance(value, datetime | date | time):
        return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return " ".join(str(value).split())


def read_csv(text: str, draft: DocumentDraft) -> None:
    """Read rows with the delimiter that the text uses; a row counts as in a spreadsheet program."""
    csv.field_size_limit(LONGEST_CELL)
    try:
        dialect: Any = csv.Sniffer().sniff(text[:SNIFFED], DELIMITERS)
    except csv.Error:
        dialect = csv.excel
    rows = csv.reader(io.StringIO(text, newline=""), dialect)
    read_rows(held([" ".join(cell.split()) for cell in row] for row in rows), draft, Location())


def held(rows: Iterable[list[str]]) -> list[list[str]]:
    """Return rows, as many as a document may have text. Raises DocumentTooLong."""
    kept, size = list[list[str]](), 0
    for row in rows:
        kept.append(row)
        size += sum(map(len, row))
        if size > MAX_CHARACTERS:
            raise DocumentTooLong
    return kept


def read_rows(
    rows: Sequence[Sequence[str]], draft: DocumentDraft, place: Location, again: Mapping[int, Set[int]] = NOWHERE
) -> None:
    """Add the tables of a sheet, each a section of its own under its titles; `again`: see `GridRow`, by row."""
    grid = [GridRow(number, cells, frozenset(again.get(number, ()))) for number, cells in enumerate(rows, 1)]
    for table in tables_in(grid):
        draft.begin(place)
        above, near = table.titles[:-MOST_TITLES], table.titles[-MOST_TITLES:]
        for row in above:
            draft.row(title_text(row), row.number)
        for level, row in enumerate(near, 1):
            draft.heading(level, title_text(row))
        for number, line in body_lines(table):
            draft.row(line, number)


BINARY: dict[str, Callable[[bytes, DocumentDraft], None]] = {
    "pdf": read_pdf,
    "docx": read_docx,
    "pptx": read_pptx,
    "xlsx": read_xlsx,
    "epub": read_epub,
    "xml": read_xml,
}
TEXTUAL: dict[str, Callable[[str, DocumentDraft], None]] = {
    "text": read_text,
    "markdown": read_markdown,
    "html": read_html,
    "csv": read_csv,
    "json": read_json,
    "subtitles": read_subtitles,
    "screenplay": read_screenplay,
}
