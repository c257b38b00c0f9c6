"""The kind of a file, by its content; its name decides only between kinds of text."""

import io
import zipfile
from pathlib import Path

from tools.errors import IngestError
from tools.messages import Message, Text

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


def refused(filename: str, reason: Text, remedy: Text) -> IngestError:
    """Return the one-line error that names the file, the reason and what to do."""
    return IngestError(Message("document.not_read", name=filename, reason=reason, remedy=remedy))


def kind_of(filename: str, data: bytes) -> str:
    """Return what a file is. Raises IngestError for what no reader is there for."""
    if not data:
        raise refused(filename, Message("file.empty"), Message("document.choose_file_with_content"))
    if PDF_HEAD in data[:PDF_HEAD_WITHIN]:
        return "pdf"
    if data.startswith(ZIP_HEAD):
        return packed_kind(filename, data)
    if data.startswith(OLE_HEAD):
        raise refused(filename, Message("document.is_old_office"), Message("document.save_as_new_office"))
    if data.startswith(RTF_HEAD):
        raise refused(filename, Message("document.is_rtf"), Message("document.save_as_docx"))
    if data.startswith(IMAGE_HEADS) and b"\0" in data[:PDF_HEAD_WITHIN]:
        raise refused(filename, Message("document.is_picture"), Message("document.use_ocr"))
    return text_kind(filename, data)


def packed_kind(filename: str, data: bytes) -> str:
    """Return what a ZIP archive is."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise refused(filename, Message("document.damaged"), Message("document.download_or_save_again")) from error
    if "META-INF/container.xml" in names:
        return "epub"
    kinds = [kind for folder, kind in OFFICE_PARTS.items() if any(name.startswith(folder) for name in names)]
    if "[Content_Types].xml" in names and kinds:
        return kinds[0]
    raise refused(
        filename, Message("document.is_archive"), Message("document.unpack_it", formats=Message("document.formats"))
    )


def text_kind(filename: str, data: bytes) -> str:
    """Return what kind of text it is; whether it is text at all, its decoder finds out."""
    start = data[:PDF_HEAD_WITHIN].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(HTML_STARTS[:2]) or (start.startswith(HTML_STARTS[2]) and b"<html" in start):
        return "html"
    return TEXT_KINDS.get(Path(filename).suffix.lower(), "text")
