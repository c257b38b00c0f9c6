"""A library's folder: its name, the lock of the one process that holds it, and messages of errors."""

import errno
import json
import os
import re
import shutil
import sqlite3
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from filelock import FileLock, Timeout

from tools.errors import InputError, LibraryNotFound, StoreCorrupt, StoreError, StoreFull, StoreLocked, StoreUnavailable
from wenmai.stores.files.moving import JOURNAL, finish

LIBRARY_NAME = re.compile(r"[0-9A-Za-z_\-\u3400-\u9fff]{1,64}")
LOCK_FILE = ".lock"
WRITING_FILE = ".writing"
HOLDER_FILE = ".holder.json"
COMMAND_CHARACTERS = 120
DISK_FULL_WORDS = ("no space left", "os error 28", "disk is full", "database or disk is full", "disk quota exceeded")
LOCKED_WORDS = ("wouldblock", "could not set lock", "database is locked")
MEMORY_WORDS = ("unable to allocate memory", "out of memory", "cannot allocate memory")
NOT_TEXT = "surrogates not allowed"
NOT_TEXT_WORDS = (NOT_TEXT, "unable to cast python instance")
FREE_BYTES = 64 * 2**20  # an engine that maps files dies by SIGBUS on a full disk: stop before it is full


@dataclass(frozen=True, slots=True)
class Content:
    """What a folder holds, as errors name it, and how to restore lost files; both may name the `{folder}`."""

    name: str
    restore: str

    def of(self, folder: Path) -> "Content":
        """Return the words for one folder."""
        return Content(self.name.format(folder=folder.name), self.restore.format(folder=folder.name))


LIBRARY = Content(name="资料库 {folder}", restore="请用 wenmai delete 删除资料库 {folder} 后重新 wenmai ingest")


def check_name(library: str) -> str:
    """Return the name of a library if it may be a folder's name. Raises InputError."""
    if LIBRARY_NAME.fullmatch(library):
        return library
    raise InputError(f"资料库名称只能由字母、数字、汉字、- 和 _ 组成（1 到 64 个），收到 {library[:80]!r}")


def require_space(folder: Path, copied: str = "") -> None:
    """Raise StoreFull unless the disk has FREE_BYTES and room for a second copy of `folder / copied`."""
    needed = FREE_BYTES
    if copied:
        needed += sum(file.stat().st_blocks * 512 for file in (folder / copied).rglob("*") if file.is_file())
    if shutil.disk_usage(folder).free < needed:
        raise StoreFull(f"磁盘空间不足，写入 {folder} 至少需要 {needed // 2**20} MB：请腾出空间后重试")


def store_error(error: BaseException, path: Path, content: Content = LIBRARY) -> StoreError | InputError:
    """Return the StoreError for an engine's error: bad text, full disk, lock, no memory, else unreadable files."""
    text = str(error).lower()
    if getattr(error, "errno", None) in {errno.ENOSPC, errno.EDQUOT} or any(word in text for word in DISK_FULL_WORDS):
        return StoreFull(f"磁盘空间已满，无法写入 {path}：请腾出空间后重试")
    if any(word in text for word in LOCKED_WORDS):
        return StoreLocked(_held_by(path.parent, content))
    if any(word in text for word in NOT_TEXT_WORDS):
        return InputError("文本含有不成对的代理字符，无法查询或保存：请检查输入的编码")
    reason = " ".join(str(error).split())[:200]
    if any(word in text for word in MEMORY_WORDS):
        return StoreUnavailable(f"内存不足，无法处理 {path}（{reason}）：请减小批量后重试")
    return StoreCorrupt(f"无法读取 {path}（{reason}）：{content.of(path.parent).restore}")


