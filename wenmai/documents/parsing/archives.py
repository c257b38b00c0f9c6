"""What a packed file must be before a library opens it: no bomb, no password, no entity in its XML."""

import io
import zipfile

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]  # the package has no stubs
from defusedxml.ElementTree import (  # type: ignore[import-untyped]  # the package has no stubs
    DefusedXMLParser,
    ParseError,
)

from tools.messages import Message
from wenmai.documents.parsing.kinds import refused

MAX_UNPACKED = 200 * 2**20
MAX_ENTRIES = 10_000
ENCRYPTED = 0x1  # bit 0 of an entry's flags
READ_BYTES = 2**16
OFFICE_XML = (".xml", ".rels", ".vml")
BOOK_XML = (".opf", ".ncx", "container.xml")


class Unseen:
    """Takes no event of an XML parser."""

    def close(self) -> None:
        """Return nothing."""


def check_archive(filename: str, data: bytes, kind: str) -> None:
    """Refuse an archive that would unpack to too much, is locked, or declares entities. Raises IngestError."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            check_sizes(filename, archive.infolist())
            check_xml(filename, archive, BOOK_XML if kind == "epub" else OFFICE_XML, strict=kind != "epub")
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError, OSError) as error:
        raise refused(filename, Message("document.damaged"), Message("document.download_or_save_again")) from error


def check_sizes(filename: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what is locked or would unpack to too much; the library never gives more than an entry declares."""
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise refused(filename, Message("document.has_password"), Message("document.remove_password"))
    size = sum(entry.file_size for entry in entries)
    if size > MAX_UNPACKED or len(entries) > MAX_ENTRIES:
        what = Message("document.unpacked_size", megabytes=size / 2**20, files=len(entries))
        raise refused(
            filename,
            Message("document.unpacked_too_large", what=what, megabytes=MAX_UNPACKED >> 20, files=MAX_ENTRIES),
            Message("document.split_it"),
        )


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
            raise refused(filename, Message("document.xml_with_entities"), Message("document.harmful")) from error
        except ParseError as error:
            raise refused(
                filename, Message("document.bad_xml", name=entry.filename[:80]), Message("document.save_again")
            ) from error
