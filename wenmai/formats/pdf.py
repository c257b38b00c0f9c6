"""PDF: the text layer page by page, columns in reading order through pdf_oxide; pages without text are named."""

import io
import json
import logging
import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from functools import reduce
from itertools import groupby
from typing import TYPE_CHECKING, Any

from tools.messages import Message, Names, say
from wenmai.formats.blocks import Unreadable, require_format
from wenmai.formats.pdf_tables import ROW, TableReader
from wenmai.formats.pdf_titles import printed_titles
from wenmai.formats.wrapping import joined, paragraphs

if TYPE_CHECKING:
    from pypdf import PdfReader

logger = logging.getLogger(__name__)
MAX_PAGES = 5_000
SHOWN_PAGES = 20
PICTURE_PIXELS = 1_400  # of the longer side: small print can be read
# PDF programs write 金 as the radical ⾦: another character, that no search would find.
RADICALS = re.compile(r"[\u2e80-\u2fdf]")
PAGE_NUMBER = re.compile(r"[-—–·\s]*(?:第\s*)?\d{1,4}(?:\s*页)?(?:\s*/\s*\d{1,4})?[-—–·\s]*")
LEAST_NUMBERED = 2
TITLE = "\x1d"
"""What a line that is a title begins with, as often as its level says."""
UNMAPPED = "glyph_mapping_missing"
UNKNOWN = re.compile(r"[\x01-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]|\(cid:")
"""What stands for letters whose characters are unknown."""
IDENTITY = ("/Identity-H", "/Identity-V")


def read_pages(data: bytes) -> tuple[list[list[str]], list[str]]:
    """Return the paragraphs of each page, its titles marked by their level, and what could not be read.

    Titles are those of the outline, without one those that are printed as such.
    Raises Unreadable where a password is asked for, or no page has text.
    """
    require_format("office", "PDF")
    from pdf_oxide import PdfDocument, disable_logging

    disable_logging()
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what it mends is of no interest
    maps = _unmapped_pages(data)
    outline = outline_of(data)
    texts: list[list[str] | None] = []  # None where the letters of a page have no meaning
    try:
        document = PdfDocument.from_bytes(data)
        tables = TableReader(document)
        for page in range(document.page_count()):
            lines = tables.lines(page)
            texts.append(None if _is_unmapped_page(document, page, lines) else lines)
        printed = {} if any(outline.values()) else printed_titles(document)
    except (RuntimeError, ValueError, OSError) as error:
        raise Unreadable(Message("pdf.not_a_pdf", reason=error), Message("pdf.export_again")) from error
    plain = [[RADICALS.sub(_as_character, line) for line in lines or [""]] for lines in texts]
    titled = [marked(lines, printed.get(at, ())) for at, lines in enumerate(_without_numbers(plain), 1)]
    pages = [with_titles(_paragraphs(lines), outline.get(at, ())) for at, lines in enumerate(titled, 1)]
    if not any(pages):
        why = Message("pdf.fonts_without_unicode") if None in texts else Message("pdf.perhaps_scanned")
        raise Unreadable(Message("pdf.no_text_at_all", count=len(pages), why=why), Message("pdf.use_ocr"))
    unmapped = sorted({*maps, *(at for at, text in enumerate(texts, 1) if text is None)})
    empty = [at for at, lines in enumerate(pages, 1) if not lines and at not in unmapped]
    warnings = [say("pdf.pages_without_text", pages=_listed(empty))] if empty else []
    warnings += [say("pdf.pages_with_unknown_fonts", pages=_listed(unmapped))] if unmapped else []
    return pages, warnings


def outline_of(data: bytes) -> dict[int, list[tuple[int, str]]]:
    """Return the titles of a PDF's outline by their pages, which count from 1, each behind its level.

    One without letters and digits (`***`) is none: it is like any other such line.
    """
    from pypdf.errors import PyPdfError

    titles = defaultdict[int, list[tuple[int, str]]](list)

    def add(rows: list[Any], level: int) -> None:
        for row in rows:
            if isinstance(row, list):
                add(row, level + 1)
            elif (page := reader.get_destination_page_number(row)) is not None and page >= 0:
                title = " ".join(RADICALS.sub(_as_character, row.title or "").replace("\0", " ").split())
                titles[page + 1] += [(level, title)] if _letters(title) else []

    reader = _opened(data)
    try:
        add(reader.outline, 1)
    except (PyPdfError, RecursionError, ValueError, TypeError, KeyError, AttributeError) as error:
        logger.info("no outline: %s", type(error).__name__)  # what programs write there need not be one
        return {}
    return titles


def with_titles(lines: Sequence[str], titles: Sequence[tuple[int, str]]) -> list[str]:
    """Return the lines of a page, those that are titles, or stand for one that no line is, marked by their level."""
    known = set(map(_letters, lines))
    unseen = [TITLE * level + title for level, title in titles if _letters(title) not in known]
    return [*unseen, *marked(lines, titles)]