class LibraryFolders:
    """The folders below `data_dir`, each locked by this process from its first use to `close`.

    Every store has its own instance: locks of one path are shared and counted inside a process. The files of an
    `engine` are held by one instance, as Ladybug would open them twice without an error. With `shared` no engine has
    files there, and no folder is locked.
    """

    _engines: ClassVar[set[tuple[Path, str]]] = set()
    _claiming: ClassVar[threading.Lock] = threading.Lock()

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
            raise LibraryNotFound(f"没有名为 {library} 的资料库：请先用 wenmai ingest 建立，或用 wenmai libraries 查看")
        self._hold(library, folder)
        return folder

    def created(self, library: str) -> Path:
        """Return the folder of a library, made if need be, and lock it. Raises StoreLocked, StoreFull, InputError."""
        folder = self.path(library)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (NotADirectoryError, FileExistsError, PermissionError) as error:
            reason = f"无法在 {self._data_dir} 建立{self._content.of(folder).name}（{error.strerror}）"
            raise InputError(f"{reason}：请把 DATA_DIR 设为一个可写的目录") from error
        except OSError as error:
            raise store_error(error, folder, self._content) from error
        self._hold(library, folder)
        return folder

    def remove(self, library: str) -> None:
        """Remove the folder of a library, if there is one, while holding its lock. Raises StoreLocked."""
        try:
            if self.path(library).is_dir():
                shutil.rmtree(self.existing(library))
        finally:
            self.close()

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
            raise StoreLocked(f"资料库 {library} 正被另一个进程修改：请等它结束后重试") from error
        try:
            yield
        finally:
            if is_new and [path.name for path in folder.glob("*")] == [WRITING_FILE]:
                self._unmake(folder)
            lock.release()

    @staticmethod
    def _unmake(folder: Path) -> None:
        """Remove a folder that holds the lock alone; one that another process has begun to fill stays."""
        (folder / WRITING_FILE).unlink(missing_ok=True)
        with suppress(OSError):
            folder.rmdir()

    def names(self) -> list[str]:
        """Return the libraries that have a folder, sorted."""
        if not self._data_dir.is_dir():
            return []
        return sorted(p.name for p in self._data_dir.iterdir() if p.is_dir() and LIBRARY_NAME.fullmatch(p.name))

    def close(self) -> None:
        """Unlock the folders."""
        with self._guard:
            for lock in self._held.values():
                lock.release()
            self._held.clear()
            with self._claiming:
                self._engines.difference_update(self._claims)
            self._claims.clear()

    def _hold(self, library: str, folder: Path) -> None:
        with self._guard:
            if self._shared or library in self._held:
                return
            # Singletons count their holders, so passages, graph and catalog share one lock.
            lock = FileLock(folder / LOCK_FILE, timeout=0, thread_local=False, is_singleton=True)
            try:
                lock.acquire()
            except Timeout as error:
                raise StoreLocked(_held_by(folder, self._content)) from error
            except OSError as error:
                raise store_error(error, folder / LOCK_FILE, self._content) from error
            if self._engine and not self._claim(folder.resolve(), self._engine):
                lock.release()
                raise StoreLocked(_held_here(folder, self._content))
            try:
                _write_holder(folder)
                with engine_errors(folder / JOURNAL, OSError, sqlite3.Error, ValueError, TypeError):
                    finish(folder)
            except BaseException:
                self._unclaim(folder.resolve())
                lock.release()
                raise
            self._held[library] = lock

    def _claim(self, folder: Path, engine: str) -> bool:
        """Take an engine's files for this instance; return False where another instance of this process has them."""
        with self._claiming:
            free = (folder, engine) not in self._engines
            if free:
                self._engines.add((folder, engine))
                self._claims.add((folder, engine))
            return free

    def _unclaim(self, folder: Path) -> None:
        """Release an engine's files."""
        with self._claiming:
            self._engines.discard((folder, self._engine))
            self._claims.discard((folder, self._engine))


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
    holder = {"pid": os.getpid(), "command": command, "started": datetime.now(UTC).isoformat(timespec="seconds")}
    with engine_errors(folder / HOLDER_FILE, OSError):
        (folder / HOLDER_FILE).write_text(json.dumps(holder, ensure_ascii=False), encoding="utf-8")


def _held_by(folder: Path, content: Content) -> str:
    try:
        holder = json.loads((folder / HOLDER_FILE).read_text(encoding="utf-8"))
        who = f"进程 {holder['pid']}（{holder['command']}，始于 {holder['started']}）"
    except (OSError, ValueError, KeyError):
        who = "另一个进程"
    return f"{content.of(folder).name} 正被{who}使用：请等它结束，或先停止它"


def _held_here(folder: Path, content: Content) -> str:
    return f"{content.of(folder).name} 已由本进程（{os.getpid()}）的另一个 Agent 打开：请共用那一个，或先关闭它"
