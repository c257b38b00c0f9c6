"""The reader that the package ships, opened once a process."""

from functools import cache

from wenmai.reader.reader import Reader, open_reader


@cache
def shipped_reader() -> Reader:
    """Return the reader."""
    return open_reader(None)
