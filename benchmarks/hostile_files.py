"""Files that mean harm, or are merely broken: each with its name and what reading it must come to."""

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tests.documents import files

MEGABYTE = 2**20
WORD = "word/document.xml"
STRINGS = "xl/sharedStrings.xml"
SHEET = "xl/worksheets/sheet1.xml"
ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
LAUGHS = (
    "<!DOCTYPE x [<!ENTITY a0 'ha'>" + "".join(f"<!ENTITY a{n} '{f'&a{n - 1};' * 10}'>" for n in range(1, 10)) + "]>"
)
WORDS_NAMESPACE = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET_NAMESPACE = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
MACRO_TYPE = "application/vnd.ms-word.document.macroEnabled.main+xml"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file.

    Attributes:
        said: part of the refusal, '' where the file is read.
        holds: part of the text where it is read.
        lacks: what its text must not hold.
    """

    label: str
    filename: str
    make: Callable[[], bytes]
    said: str = ""
    holds: str = ""
    lacks: str = "root:"


def bomb(base: bytes, entry: str, megabytes: int, head: str = "", foot: str = "") -> bytes:
    """Return an archive, one entry of which unpacks to so many megabytes of one letter."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(base)) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            if name != entry:
                archive.writestr(name, source.read(name))
        with archive.open(entry, "w", force_zip64=False) as part:
            part.write(head.encode())
            for _ in range(megabytes):
                part.write(b"x" * MEGABYTE)
            part.write(foot.encode())
    return out.getvalue()


def lying(data: bytes, megabytes: int) -> bytes:
    """Return an archive that declares its big entry as 1,000 bytes long."""
    size = struct.pack("<L", megabytes * MEGABYTE)
    return data.replace(size, struct.pack("<L", 1000))


def document(head: str, body: str) -> bytes:
    """Return a DOCX with this XML."""
    xml = f'<?xml version="1.0"?>{head}<w:document xmlns:w="{WORDS_NAMESPACE}"><w:body>{body}</w:body></w:document>'
    return files.repacked(files.docx("text"), {WORD: xml})


def paragraph(text: str) -> str:
    """Return a paragraph of a DOCX."""
    return f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"


def sheet_of(rows: str, dimension: str = "A1:B2") -> bytes:
    """Return an XLSX with these rows."""
    xml = (
        f'<?xml version="1.0"?><worksheet xmlns="{SHEET_NAMESPACE}"><dimension ref="{dimension}"/>'
        f"<sheetData>{rows}</sheetData></worksheet>"
    )
    return files.repacked(files.xlsx(S=[["a"]]), {SHEET: xml})


def with_macros() -> bytes:
    """Return a DOCX with macros."""
    base = files.docx("visible text")
    with zipfile.ZipFile(io.BytesIO(base)) as archive:
        types = archive.read("[Content_Types].xml").decode()
    plain = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
    changes: dict[str, str | bytes] = {
        "[Content_Types].xml": types.replace(plain, MACRO_TYPE),
        "word/vbaProject.bin": OLE + b"Shell(calc)",
    }
    return files.repacked(base, changes)


def locked_archive() -> bytes:
    """Return a DOCX whose entries are marked as encrypted."""
    data = bytearray(files.docx("text"))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.find(mark)
        while at >= 0:
            data[at + offset] |= 1
            at = data.find(mark, at + 4)
    return bytes(data)


def pdf_bomb(megabytes: int) -> bytes:
    """Return a PDF whose page unpacks to so many megabytes."""
    squeezed = zlib.compressobj()
    stream = b"".join(squeezed.compress(b" " * MEGABYTE) for _ in range(megabytes)) + squeezed.flush()
    content = stream.decode("latin-1")
    return files.assembled(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 /MediaBox [0 0 9 9] >>",
            f"<< /Length {len(stream)} /Filter /FlateDecode >>\nstream\n{content}\nendstream",
            "<< /Type /Page /Parent 2 0 R /Resources << >> /Contents 3 0 R >>",
        ]
    )


def pdf_in_a_circle() -> bytes:
    """Return a PDF whose tree of pages holds itself."""
    return files.assembled(
        ["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R] /Count 1 /MediaBox [0 0 9 9] >>"]
    )


