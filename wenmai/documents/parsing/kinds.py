"""The kind of a file, by its content, and whether a library may open it: no bomb, no password, no entity in its XML.

The name of a file decides only between kinds of text.
"""

import io
import zipfile
from pathlib import Path

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]  # the package has no stubs
from defusedxml.ElementTree import (  # type: ignore[import-untyped]  # the package has no stubs
    DefusedXMLParser,
    ParseError,
)

from tools.errors import IngestError
from tools.wording import Text, Words

UNPACK = Words("请解压后上传其中的文件；支持 {formats}", "unpack it and upload its files; {formats} are read")
ARCHIVE = Words("是压缩包，不是文档", "it is an archive, not a document")
AGAIN = Words("请重新下载或重新保存后再上传", "fetch or save it anew and upload it again")
DAMAGED = Words("文件已损坏或不完整", "the file is damaged or not whole")
OCR = Words(
    "这里不提供文字识别（OCR）：请先用 OCR 软件转成文字",
    "letters in pictures are not read here (OCR): make a text of it first",
)
PICTURE = Words("是图片，没有可读的文字", "it is a picture without a text")
AS_DOCX = Words("请另存为 DOCX", "save it as DOCX")
RTF = Words("是 RTF 文件", "it is RTF")
AS_NEW_OFFICE = Words(
    "请去掉密码并另存为 DOCX、PPTX 或 XLSX", "take the password off and save it as DOCX, PPTX or XLSX"
)
OLD_OFFICE = Words("是旧版 Office 文件，或者设有密码", "it is a file of an old Office, or has a password")
OTHER_FILE = Words("请换一个有内容的文件", "take a file that holds something")
EMPTY = Words("文件是空的", "the file is empty")
SAVE_ANEW = Words("请重新保存后再上传", "save it anew and upload it again")
BAD_XML = Words("内部文件 {name} 不是合格的 XML", "the file {name} in it is no XML")
HARMFUL = Words("这样的文件可能有害，不予读取", "such a file may do harm and is not read")
ENTITIES = Words("XML 里声明了实体或外部引用", "its XML declares entities or refers to what is outside")
SPLIT = Words("请拆成几个文件再上传", "split it into several files")
UNPACKED = Words("解压后有 {megabytes:,.0f} MB、{files} 个文件", "it unpacks to {megabytes:,.0f} MB and {files} files")
TOO_LARGE = Words(
    "{what}，上限是 {megabytes} MB、{files} 个", "{what}; at most {megabytes} MB and {files} files are read"
)
UNLOCK = Words("请去掉密码后再上传", "take the password off and upload it again")
LOCKED = Words("设有密码", "it has a password")
REFUSED = Words("无法读取 {name}：{reason}。{remedy}", "{name} cannot be read: {reason}; {remedy}")
MAX_UNPACKED = 200 * 2**20
MAX_ENTRIES = 10_000
ENCRYPTED = 0x1  # bit 0 of an entry's flags
READ_BYTES = 2**16
OFFICE_XML = (".xml", ".rels", ".vml")
BOOK_XML = (".opf", ".ncx", "container.xml")
PDF_HEAD = b"%PDF-"
PDF_HEAD_WITHIN = 1024  # readers accept junk before the head
ZIP_HEAD = b"PK\x03\x04"
OLE_HEAD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
RTF_HEAD = b"{\\rtf"
IMAGE_HEADS = (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*", b"BM")
HTML_STARTS = (b"<!doctype html", b"<html", b"<?xml")
MIME_TYPES = {
    "pdf": "application/pdf",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "epub": "application/epub+zip",
    "html": "text/html",
    "csv": "text/csv",
    "markdown": "text/markdown",
    "text": "text/plain",
}
OFFICE_PARTS = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
TEXT_KINDS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
}
FORMATS = Words(
    "PDF、DOCX、PPTX、XLSX、CSV、HTML、EPUB、Markdown 和纯文本",
    "PDF, DOCX, PPTX, XLSX, CSV, HTML, EPUB, Markdown and text",
)


def refusal(filename: str, reason: Text, remedy: Text) -> IngestError:
    return IngestError(REFUSED.of(name=filename, reason=reason, remedy=remedy))


def kind_of(filename: str, data: bytes) -> str:
    """Return what a file is. Raises IngestError for what no reader is there for."""
    if not data:
        raise refusal(filename, EMPTY, OTHER_FILE)
    if PDF_HEAD in data[:PDF_HEAD_WITHIN]:
        return "pdf"
    if data.startswith(ZIP_HEAD):
        return packed_kind(filename, data)
    if data.startswith(OLE_HEAD):
        raise refusal(filename, OLD_OFFICE, AS_NEW_OFFICE)
    if data.startswith(RTF_HEAD):
        raise refusal(filename, RTF, AS_DOCX)
    if data.startswith(IMAGE_HEADS) and b"\0" in data[:PDF_HEAD_WITHIN]:
        raise refusal(filename, PICTURE, OCR)
    return text_kind(filename, data)


def packed_kind(filename: str, data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise refusal(filename, DAMAGED, AGAIN) from error
    if "META-INF/container.xml" in names:
        return "epub"
    kinds = [kind for folder, kind in OFFICE_PARTS.items() if any(name.startswith(folder) for name in names)]
    if "[Content_Types].xml" in names and kinds:
        return kinds[0]
    raise refusal(filename, ARCHIVE, UNPACK.of(formats=FORMATS))


def text_kind(filename: str, data: bytes) -> str:
    """Return what kind of text it is; whether it is text at all, its decoder finds out."""
    start = data[:PDF_HEAD_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(HTML_STARTS[:2]) or (start.startswith(HTML_STARTS[2]) and b"<html" in start):
        return "html"
    return TEXT_KINDS.get(Path(filename).suffix.lower(), "text")


class Unseen:
    def close(self) -> None:
        """Return nothing."""


def check_archive(filename: str, data: bytes, kind: str) -> None:
    """Refuse an archive that would unpack to too much, is locked, or declares entities. Raises IngestError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_sizes(filename, archive.infolist())
            check_xml(filename, archive, BOOK_XML if kind == "epub" else OFFICE_XML, strict=kind != "epub")
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError) as error:
        raise refusal(filename, DAMAGED, AGAIN) from error


def check_sizes(filename: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what is locked or would unpack to too much; the library never gives more than an entry declares."""
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise refusal(filename, LOCKED, UNLOCK)
    size = sum(entry.file_size for entry in entries)
    if size > MAX_UNPACKED or len(entries) > MAX_ENTRIES:
        what = UNPACKED.of(megabytes=size / 2**20, files=len(entries))
        raise refusal(filename, TOO_LARGE.of(what=what, megabytes=MAX_UNPACKED >> 20, files=MAX_ENTRIES), SPLIT)


def check_xml(filename: str, archive: zipfile.ZipFile, ends: tuple[str, ...], *, strict: bool) -> None:
    """Refuse XML that declares entities, with `strict` any document type: no Office file has one."""
    for entry in archive.infolist():
        if not entry.filename.lower().endswith(ends):
            continue
        parser = DefusedXMLParser(target=Unseen(), forbid_dtd=strict, forbid_entities=True, forbid_external=True)
        try:
            with archive.open(entry) as part:
                while piece := part.read(READ_BYTES):
                    parser.feed(piece)
        except DefusedXmlException as error:
            raise refusal(filename, ENTITIES, HARMFUL) from error
        except ParseError as error:
            raise refusal(filename, BAD_XML.of(name=entry.filename[:80]), SAVE_ANEW) from error
