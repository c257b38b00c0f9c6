"""The files that are uploaded."""

import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

from tools.errors import InputError
from tools.wording import Words

LONG_NAME = Words(
    "文件名有 {count} 个字符，最多 {most} 个：{name}…",
    "the file name has {count} characters, at most {most} are taken: {name}…",
)
BAD_NAME = Words("文件名无效：{name!r}", "this file name cannot be used: {name!r}")
MAX_NAME = 255
# Controls, invisible formats (among them those that turn a name around) and separators of lines.
DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def bare_name(filename: str) -> str:
    """Return the name of a file without folders and invisible characters. Raises InputError for what names nothing."""
    last = PureWindowsPath(PurePosixPath(filename).name).name
    kept = "".join(char for char in last if unicodedata.category(char) not in DROPPED_CATEGORIES)
    name = " ".join(unicodedata.normalize("NFC", kept).split())
    if not name.strip(". "):
        raise InputError(BAD_NAME.of(name=filename[:80]))
    if len(name) > MAX_NAME:
        raise InputError(LONG_NAME.of(count=len(name), most=MAX_NAME, name=name[:80]))
    return name


NO_FILE = Words("没有这个文件：{path}", "there is no file {path}")


def file_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows. Raises InputError."""
    if not path.is_file():
        raise InputError(NO_FILE.of(path=path))
    with path.open("rb") as file:
        return file.read(most + 1)
