"""HTML, EPUB, DOCX and PDF as parts of a document. Nothing is fetched."""

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft, fill_draft, tidy
from wenmai.documents.parsing.kinds import refused
from wenmai.formats.blocks import Unreadable
from wenmai.formats.docx import docx_blocks
from wenmai.formats.epub import read_book
from wenmai.formats.pages import page_blocks, parsed, title_of
from wenmai.formats.pdf import read_pages


def read_html(text: str, draft: Draft) -> None:
    """Read a page: its title, its headings as sections, its tables row by row."""
    soup = parsed(tidy(text))
    if title := title_of(soup):
        draft.heading(0, title)
    fill_draft(draft, page_blocks(soup))


def read_docx(filename: str, data: bytes, draft: Draft) -> None:
    """Read paragraphs, tables and notes in the order of the document. Raises IngestError."""
    try:
        fill_draft(draft, docx_blocks(data))
    except Unreadable as error:
        raise refused(filename, error.reason, error.remedy) from error


def read_epub(filename: str, data: bytes, draft: Draft) -> None:
    """Read the pages of a book in reading order, each a part of its own. Raises IngestError."""
    try:
        book = read_book(data)
    except Unreadable as error:
        raise refused(filename, error.reason, error.remedy) from error
    for page in book.pages:
        draft.begin(Location())
        fill_draft(draft, page.blocks)


def read_pdf(filename: str, data: bytes, draft: Draft) -> None:
    """Read every page, a part of its own. Raises IngestError."""
    try:
        found = read_pages(data)
    except Unreadable as error:
        raise refused(filename, error.reason, error.remedy) from error
    for number, lines in enumerate(found.pages, 1):
        draft.begin(Location(page=number))
        for line in lines:
            draft.line(line)
    draft.warnings += found.warnings
