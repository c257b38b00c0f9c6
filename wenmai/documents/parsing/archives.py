"""What a packed file must be before a library opens it: no bomb, no password, no entity in its XML."""

import io
import zipfile

from defusedxml.common import DefusedXmlException  # type: ignore[import-untyped]  # the package has no stubs
from defusedxml.ElementTree import (  # type: ignore[import-untyped]  # the package has no stubs
    DefusedXMLParser,
    ParseError,
)

from tools.wording import Words
from wenmai.documents.parsing.kinds import refused

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
AGAIN = Words("请重新下载或重新保存后再上传", "fetch or save it anew and upload it again")
DAMAGED = Words("文件已损坏或不完整", "the file is damaged or not whole")
MAX_UNPACKED = 200 * 2**20
MAX_ENTRIES = 10_000
ENCRYPTED = 0x1  # bit 0 of an entry's flags
READ_BYTES = 2**16
OFFICE_XML = (".xml", ".rels", ".vml")
BOOK_XML = (".opf", ".ncx", "container.xml")


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
        raise refused(filename, DAMAGED, AGAIN) from error


def check_sizes(filename: str, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse what is locked or would unpack to too much; the library never gives more than an entry declares."""
    if any(entry.flag_bits & ENCRYPTED for entry in entries):
        raise refused(filename, LOCKED, UNLOCK)
    size = sum(entry.file_size for entry in entries)
    if size > MAX_UNPACKED or len(entries) > MAX_ENTRIES:
        what = UNPACKED.of(megabytes=size / 2**20, files=len(entries))
        raise refused(filename, TOO_LARGE.of(what=what, megabytes=MAX_UNPACKED >> 20, files=MAX_ENTRIES), SPLIT)


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
            raise refused(filename, ENTITIES, HARMFUL) from error
        except ParseError as error:
            raise refused(filename, BAD_XML.of(name=entry.filename[:80]), SAVE_ANEW) from error