def hostile() -> Iterator[Hostile]:
    """Yield every file."""
    page = files.pdf(["hello"])
    text = files.docx("text")
    huge = bomb(text, WORD, 300)
    cell = f'<worksheet xmlns="{SHEET_NAMESPACE}"><sheetData><row><c t="inlineStr"><is><t>'
    cell_end = "</t></is></c></row></sheetData></worksheet>"
    numbers = (
        "<row><c><f>1+1</f><v>2</v></c></row>",
        '<row r="1048576"><c t="inlineStr"><is><t>last</t></is></c></row>',
    )
    body = "<html><body>{}</body></html>"
    yield Hostile("zip bomb, 300 MB", "bomb.docx", lambda: huge, "解压后有 30")
    yield Hostile("zip bomb that lies about its size", "lying.docx", lambda: lying(huge, 300), "无法读取")
    yield Hostile("zip in zip", "nested.zip", lambda: files.packed({"inner.zip": huge}), "是压缩包")
    yield Hostile(
        "10,001 entries", "many.docx", lambda: files.repacked(text, {f"e{n}": "" for n in range(10_001)}), "上限"
    )
    yield Hostile(
        "190 MB in one cell of a sheet",
        "strings.xlsx",
        lambda: bomb(files.xlsx(S=[["a"]]), SHEET, 190, cell, cell_end),
        "无法读取",
    )
    yield Hostile("PDF page that unpacks to 2 GB", "bomb.pdf", lambda: pdf_bomb(2048), "无法读取")
    yield Hostile("XXE in DOCX", "xxe.docx", lambda: document(ENTITY, paragraph("&e;")), "声明了实体")
    yield Hostile("a billion laughs in DOCX", "laughs.docx", lambda: document(LAUGHS, paragraph("&a9;")), "声明了实体")
    yield Hostile(
        "XXE in XLSX",
        "xxe.xlsx",
        lambda: files.repacked(files.xlsx(S=[["a"]]), {STRINGS: f"{ENTITY}<sst/>"}),
        "声明了实体",
    )
    yield Hostile(
        "XXE in EPUB",
        "xxe.epub",
        lambda: files.repacked(files.epub("a"), {"p.opf": f"{ENTITY}<package/>"}),
        "声明了实体",
    )
    yield Hostile("XXE in HTML", "xxe.html", lambda: (ENTITY + body.format("safe &e;")).encode(), holds="safe")
    yield Hostile("PDF of 10,000 pages", "pages.pdf", lambda: files.pdf(*[["page"]] * 10_000), "10,000 页")
    yield Hostile("PDF whose pages go in a circle", "circle.pdf", pdf_in_a_circle, "无法读取")
    yield Hostile(
        "PDF with 100,000 nested lists", "lists.pdf", lambda: page[:9] + b"[" * 100_000 + page[9:], holds="hello"
    )
    deep = "<w:sdt><w:sdtContent>" * 10_000 + "</w:sdtContent></w:sdt>" * 10_000
    yield Hostile("20,000 nested elements in DOCX", "deep.docx", lambda: document("", deep), "无法读取")
    nested = body.format("<div>" * 50_000 + "deep").encode()
    yield Hostile("50,000 nested elements in HTML", "deep.html", lambda: nested, holds="deep")
    yield Hostile(
        "last row of a sheet of 2^34 cells",
        "far.xlsx",
        lambda: sheet_of("".join(numbers), "A1:XFD1048576"),
        holds="last",
    )
    yield Hostile("PDF named .docx", "pdf.docx", lambda: page, holds="hello")
    yield Hostile("DOCX named .txt", "docx.txt", lambda: text, holds="text")
    yield Hostile(
        "program named .pdf", "program.pdf", lambda: b"\x7fELF\x02\x01\x01" + bytes(range(256)) * 40, "不是 PDF"
    )
    yield Hostile("picture named .txt", "picture.txt", lambda: b"\x89PNG\r\n\x1a\n" + bytes(2000), "是图片")
    yield Hostile("PDF with a password", "locked.pdf", lambda: files.locked_pdf("x"), "密码")
    yield Hostile("DOCX with a password", "locked.docx", lambda: OLE + bytes(4096), "密码")
    yield Hostile("ZIP entries with a password", "locked2.docx", locked_archive, "密码")
    yield Hostile("PDF cut in half", "half.pdf", lambda: files.pdf(*[["x"]] * 9)[:1500], "无法读取")
    yield Hostile("DOCX cut in half", "half.docx", lambda: text[: len(text) // 2], "已损坏")
    yield Hostile("macros", "macros.docm", with_macros, holds="visible text", lacks="Shell")
    yield Hostile("formulas", "formulas.xlsx", lambda: sheet_of(numbers[0]), holds="2", lacks="1+1")
    yield Hostile("formulas in CSV", "formulas.csv", lambda: b"a,b\n=cmd|'/C calc'!A0,1\n", holds="=cmd")
    yield Hostile(
        "paths in an archive", "slip.docx", lambda: files.repacked(text, {"../../evil.txt": "x"}), holds="text"
    )
    yield Hostile("paths in the name", "../../../etc/cron.d/evil.txt", lambda: b"hello", holds="hello")
    yield Hostile("scanned PDF", "scan.pdf", lambda: files.pdf([], []), "OCR")
    yield Hostile("9 MB of text in one line", "line.txt", lambda: b"word " * (9 * MEGABYTE // 5), "2,000,000")
    yield Hostile("9 MB in one cell", "cell.csv", lambda: b"a,b\n" + b"x" * (9 * MEGABYTE), "无法读取")
