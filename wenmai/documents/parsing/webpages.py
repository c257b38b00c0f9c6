"""HTML through BeautifulSoup, and EPUB, whose chapters are such pages. Scripts are dropped, nothing is fetched."""

import io
import re
import warnings
from pathlib import Path

from tools.documents import Location
from wenmai.documents.parsing.draft import Draft, table_rows, tidy
from wenmai.documents.parsing.kinds import refused
from wenmai.ingestion.books import BLOCKS, pages_of
from wenmai.ingestion.decoding import decode

DROPPED = ("script", "style", "template", "noscript", "head", "svg", "iframe", "object")
# Marks that no text has: `tidy` takes control characters out of the page before.
MARK = "\x01"
HEADING_MARK = re.compile(rf"^{MARK}([1-6]){MARK}")


def read_html(text: str, draft: Draft, *, title: bool = True) -> None:
    """Read a page: its title, its headings as sections, its tables row by row."""
    from bs4 import BeautifulSoup

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that XHTML is read as HTML, which is meant
        soup = BeautifulSoup(tidy(text), "html.parser")
    named = soup.title.get_text() if title and soup.title else ""
    for tag in soup.find_all(DROPPED):
        tag.decompose()
    for table in reversed(soup.find_all("table")):  # the inner ones first
        rows = [[cell.get_text(" ") for cell in row.find_all(("td", "th"))] for row in table.find_all("tr")]
        table.replace_with("\n" + "\n".join(table_rows(rows)) + "\n")
    for level in range(1, 7):
        for heading in soup.find_all(f"h{level}"):
            heading.replace_with(f"\n{MARK}{level}{MARK}{' '.join(heading.get_text(' ').split())}\n")
    for block in soup.find_all(BLOCKS):
        block.append("\n")
    if named.strip():
        draft.heading(0, named)
    read_lines(soup.get_text(), draft)


def read_lines(text: str, draft: Draft) -> None:
    """Add the lines of a page's text, headings by their marks."""
    for line in text.split("\n"):
        heading = HEADING_MARK.match(line.strip())
        if heading:
            draft.heading(int(heading[1]), line.strip()[heading.end() :])
        elif line.strip():
            draft.line(" ".join(line.split()))


def read_epub(filename: str, data: bytes, draft: Draft) -> None:
    """Read the pages of a book in reading order, each a part of its own."""
    for page in pages_of(filename, io.BytesIO(data)):
        draft.begin(Location())
        if page.strip():
            read_html(decode(Path(filename), page), draft, title=False)
    if not draft.text.strip():
        raise refused(filename, "书里没有文字", "请换一个有正文的文件")
