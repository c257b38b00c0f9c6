"""Networks that come as a ZIP archive."""

from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile

from tools.errors import InputError
from tools.wording import Words

NO_ZIP = Words(
    "{name} 不是能打开的 ZIP 文件：请检查文件是否完整、是否加密",
    "{name} is no ZIP file that can be opened: is it whole, is it encrypted?",
)
TOO_LARGE = Words(
    "{name} 解压后超过大小限制，上限是 {most} MB（MAX_SOURCE_MB）",
    "{name} unpacks to too much: at most {most} MB (MAX_SOURCE_MB)",
)
ZIP = ".zip"
PACKED = frozenset({".csv", ".json", ".jsonl", ".yaml", ".yml"})


def unpack(archive: Path, most: int) -> None:
    """Write the files of an archive beside it, without their folders, and remove it.

    Raises InputError for what is no archive, is encrypted, or holds more than `most` bytes.
    """
    try:
        with ZipFile(archive) as packed:
            files = {PurePosixPath(one.filename).name: one for one in packed.infolist() if not one.is_dir()}
            files = {name: one for name, one in files.items() if PurePosixPath(name).suffix.lower() in PACKED}
            if sum(one.file_size for one in files.values()) > most:
                raise InputError(TOO_LARGE.of(name=archive.name, most=most >> 20))
            for name, one in files.items():
                if not name.startswith("."):
                    (archive.parent / name).write_bytes(packed.read(one))
    except (BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(NO_ZIP.of(name=archive.name)) from error
    archive.unlink()
