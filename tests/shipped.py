"""The reader that the package ships, opened once a process."""

from functools import cache

from wenmai.reader.opening import open_reader
from wenmai.reader.reader import Reader


@cache
def shipped_reader() -> Reader:
    """Return the reader."""
    return open_reader(None)
