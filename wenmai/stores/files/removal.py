"""The removal of a library's folder in two steps, so that what fails halfway leaves the library's name free."""

import shutil
from contextlib import suppress
from pathlib import Path

from wenmai.stores.files.folder import LibraryFolders, engine_errors

DELETED = ".deleted"


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
