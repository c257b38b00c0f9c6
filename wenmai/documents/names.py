"""What a file may be called: a bare name, whatever an uploader sends."""

import unicodedata
from pathlib import PurePosixPath, PureWindowsPath

from tools.errors import InputError

MAX_NAME = 255
# Controls, invisible formats (among them those that turn a name around) and separators of lines.
DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def bare_name(filename: str) -> str:
    """Return the name of a file without folders and invisible characters. Raises InputError for what names nothing."""
    last = PureWindowsPath(PurePosixPath(filename).name).name
    kept = "".join(char for char in last if unicodedata.category(char) not in DROPPED_CATEGORIES)
    name = " ".join(unicodedata.normalize("NFC", kept).split())
    if not name.strip(". "):
        raise InputError(f"文件名无效：{filename[:80]!r}")
    if len(name) > MAX_NAME:
        raise InputError(f"文件名有 {len(name)} 个字符，最多 {MAX_NAME} 个：{name[:80]}…")
    return name
