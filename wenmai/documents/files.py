"""The files that are uploaded."""

import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

from tools.errors import InputError
from tools.messages import Message

MAX_NAME = 255
# Controls, invisible formats (among them those that turn a name around) and separators of lines.
DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def bare_name(filename: str) -> str:
    """Return the name of a file without folders and invisible characters. Raises InputError for what names nothing."""
    last = PureWindowsPath(PurePosixPath(filename).name).name
    kept = "".join(char for char in last if unicodedata.category(char) not in DROPPED_CATEGORIES)
    name = " ".join(unicodedata.normalize("NFC", kept).split())
    if not name.strip(". "):
        raise InputError(Message("document.bad_name", name=filename[:80]))
    if len(name) > MAX_NAME:
        raise InputError(Message("document.name_too_long", count=len(name), most=MAX_NAME, name=name[:80]))
    return name


def file_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows. Raises InputError."""
    if not path.is_file():
        raise InputError(Message("file.not_found_at", path=path))
    with path.open("rb") as file:
        return file.read(most + 1)
