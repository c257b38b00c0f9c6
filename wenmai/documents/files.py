"""The files that are uploaded."""

from pathlib import Path

from tools.errors import InputError
from tools.wording import Words

NO_FILE = Words("没有这个文件：{path}", "there is no file {path}")


def file_bytes(path: Path, most: int) -> bytes:
    """Return the bytes of a file, at most one more than the limit, so that its excess shows. Raises InputError."""
    if not path.is_file():
        raise InputError(NO_FILE.of(path=path))
    with path.open("rb") as file:
        return file.read(most + 1)
