"""The kind of a file, by its content, and whether a library may open it: no bomb, no password, no entity in its XML.

The name of a file decides only between kinds of text.
"""

import io
import zipfile
from pathlib import Path

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]  # the package has no stubs
from defusedxml.ElementTree import DefusedXMLParser, ParseError  # type: ignore[import-untyped]  # the package has no stubs

from tools.errors import IngestError
from tools.messages import Message, Text

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
    "json": "application/json",
    "xml": "application/xml",
    "subtitles": "application/x-subrip",
    "screenplay": "text/vnd.fountain",
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
    ".json": "json",
    ".xml": "xml",
    ".srt": "subtitles",
    ".vtt": "subtitles",
    ".ass": "subtitles",
    ".fountain": "screenplay",
}


def refusal(filename: str, reason: Text, remedy: Text) -> IngestError:
    return IngestError(Message("document.not_read", name=filename, reason=reason, remedy=remedy))


def kind_of(filename: str, data: bytes) -> str:
    """Return what a file is. Raises IngestError for what no reader is there for."""
    if not data:
        raise refusal(filename, Message("file.empty"), Message("document.choose_file_with_content"))
    if PDF_HEAD in data[:PDF_HEAD_WITHIN]:
        return "pdf"
    if data.startswith(ZIP_HEAD):
        return packed_kind(filename, data)
    if data.startswith(OLE_HEAD):
        raise refusal(filename, Message("document.is_old_office"), Message("document.save_as_new_office"))
    if data.startswith(RTF_HEAD):
        raise refusal(filename, Message("document.is_rtf"), Message("document.save_as_docx"))
    if data.startswith(IMAGE_HEADS) and b"\0" in data[:PDF_HEAD_WITHIN]:
        raise refusal(filename, Message("document.is_picture"), Message("document.use_ocr"))
    # Whether it is text at all, its decoder finds out.
    start = data[:PDF_HEAD_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(HTML_STARTS[:2]) or (start.startswith(HTML_STARTS[2]) and b"<html" in start):
        return "html"
    return TEXT_KINDS.get(Path(filename).suffix.lower(), "text")


def packed_kind(filename: str, data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise refusal(filename, Message("document.damaged"), Message("document.download_or_save_again")) from error
    if "META-INF/container.xml" in names:
        return "epub"
    kinds = [kind for folder, kind in OFFICE_PARTS.items() if any(name.startswith(folder) for name in names)]
    if "[Content_Types].xml" in names and kinds:
        return kinds[0]
    remedy = Message("document.unpack_it", formats=Message("document.formats"))
    raise refusal(filename, Message("document.is_archive"), remedy)


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
        raise refusal(filename, Message("document.damaged"), Message("document.download_or_save_again")) from error


def check_sizes(filename: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what is locked or would unpack to too much; the library never gives more than an entry declares."""
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise refusal(filename, Message("document.has_password"), Message("document.remove_password"))
    size = sum(entry.file_size for entry in entries)
    if size > MAX_UNPACKED or len(entries) > MAX_ENTRIES:
        what = Message("document.unpacked_size", megabytes=size / 2**20, files=len(entries))
        most = {"megabytes": MAX_UNPACKED >> 20, "files": MAX_ENTRIES}
        too_large = Message("document.unpacked_too_large", what=what, **most)
        raise refusal(filename, too_large, Message("document.split_it"))


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
            raise refusal(filename, Message("document.xml_with_entities"), Message("document.harmful")) from error
        except ParseError as error:
            why = Message("document.bad_xml", name=entry.filename[:80])
            raise refusal(filename, why, Message("document.save_again")) from error
