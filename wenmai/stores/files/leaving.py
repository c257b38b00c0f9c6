"""Libraries that a deletion of this process takes away: nobody opens one meanwhile, and errors say that it is gone."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.errors import LibraryNotFound, StoreError
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.refusals import GONE

_leaving: set[Path] = set()  # folders


@contextmanager
def leaving(folder: Path) -> Iterator[None]:
    """Refuse a library to everybody but who deletes it."""
    _leaving.add(folder)
    try:
        yield
    finally:
        _leaving.discard(folder)


def require_staying(folder: Path) -> None:
    """Raise LibraryNotFound for a library that is being deleted."""
    if folder in _leaving:
        raise LibraryNotFound(GONE.of(library=folder.name))


def require_there(folder: Path, error: BaseException) -> None:
    """Raise LibraryNotFound where an error comes from that a library went away."""
    if folder in _leaving or not folder.is_dir():
        raise LibraryNotFound(GONE.of(library=folder.name)) from error


@contextmanager
def library_errors(file: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Raise an engine's exceptions as StoreError, or as LibraryNotFound where the library went away meanwhile."""
    try:
        with engine_errors(file, *kinds):
            yield
    except StoreError as error:
        require_there(file.parent, error)
        raise
