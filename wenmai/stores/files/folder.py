"""A library's folder: its name, the lock of the one process that holds it, and messages of errors."""

import errno
import json
import logging
import os
import re
import shutil
import sqlite3
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from filelock import FileLock, Timeout

from tools.errors import (
    InputError,
    LibraryNotFound,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreLocked,
    StoreUnavailable,
    short_reason,
)
from tools.messages import Message, Text, say
from wenmai.stores.files.moving import JOURNAL, finish

log = logging.getLogger("wenmai.stores")
LIBRARY_NAME = re.compile(r"[0-9A-Za-z_\-\u3400-\u9fff]{1,64}")
LOCK_FILE = ".lock"
WRITING_FILE = ".writing"
HOLDER_FILE = ".holder.json"
ASK = "ask"  # the command that lets go when its question is answered
MOST_WAITED_S, WAITED_STEP_S = 900.0, 0.2  # for the question of another process; between two looks
COMMAND_CHARACTERS = 120
DISK_FULL_WORDS = ("no space left", "os error 28", "disk is full", "database or disk is full", "disk quota exceeded")
LOCKED_WORDS = ("wouldblock", "could not set lock", "database is locked")
IO_ERROR = "disk i/o error"  # SQLite also says so where there is no room for the files beside its own
ACCESS_WORDS = (  # the files may be well
    IO_ERROR,
    "permission denied",
    "not permitted",
    "read-only file system",
    "readonly database",
    "unable to open database file",
    "too many open files",
)
MEMORY_WORDS = ("unable to allocate memory", "out of memory", "cannot allocate memory")
NOT_TEXT = "surrogates not allowed"
NOT_TEXT_WORDS = (NOT_TEXT, "unable to cast python instance")
BLOCK_BYTES = 512  # POSIX: what st_blocks counts
ROOM_BYTES = 2**20  # less is a full disk
FREE_BYTES = 128 * 2**20  # an engine that maps files dies by SIGBUS on a full disk: a new shard takes half of that
OPENING_BYTES = 8 * 2**20  # what opening takes beside the holes of its files


@dataclass(frozen=True, slots=True)
class Content:
    """What a folder holds, as errors name it, and how to restore lost files; both may name the `{folder}`."""

    name: Message
    restore: Message

    def named(self, folder: Path) -> Message:
        return Message(self.name.key, folder=folder.name)


LIBRARY = Content(name=Message("library.in_folder"), restore=Message("library.delete_and_ingest"))


def check_name(library: str) -> str:
    """Return the name of a library if it may be a folder's name. Raises InputError."""
    if LIBRARY_NAME.fullmatch(library):
        return library
    raise InputError(Message("library.bad_name", name=library[:80]))


