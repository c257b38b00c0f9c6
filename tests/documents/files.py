"""Small files of every format, made by the libraries that read them, or by hand."""

import io
import re
import zipfile
from collections.abc import Sequence
from datetime import datetime
from typing import Any

CHINESE_FONT = (
    "<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light /Encoding /UniGB-UTF16-H /DescendantFonts [ << /Type /Font"
    " /Subtype /CIDFontType0 /BaseFont /STSong-Light /CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4"
    " >> >> ] >>"
)
LATIN_FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
BOLD_FONT = LATIN_FONT.replace("Helvetica", "Helvetica-Bold")


def pdf(*pages: Sequence[str]) -> bytes:
    """Return a PDF with these lines on its pages, in a Chinese or a Latin font."""
    return drawn(*(b"BT 14 TL 72 760 Td\n" + b"".join(map(shown, lines)) + b"ET" for lines in pages))


def with_outline(data: bytes, *entries: tuple[str, int] | tuple[str, int, str]) -> bytes:
    """Return a PDF with an outline: titles with their pages, from 1, and below which title they stand."""
    from pypdf import PdfWriter

    writer = PdfWriter(clone_from=io.BytesIO(data))
    made: dict[str, Any] = {}
    for title, page, *above in entries:
        made[title] = writer.add_outline_item(title, page - 1, parent=made[above[0]] if above else None)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


COLUMN, LINE = 120, 24  # points


def table_pdf(*pages: Sequence[Sequence[str]], is_ruled: bool = True, above: str = "") -> bytes:
    """Return a PDF with a table on each page, in boxes where it is ruled, under a line of text on the first."""
    streams = []
    for number, rows in enumerate(pages):
        parts = [b"BT 72 790 Td\n" + shown(above) + b"ET"] if above and not number else []
        for down, row in enumerate(rows):
            for across, cell in enumerate(row):
                left, bottom = 72 + COLUMN * across, 740 - LINE * down
                parts += [f"{left} {bottom} {COLUMN} {LINE} re S".encode()] if is_ruled else []
                lines = cell.split("\n")
                parts.append(f"BT 8 TL {left + 4} {bottom + 14} Td\n".encode() + b"".join(map(shown, lines)) + b"ET")
        streams.append(b"\n".join(parts))
    return drawn(*streams)


def drawn(*streams: bytes) -> bytes:
    """Return a PDF of pages with these contents."""
    fonts = "/Font << /C 3 0 R /L 4 0 R /B 5 0 R >>"
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", CHINESE_FONT, LATIN_FONT, BOLD_FONT]
    kids = []
    for stream in streams:
        content = len(objects) + 1
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream.decode('latin-1')}\nendstream")
        objects.append(f"<< /Type /Page /Parent 2 0 R /Resources << {fonts} >> /Contents {content} 0 R >>")
        kids.append(f"{content + 1} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} /MediaBox [0 0 595 842] >>"
    return assembled(objects)


def shown(line: str) -> bytes:
    """Return the operators that show a line; `# ` and `## ` before it make it larger, `* ` bold."""
    marked = re.fullmatch(r"(##?|\*) (.*[a-z一-鿿].*)", line)
    mark, text = marked.groups() if marked else ("", line)
    size = {"#": 20, "##": 16}.get(mark, 12)
    if text.isascii():
        plain = text.replace("(", r"\(").replace(")", r"\)")
        return f"/{'B' if mark == '*' else 'L'} {size} Tf ({plain}) Tj T*\n".encode()
    return f"/C {size} Tf <{text.encode('utf-16-be').hex()}> Tj T*\n".encode()


def assembled(objects: Sequence[str]) -> bytes:
    """Return the file of these objects."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}".encode()
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def locked_pdf(password: str) -> bytes:
    """Return a PDF with a password."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf(["secret"]))))
    writer.encrypt(password)
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def docx(*blocks: Any) -> bytes:
    """Return a DOCX of paragraphs, of headings (level, title) and of tables (lists of rows)."""
    from docx import Document

    document = Document()
    for block in blocks:
        if isinstance(block, tuple):
            document.add_heading(block[1], block[0])
        elif isinstance(block, list):
            table = document.add_table(len(block), len(block[0]))
            for row, cells in zip(table.rows, block, strict=True):
                for cell, text in zip(row.cells, cells, strict=True):
                    cell.text = text
        else:
            document.add_paragraph(block)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def pptx(*slides: tuple[str, str, str]) -> bytes:
    """Return a PPTX of slides (title, content, notes)."""
    from pptx import Presentation

    show = Presentation()
    for title, content, notes in slides:
        slide: Any = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = content
        if notes:
            slide.notes_slide.notes_text_frame.text = notes
    out = io.BytesIO()
    show.save(out)
    return out.getvalue()


Rows = Sequence[Sequence[str | int | float | datetime | None]]


def xlsx(*, merged: Sequence[str] = (), **sheets: Rows) -> bytes:
    """Return an XLSX of sheets by name, each with these ranges of merged cells."""
    from openpyxl import Workbook  # type: ignore[import-untyped]  # the package has no stubs

    book: Any = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
        for one in merged:
            sheet.merge_cells(one)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def epub(*chapters: str) -> bytes:
    """Return an EPUB of pages, each the inside of a body."""
    items = "".join(
        f'<item id="c{n}" href="c{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="2.0" unique-identifier="i">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="i">x</dc:identifier>'
        f"<dc:title>书</dc:title><dc:language>zh</dc:language></metadata><manifest>{items}</manifest>"
        f"<spine>{spine}</spine></package>"
    )
    container = (
        '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
        '<rootfiles><rootfile full-path="p.opf" media-type="application/oebps-package+xml"/></rootfiles></container>'
    )
    head = '<?xml version="1.0" encoding="utf-8"?><html xmlns="http://www.w3.org/1999/xhtml"><body>'
    pages = {f"c{n}.xhtml": f"{head}{page}</body></html>" for n, page in enumerate(chapters)}
    return packed({"mimetype": "application/epub+zip", "META-INF/container.xml": container, "p.opf": package, **pages})


def packed(entries: dict[str, str | bytes]) -> bytes:
    """Return a ZIP archive."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return out.getvalue()


def repacked(data: bytes, changes: dict[str, str | bytes]) -> bytes:
    """Return an archive with some entries put in the place of others or added."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        known: dict[str, str | bytes] = {name: archive.read(name) for name in archive.namelist()}
    return packed({**known, **changes})
