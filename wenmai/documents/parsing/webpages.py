"""HTML through BeautifulSoup, and EPUB, which has such pages as chapters. Scripts are dropped, nothing is fetched."""

import io
import re
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft, table_rows, tidy
from wenmai.documents.parsing.kinds import refused
from wenmai.ingestion.sources.books import BLOCKS, pages_of
from wenmai.ingestion.sources.decoding import decode

if TYPE_CHECKING:
    from bs4 import Tag

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
    if named.strip():
        draft.heading(0, named)
    read_lines(page_text(soup), draft)


def page_text(page: "Tag") -> str:
    """Return the text of a page with a line for each block; goes through it with a stack, however deep it is."""
    from bs4.element import PreformattedString, Tag

    parts: list[str] = []
    above = [page]
    inside = [iter(page.children)]
    while inside:
        node = next(inside[-1], None)
        if node is None:
            inside.pop()
            parts.append(ends(above.pop()))
        elif isinstance(node, Tag):
            parts.append(ends(node))
            above.append(node)
            inside.append(iter(node.children))
        elif not isinstance(node, PreformattedString):  # comments and declarations are no text
            parts.append(str(node))
    return "".join(parts)


def ends(tag: "Tag") -> str:
    """Return the line end at both ends of a block."""
    return "\n" if tag.name in BLOCKS else ""


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
