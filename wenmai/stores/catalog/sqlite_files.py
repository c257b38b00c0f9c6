"""One SQLite file a library: opened once and kept open, or opened briefly for reading."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.leaving import library_errors, require_staying


class SqliteFiles:
    """The files of one name below `data_dir`; a library's folder is locked from its first use to `close`.

    With `shared` it is not, and SQLite alone orders the writes of several processes.
    """

    def __init__(self, data_dir: Path, name: str, schema: str, *, shared: bool = False) -> None:
        self.folders = LibraryFolders(data_dir, shared=shared)
        self._name = name
        self._schema = schema
        self._files: dict[str, sqlite3.Connection] = {}
        self._guard = threading.RLock()

    def path(self, library: str) -> Path:
        """Return where a library's file is or would be. Raises InputError."""
        return self.folders.path(library) / self._name

    @contextmanager
    def opened(self, library: str) -> Iterator[sqlite3.Connection]:
        """Give the file of a library that exists, made if need be, to one thread at a time.

        Raises LibraryNotFound, StoreLocked.
        """
        with self._guard, self._errors(library):
            yield self._opened(library)

    @contextmanager
    def peeked(self, library: str) -> Iterator[sqlite3.Connection]:
        """Give a file that exists for reading, without a lock on it or on the folder."""
        path = self.path(library)
        with self._errors(library), closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
            yield file

    def close(self) -> None:
        """Close every file and unlock the folders."""
        with self._guard:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self.folders.close()

    def release(self, library: str) -> None:
        """Close one library's file and unlock its folder."""
        with self._guard:
            if file := self._files.pop(library, None):
                file.close()
            self.folders.release(library)

    def _opened(self, library: str) -> sqlite3.Connection:
        if library not in self._files:
            require_staying(self.folders.path(library))
            file = sqlite3.connect(self.folders.existing(library) / self._name, check_same_thread=False)
            self._files[library] = file
            file.executescript(self._schema)
        return self._files[library]

    @contextmanager
    def _errors(self, library: str) -> Iterator[None]:
        with library_errors(self.path(library), sqlite3.Error, OSError):
            yield
