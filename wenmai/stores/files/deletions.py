"""The removal of a library: nobody opens it meanwhile, errors say that it is gone, its folder is set aside first."""

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tools.errors import LibraryNotFound, StoreError
from wenmai.stores.files.folder import LibraryFolders, engine_errors
from wenmai.stores.files.refusals import GONE

DELETED = ".deleted"  # the end of the name of a folder that is set aside
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
        raise LibraryNotFound(GONE.of(library=folder.name))


@contextmanager
def unless_gone(folder: Path) -> Iterator[None]:
    """Raise LibraryNotFound in the place of a StoreError that comes from that the library went away meanwhile."""
    before = _departures[folder]
    try:
        yield
    except StoreError as error:
        if folder in _leaving or _departures[folder] != before or not folder.is_dir():
            raise LibraryNotFound(GONE.of(library=folder.name)) from error
        raise


@contextmanager
def library_errors(file: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Raise an engine's exceptions as StoreError, or as LibraryNotFound where the library went away meanwhile."""
    with unless_gone(file.parent), engine_errors(file, *kinds):
        yield


def set_aside(folders: LibraryFolders, library: str) -> Path:
    """Give the folder of a library, if there is one, a hidden name and return that. Raises StoreLocked, StoreError."""
    folder = folders.path(library)
    aside = folder.with_name(f".{library}{DELETED}")
    try:
        with engine_errors(folder, OSError):
            discard(aside)
            if folder.is_dir():
                folders.existing(library).rename(aside)
    finally:
        folders.close()
    return aside


def discard_all(data_dir: Path) -> None:
    """Remove what deletions that were cut short have set aside. Raises StoreError."""
    for aside in data_dir.glob(f".*{DELETED}"):
        discard(aside)


def discard(aside: Path) -> None:
    """Remove a folder that was set aside, if it is there. Raises StoreError."""
    with engine_errors(aside, OSError), suppress(FileNotFoundError):
        shutil.rmtree(aside)
