"""DOCX and PPTX through python-docx and python-pptx: text, headings, tables, notes. Macros are never looked at."""

import io
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from tools.documents.records import Location
from wenmai.documents.parsing.draft import Draft, table_rows

if TYPE_CHECKING:
    from docx.table import Table
    from docx.text.paragraph import Paragraph

HEADING_STYLE = re.compile(r"(?:heading|标题)\s*(\d)", re.IGNORECASE)
TITLE_STYLES = ("title", "标题")
MACRO_DOCUMENT = "application/vnd.ms-word.document.macroEnabled.main+xml"
MAX_DEPTH = 20  # tables in tables, groups in groups


def read_docx(filename: str, data: bytes, draft: Draft) -> None:
    """Read paragraphs and tables in the order of the document."""
    from docx import Document
    from docx.opc.part import PartFactory
    from docx.parts.document import DocumentPart

    PartFactory.part_type_for[MACRO_DOCUMENT] = DocumentPart
    with_macros = MACRO_DOCUMENT.encode() in content_types(data)
    document: Any = opened(data) if with_macros else Document(io.BytesIO(data))
    for block in document.iter_inner_content():
        read_block(block, draft)


def opened(data: bytes) -> Any:
    """Open a document with macros, which `docx.Document` takes for another kind of file."""
    from docx.package import Package

    part: Any = Package.open(io.BytesIO(data)).main_document_part
    return part.document


def content_types(data: bytes) -> bytes:
    """Return the list of what the parts of a package are."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return archive.read("[Content_Types].xml")


def read_block(block: "Paragraph | Table", draft: Draft) -> None:
    """Read a paragraph, a heading or a table."""
    from docx.table import Table

    if isinstance(block, Table):
        for row in table_rows(list(docx_rows(block))):
            draft.line(row)
        return
    style = str(getattr(block.style, "name", "") or "")
    heading = HEADING_STYLE.match(style)
    if heading and block.text.strip():
        draft.heading(int(heading[1]), block.text)
    elif style.lower() in TITLE_STYLES and block.text.strip():
        draft.heading(0, block.text)
    elif block.text.strip():
        draft.line(block.text)


def docx_rows(table: "Table", depth: int = 0) -> Iterator[list[str]]:
    """Yield the cells of each row; a cell over several columns is given once, a table in a cell as its text."""
    for row in table.rows:
        cells = {id(cell._tc): cell for cell in row.cells}  # a merged cell is given once for each column
        yield [cell_text(cell, depth) for cell in cells.values()]


def cell_text(cell: Any, depth: int) -> str:
    """Return the text of a cell with the tables in it."""
    inner = cell.tables if depth < MAX_DEPTH else ()
    return " ".join([cell.text, *(" ".join(row) for table in inner for row in docx_rows(table, depth + 1))])


def read_pptx(filename: str, data: bytes, draft: Draft) -> None:
    """Read every slide: title, shapes in their order, tables, notes."""
    from pptx import Presentation

    for number, slide in enumerate(Presentation(io.BytesIO(data)).slides, 1):
        draft.begin(Location(slide=number))
        for line in slide_lines(slide.shapes):
            draft.line(line)
        notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
        if notes is not None and notes.text.strip():
            draft.line(f"备注：{notes.text}")


def slide_lines(shapes: Iterable[Any], depth: int = 0) -> Iterator[str]:
    """Yield the texts of shapes, of groups too."""
    for shape in shapes:
        if shape.has_text_frame and shape.text_frame.text.strip():
            yield shape.text_frame.text
        if getattr(shape, "has_table", False):
            yield from table_rows([[cell.text for cell in row.cells] for row in shape.table.rows])
        if hasattr(shape, "shapes") and depth < MAX_DEPTH:
            yield from slide_lines(shape.shapes, depth + 1)
