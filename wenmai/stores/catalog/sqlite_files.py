"""One SQLite file a library: opened once and kept open, or opened briefly for reading."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from tools.errors import LibraryNotFound, StoreLocked
from tools.messages import Message
from wenmai.stores.files.deletions import library_errors, require_staying
from wenmai.stores.files.folder import LibraryFolders
from wenmai.stores.files.moving import SIDE_FILES
from wenmai.stores.files.sqlite import EMPTY_LOG

NEW = ".new"


class SqliteFiles:
    """The files of one name below `data_dir`; a library's folder is locked from its first use to `close`.

    With `shared` it is not, and SQLite alone orders the writes of several processes.
    """

    def __init__(self, data_dir: Path, name: str, schema: str, *, shared: bool = False) -> None:
        self.folders = LibraryFolders(data_dir, shared=shared)
        self._name = name
        self._schema = schema
        self._shared = shared
        self._files: dict[str, sqlite3.Connection] = {}
        self._numbers: dict[str, int] = {}  # of the open files, where another process may put new ones in their place
        self._guard = threading.RLock()

    def path(self, library: str) -> Path:
        """Return where a library's file is or would be. Raises InputError."""
        return self.folders.path(library) / self._name

    @contextmanager
    def opened(self, library: str) -> Iterator[sqlite3.Connection]:
        """Give the file of a library that exists, made if need be, to one thread at a time.

        Raises LibraryNotFound, StoreLocked.
        """
        with self._guard, library_errors(self.path(library), sqlite3.Error, OSError):
            yield self._opened(library)

    @contextmanager
    def peeked(self, library: str) -> Iterator[sqlite3.Connection]:
        """Give a file that exists for reading, without a lock on it or on the folder. Raises LibraryNotFound."""
        path = self.path(library)
        with self._guard, library_errors(self.path(library), sqlite3.Error, OSError):
            require_staying(path.parent)
            number = number_of(path)
            if library in self._files:
                yield self._opened(library)
                return
            try:
                with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as file:
                    yield file
            except sqlite3.Error as error:
                if number is None or number_of(path) != number:  # another process has deleted it, or made it anew
                    raise LibraryNotFound(Message("library.just_deleted", library=library)) from error
                raise

    def empty_logs(self) -> None:
        """Empty the write-ahead logs of the open files: what was deleted still stands there.

        Raises StoreLocked where another process reads one.
        """
        with self._guard:
            for library, file in self._files.items():
                with library_errors(self.path(library), sqlite3.Error, OSError):
                    [is_busy, *_] = file.execute(EMPTY_LOG).fetchone()
                if is_busy:
                    raise StoreLocked(Message("library.log_in_use", name=library))

    def close(self) -> None:
        with self._guard:
            for file in self._files.values():
                file.close()
            self._files.clear()
            self.folders.close()

    def release(self, library: str) -> None:
        with self._guard:
            if file := self._files.pop(library, None):
                file.close()
            self.folders.release(library)

    def _opened(self, library: str) -> sqlite3.Connection:
        path = self.path(library)
        if self._shared and library in self._files and self._numbers[library] != number_of(path):
            self._files.pop(library).close()
        if library not in self._files:
            require_staying(path.parent)
            self.folders.existing(library)
            if not path.exists():
                self._make(path)
            self._files[library] = self._connected(path)
            self._numbers[library] = path.stat().st_ino
        return self._files[library]

    def _make(self, path: Path) -> None:
        """Make a file with its tables: nobody ever sees one without them."""
        beside = path.with_name(path.name + NEW)
        for suffix in SIDE_FILES:
            beside.with_name(beside.name + suffix).unlink(missing_ok=True)
        self._connected(beside).close()
        beside.rename(path)

    def _connected(self, path: Path) -> sqlite3.Connection:
        file = sqlite3.connect(path, check_same_thread=False)
        file.row_factory = sqlite3.Row
        try:
            file.executescript(self._schema)
        except BaseException:
            file.close()
            raise
        return file


def number_of(path: Path) -> int | None:
    """Return the number by which the disk knows a file, None where there is none."""
    try:
        return path.stat().st_ino
    except FileNotFoundError:
        return None