def require_space(folder: Path, copied: str = "", needed: int | None = None) -> None:
    """Raise StoreFull unless the disk has so many bytes (FREE_BYTES) and room for a copy of `folder / copied`."""
    needed = FREE_BYTES if needed is None else needed
    if copied:
        needed += taken_bytes(folder / copied)
    place = next(one for one in (folder, *folder.parents) if one.exists())
    if shutil.disk_usage(place).free < needed:
        raise StoreFull(Message("store.no_space_for", folder=folder, megabytes=needed // 2**20))


def require_space_to_open(folder: Path) -> None:
    """Raise StoreFull unless the disk can take what an engine that maps the files of a folder may fill of their holes.

    An access to such a page on a full disk would end the process by SIGBUS.
    """
    files = [file.stat() for file in files_in(folder)]
    needed = OPENING_BYTES + sum(max(0, one.st_size - one.st_blocks * BLOCK_BYTES) for one in files)
    if shutil.disk_usage(folder).free < needed:
        raise StoreFull(Message("store.no_space_to_open", folder=folder, megabytes=-(-needed // 2**20)))


def taken_bytes(path: Path) -> int:
    """Return what a file, or all files in a folder, take of the disk: holes take nothing."""
    files = [path] if path.is_file() else files_in(path)
    return sum(file.stat().st_blocks * BLOCK_BYTES for file in files)


def files_in(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def has_no_room(path: Path) -> bool:
    """Return True if the disk of a file is full."""
    try:
        return shutil.disk_usage(path.parent).free < ROOM_BYTES
    except OSError:
        return False


def store_error(error: BaseException, path: Path, content: Content = LIBRARY) -> StoreError | InputError:
    """Return the StoreError for an engine's error: bad text, full disk, lock, no memory or access, else bad files."""
    text = str(error).lower()
    is_full = getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT}
    if is_full or any(word in text for word in DISK_FULL_WORDS) or (IO_ERROR in text and has_no_room(path)):
        return StoreFull(Message("store.disk_full", path=path))
    if any(word in text for word in LOCKED_WORDS):
        return StoreLocked(_held_by(path.parent, content))
    if any(word in text for word in NOT_TEXT_WORDS):
        return InputError(Message("store.lone_surrogates"))
    reason = short_reason(error)
    if any(word in text for word in MEMORY_WORDS):
        return StoreUnavailable(Message("store.no_memory", path=path, reason=reason))
    if any(word in text for word in ACCESS_WORDS):
        return StoreUnavailable(Message("store.not_opened", path=path, reason=reason))
    return StoreCorrupt(
        Message(
            "store.unreadable", path=path, reason=reason, restore=Message(content.restore.key, folder=path.parent.name)
        )
    )


class LibraryFolders:
    """The folders below `data_dir`, each locked by this process from its first use to `close`.

    Every store has its own instance: locks of one path are shared and counted inside a process. The files of an
    `engine` are held by one instance, as Ladybug would open them twice without an error. With `shared` no engine has
    files there, and no folder is locked.
    """

    _engines: ClassVar[set[tuple[Path, str]]] = set()
    _claiming: ClassVar[threading.Lock] = threading.Lock()
    _locking: ClassVar[threading.Lock] = threading.Lock()  # a lock that two threads take at once refuses one of them

    def __init__(
        self, data_dir: Path, engine: str | None = None, content: Content = LIBRARY, *, shared: bool = False
    ) -> None:
        self._data_dir = data_dir.absolute()
        self._content = content
        self._shared = shared
        self._engine = engine
        self._held: dict[str, FileLock] = {}
        self._claims: set[tuple[Path, str]] = set()
        self._guard = threading.Lock()

    def path(self, library: str) -> Path:
        """Return where the folder of a library is or would be. Raises InputError."""
        return self._data_dir / check_name(library)

    def existing(self, library: str) -> Path:
        """Return the folder of a library and lock it. Raises LibraryNotFound, StoreLocked."""
        folder = self.path(library)
        if not folder.is_dir():
            raise LibraryNotFound(Message("library.unknown", library=library))
        self._hold(library, folder)
        return folder

    def created(self, library: str) -> Path:
        """Return the folder of a library, made if need be, and lock it. Raises StoreLocked, StoreFull, InputError."""
        folder = self.path(library)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (NotADirectoryError, FileExistsError, PermissionError) as error:
            name = self._content.named(folder)
            raise InputError(
                Message("store.folder_not_made", data_dir=self._data_dir, name=name, reason=error.strerror)
            ) from error
        except OSError as error:
            raise store_error(error, folder, self._content) from error
        self._hold(library, folder)
        return folder

    @contextmanager
    def writing(self, library: str) -> Iterator[None]:
        """Be the only process that changes a library whose folder is shared. Raises StoreLocked.

        A folder that was made for the lock alone is removed afterwards.
        """
        folder = self.path(library)
        is_new = not folder.is_dir()
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(folder / WRITING_FILE, timeout=0, thread_local=False)
        try:
            lock.acquire()
        except Timeout as error:
            raise StoreLocked(Message("library.changed_by_other_process", library=library)) from error
        try:
            yield
        finally:
            if is_new and [path.name for path in folder.glob("*")] == [WRITING_FILE]:
                (folder / WRITING_FILE).unlink(missing_ok=True)
                with suppress(OSError):  # another process has begun to fill it
                    folder.rmdir()
            lock.release()

    def names(self) -> list[str]:
        if not self._data_dir.is_dir():
            return []
        return sorted(p.name for p in self._data_dir.iterdir() if p.is_dir() and LIBRARY_NAME.fullmatch(p.name))

    def close(self) -> None:
        with self._guard:
            self._let_go(self._held.values())
            self._held.clear()
            with self._claiming:
                self._engines.difference_update(self._claims)
            self._claims.clear()

    def release(self, library: str) -> None:
        folder = self.path(library).resolve()
        with self._guard:
            if lock := self._held.pop(library, None):
                self._let_go([lock])
            self._unclaim(folder)

    def _hold(self, library: str, folder: Path) -> None:
        """Lock a folder; wait while its holder only answers a question. Raises StoreLocked.

        No lock of this process is held meanwhile: other folders are opened and closed.
        """
        end, is_waiting = time.monotonic() + MOST_WAITED_S, False
        while True:
            try:
                self._take(library, folder)
                return
            except Timeout as error:
                if not _answers_question(folder) or time.monotonic() >= end:
                    raise StoreLocked(_held_by(folder, self._content)) from error
            if not is_waiting:
                log.warning(say("store.waits", name=self._content.named(folder), who=_holder_of(folder)))
            is_waiting = True
            time.sleep(WAITED_STEP_S)

    def _take(self, library: str, folder: Path) -> None:
        """Lock a folder at once. Raises Timeout where another process has it."""
        with self._guard:
            if self._shared or library in self._held:
                return
            # Singletons count their holders, so passages, graph and catalog share one lock.
            lock = FileLock(folder / LOCK_FILE, timeout=0, thread_local=False, is_singleton=True)
            try:
                with self._locking:
                    lock.acquire()
            except Timeout:  # it is an OSError too
                raise
            except OSError as error:
                raise store_error(error, folder / LOCK_FILE, self._content) from error
            if self._engine and not self._claim(folder.resolve(), self._engine):
                self._let_go([lock])
                raise StoreLocked(Message("store.in_use_here", name=self._content.named(folder), pid=os.getpid()))
            try:
                _write_holder(folder)
                with engine_errors(folder / JOURNAL, OSError, sqlite3.Error, ValueError, TypeError):
                    finish(folder)
            except BaseException:
                self._unclaim(folder.resolve())
                self._let_go([lock])
                raise
            self._held[library] = lock

    def _let_go(self, locks: Iterable[FileLock]) -> None:
        with self._locking:
            for lock in locks:
                lock.release()

    def _claim(self, folder: Path, engine: str) -> bool:
        """Take an engine's files for this instance; return False where another instance of this process has them."""
        with self._claiming:
            free = (folder, engine) not in self._engines
            if free:
                self._engines.add((folder, engine))
                self._claims.add((folder, engine))
            return free

    def _unclaim(self, folder: Path) -> None:
        with self._claiming:
            own = {claim for claim in self._claims if claim[0] == folder}
            self._engines.difference_update(own)
            self._claims.difference_update(own)


@contextmanager
def engine_errors(path: Path, *kinds: type[Exception]) -> Iterator[None]:
    """Raise an engine's exceptions as StoreError; `path` is the file that they are about."""
    try:
        yield
    except kinds as error:
        if isinstance(error, StoreError | InputError):
            raise
        raise store_error(error, path) from error


def _write_holder(folder: Path) -> None:
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:COMMAND_CHARACTERS]
    started = datetime.now(UTC).isoformat(timespec="seconds")
    holder = {"pid": os.getpid(), "command": command, "started": started, "asks": sys.argv[1:2] == [ASK]}
    with suppress(StoreFull), engine_errors(folder / HOLDER_FILE, OSError):  # a full disk must let a library go
        text = json.dumps(holder, ensure_ascii=False)
        (folder / HOLDER_FILE).write_text(text, encoding="utf-8", errors="replace")  # arguments may be any bytes


def _answers_question(folder: Path) -> bool:
    """Return True if the process that holds a folder only answers a question, and will let go."""
    try:
        return json.loads((folder / HOLDER_FILE).read_text(encoding="utf-8"))["asks"] is True
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _held_by(folder: Path, content: Content) -> Message:
    return Message("store.in_use", name=content.named(folder), who=_holder_of(folder))


def _holder_of(folder: Path) -> Text:
    try:
        holder = json.loads((folder / HOLDER_FILE).read_text(encoding="utf-8"))
        return Message("store.process", pid=holder["pid"], command=holder["command"], started=holder["started"])
    except (OSError, ValueError, KeyError):
        return Message("store.other_process")