def marked(lines: Sequence[str], titles: Sequence[tuple[int, str]]) -> list[str]:
    """Return lines, those that are titles marked by their level; a row of a table is none."""
    levels = {_letters(title): level for level, title in titles}
    return [line if line.startswith(ROW) else TITLE * levels.get(_letters(line), 0) + line for line in lines]


def level_of(line: str) -> int | None:
    """Return the level of a line that is marked as a title, None for any other."""
    return len(line) - len(line.lstrip(TITLE)) or None


def _letters(line: str) -> str:
    return "".join(filter(str.isalnum, RADICALS.sub(_as_character, line))).casefold()


def picture_of(data: bytes, page: int) -> bytes | None:
    """Return a page, counted from 1, as a JPEG of at most PICTURE_PIXELS a side; None where there is no such page."""
    from pdf_oxide import PdfDocument, disable_logging

    disable_logging()
    document = PdfDocument.from_bytes(data)
    if not 1 <= page <= document.page_count():
        return None
    drawn: bytes = document.render_page_fit(page - 1, PICTURE_PIXELS, PICTURE_PIXELS, format="jpeg", jpeg_quality=80)
    return drawn


def _is_unmapped_page(document: Any, page: int, lines: list[str]) -> bool:
    """Return True if most letters of a page have no meaning; only a page that looks so is classified, which is slow."""
    text = "\n".join(lines)
    if any(map(str.isalpha, text)) and not UNKNOWN.search(text):
        return False
    return bool(json.loads(document.classify_page(page)).get("reason") == UNMAPPED)


def _as_character(radical: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", radical[0])


def _paragraphs(lines: list[str]) -> list[str]:
    """Return the paragraphs of a page, the rows of its tables as they are, and titles, whole where lines broke them."""
    found: list[str] = []
    for (is_row, level), group in groupby(lines, key=lambda line: (line.startswith(ROW), level_of(line))):
        own = [line.removeprefix(ROW).lstrip(TITLE) for line in group]
        if level:
            found.append(TITLE * level + reduce(joined, own))
        else:
            found += own if is_row else paragraphs("\n".join(own))
    return found


def _listed(pages: list[int]) -> str:
    return f"{Names(pages[:SHOWN_PAGES])}{'…' if len(pages) > SHOWN_PAGES else ''}"


def _without_numbers(pages: list[list[str]]) -> list[list[str]]:
    """Return the lines of pages without page numbers, which stand at the same end of at least half of them."""
    for end in (0, -1):
        numbered = [page for page in pages if PAGE_NUMBER.fullmatch(page[end])]
        if len(numbered) >= max(LEAST_NUMBERED, len(pages) / 2):
            for page in numbered:
                page.pop(end)
                page.extend([""] * (not page))
    return pages


def _opened(data: bytes) -> "PdfReader":
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        raise Unreadable(Message("pdf.has_password"), Message("document.remove_password"))
    return reader


def _unmapped_pages(data: bytes) -> list[int]:
    """Return the pages with a font whose letters are mapped to no characters. Raises Unreadable."""
    from pypdf.errors import DependencyError, PdfReadError

    try:
        reader = _opened(data)
        if len(reader.pages) > MAX_PAGES:
            why = Message("pdf.too_many_pages", count=len(reader.pages), most=MAX_PAGES)
            raise Unreadable(why, Message("document.split_it"))
        return [at for at, page in enumerate(reader.pages, 1) if _has_unmapped(page)]
    except (DependencyError, NotImplementedError) as error:
        raise Unreadable(Message("pdf.has_password"), Message("document.remove_password")) from error
    except PdfReadError as error:
        raise Unreadable(Message("pdf.not_a_pdf", reason=error), Message("pdf.export_again")) from error


def _has_unmapped(page: Any) -> bool:
    """Return True if a page shows text in a font without a map."""
    resources: Any = page.get("/Resources")
    fonts: Any = resources.get_object().get("/Font") if resources else None
    names = [name for name, font in fonts.get_object().items() if _is_unmapped(font.get_object())] if fonts else []
    contents = page.get_contents() if names else None
    shown = contents.get_data() if contents is not None else b""
    return any(re.search(rb"%s[\s\d.]+Tf" % re.escape(name.encode()), shown) for name in names)


def _is_unmapped(font: Any) -> bool:
    """Return True for a font that numbers its letters as it likes and says nowhere what they mean."""
    if font.get("/Encoding") not in IDENTITY or "/ToUnicode" in font:
        return False
    inner = [one.get_object() for one in font.get("/DescendantFonts") or ()]
    return all((one.get("/CIDSystemInfo") or {}).get("/Ordering", "Identity") == "Identity" for one in inner)
