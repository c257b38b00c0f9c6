"""Libraries that a deletion of this process takes away: nobody opens one meanwhile, and errors say that it is gone."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.errors import LibraryNotFound, StoreError
from tools.messages import Message
from wenmai.stores.files.folder import engine_errors

_leaving: set[Path] = set()  # folders
_departures: Counter[Path] = Counter()  # how often a library has gone from a folder: one of its name may be there again


@contextmanager
def leaving(folder: Path) -> Iterator[None]:
    """Refuse a library to everybody but who deletes it."""
    _leaving.add(folder)
    _departures[folder] += 1
    try:
        yield
    finally:
        _leaving.discard(folder)


def require_staying(folder: Path) -> None:
    """Raise LibraryNotFound for a library that is being deleted."""
    if folder in _leaving:
        raise LibraryNotFound(Message("library.just_deleted", library=folder.name))


@contextmanager
def unless_gone(folder: Path) -> Iterator[None]:
    """Raise LibraryNotFound in the place of a StoreError that comes from that the library went away meanwhile."""
    before = _departures[folder]
    try:
        yield
    except StoreError as error:
        if folder in _leaving or _departures[folder] != before or not folder.is_dir():
            raise LibraryNotFound(Message("library.just_deleted", library=folder.name)) from error
        raise


@contextmanager
def library_errors(file: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Raise an engine's exceptions as StoreError, or as LibraryNotFound where the library went away meanwhile."""
    with unless_gone(file.parent), engine_errors(file, *kinds):
        yield
