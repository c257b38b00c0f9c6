"""A backup of DATA_DIR in one file, and back: a ZIP with a manifest of every file's size and checksum.

What is on servers (Qdrant, Neo4j, PostgreSQL) is not in it. Nothing else may hold the embedded stores meanwhile.
"""

import hashlib
import os
import shutil
import sqlite3
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path, PurePosixPath

from filelock import FileLock, Timeout
from pydantic import BaseModel, ValidationError

from tools.errors import InputError, StoreFull, StoreLocked
from tools.wording import Words
from wenmai.app.data_dir import SERVER_FILE, UPLOADS, running_server
from wenmai.stores.files.folder import HOLDER_FILE, LOCK_FILE, WRITING_FILE, LibraryFolders, engine_errors

FORMAT = 1
MANIFEST = "manifest.json"
MANIFEST_BYTES = 64 << 20
DATA = "data/"
BLOCK = 1 << 20
FREE_BYTES = 64 << 20
# Who holds what now, and what SQLite keeps beside a file until it is closed, whose content is read through SQLite.
LEFT_OUT = frozenset({LOCK_FILE, HOLDER_FILE, WRITING_FILE, SERVER_FILE})
LEFT_OUT_ENDINGS = (".lock", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".tmp")
SQLITE = ".sqlite"
NOTHING = Words("DATA_DIR（{data_dir}）里没有可备份的内容", "DATA_DIR ({data_dir}) has nothing to back up")
SERVED = Words(
    "服务器 {url} 正在使用 DATA_DIR：请先停止它再备份（嵌入式引擎的文件不能在使用中复制）",
    "the server {url} uses DATA_DIR: stop it before (files of embedded engines cannot be copied in use)",
)
HELD = Words(
    "{folder} 正被使用：请等使用它的进程结束后再备份",
    "{folder} is in use: back up when the process that uses it has ended",
)
EXISTS = Words("{target} 已经存在：请换一个文件名", "{target} is there already: take another file name")
INSIDE = Words("备份不能放在 DATA_DIR 里：请换一个位置", "a backup cannot stand in DATA_DIR: take another place")

NO_LIST = Words("没有可读的清单", "it has no readable list")
NOT_EMPTY = Words(
    "DATA_DIR（{data_dir}）不是空的：恢复只写入空的文件夹，请换一个 DATA_DIR，或先移走其中的内容",
    "DATA_DIR ({data_dir}) is not empty, and only an empty folder is restored into: take another DATA_DIR, "
    "or move what it holds away",
)
NO_BACKUP = Words("{path} 不是 wenmai 的备份：{reason}", "{path} is no backup of wenmai: {reason}")
OTHER_FORMAT = Words(
    "备份 {path} 的格式是 {found}（由 wenmai {version} 写成），这个版本只读格式 {known}：请用写它的版本恢复",
    "backup {path} has format {found} (written by wenmai {version}), this version reads format {known} "
    "alone: restore it by the version that wrote it",
)
DAMAGED = Words(
    "备份 {path} 已损坏：{name} 与清单不符，没有恢复任何内容",
    "backup {path} is damaged: {name} is not as its list says; nothing was restored",
)
UNSAFE = Words(
    "备份 {path} 里的路径 {name!r} 不安全，没有恢复任何内容",
    "the path {name!r} in backup {path} is not safe; nothing was restored",
)
NO_SPACE = Words("磁盘空间不足：恢复需要 {needed} MB", "the disk is too full: restoring needs {needed} MB")


class FileRecord(BaseModel):
    size: int
    sha256: str


class Manifest(BaseModel):
    """What a backup holds; `files` by their paths below DATA_DIR."""

    format: int
    version: str
    created_at: datetime
    libraries: list[str]
    files: dict[str, FileRecord]


def back_up(data_dir: Path, target: Path) -> tuple[Path, Manifest]:
    """Write a backup to a file, or below a folder that exists, and return where it is.

    Raises:
        InputError: there is nothing, or the target is taken or in DATA_DIR.
        StoreLocked: a process holds the stores.
    """
    now = datetime.now(UTC)
    path = target / f"wenmai-{now:%Y%m%d-%H%M%S}.zip" if target.is_dir() else target
    if path.exists():
        raise InputError(EXISTS.of(target=path))
    if path.resolve().is_relative_to(data_dir.resolve()):
        raise InputError(INSIDE)
    if (url := running_server(data_dir)) is not None:
        raise StoreLocked(SERVED.of(url=url))
    with locked_stores(data_dir):
        files = sorted(files_of(data_dir))
        if not files:
            raise InputError(NOTHING.of(data_dir=data_dir))
        return path, write_archive(data_dir, files, path, now)


@contextmanager
def locked_stores(data_dir: Path) -> Iterator[None]:
    folders = {lock.parent for lock in data_dir.rglob(LOCK_FILE)}
    folders |= {data_dir / name for name in LibraryFolders(data_dir).names()}
    with ExitStack() as stack:
        for folder in sorted(folders):
            try:
                stack.enter_context(FileLock(folder / LOCK_FILE, timeout=0))
            except Timeout as error:
                raise StoreLocked(HELD.of(folder=folder)) from error
        yield


def files_of(data_dir: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(data_dir):
        folders[:] = [name for name in folders if name != UPLOADS]
        for name in names:
            path = Path(folder, name)
            if name not in LEFT_OUT and not name.endswith(LEFT_OUT_ENDINGS) and stat.S_ISREG(path.lstat().st_mode):
                yield path


def write_archive(data_dir: Path, files: list[Path], path: Path, now: datetime) -> Manifest:
    """Write the archive beside its place and then there, so that no half one is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".wenmai-", suffix=".tmp")
    os.close(handle)
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            records = {one.relative_to(data_dir).as_posix(): add_file(archive, one, data_dir) for one in files}
            libraries = sorted(one.parent.name for one in files if one.name == "catalog.sqlite")
            manifest = Manifest(
                format=FORMAT, version=version("wenmai"), created_at=now, libraries=libraries, files=records
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return manifest


def add_file(archive: zipfile.ZipFile, path: Path, data_dir: Path) -> FileRecord:
    info = zipfile.ZipInfo.from_file(path, DATA + path.relative_to(data_dir).as_posix(), strict_timestamps=False)
    info.compress_type = zipfile.ZIP_DEFLATED
    size, digest = 0, hashlib.sha256()
    with readable(path) as source, source.open("rb") as content, archive.open(info, "w", force_zip64=True) as entry:
        while block := content.read(BLOCK):
            size += len(block)
            digest.update(block)
            entry.write(block)
    return FileRecord(size=size, sha256=digest.hexdigest())


@contextmanager
def readable(path: Path) -> Iterator[Path]:
    """Give a file that nobody changes: of an SQLite file a copy by SQLite, which another process may be writing."""
    if not path.name.endswith(SQLITE):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        with (
            engine_errors(path, sqlite3.Error),
            closing(sqlite3.connect(path)) as source,
            closing(sqlite3.connect(copy)) as target,
        ):
            source.backup(target)
        yield copy


def restore(path: Path, data_dir: Path) -> Manifest:
    """Put a backup into an empty DATA_DIR, whole or not at all, and return its manifest.

    Raises:
        InputError: DATA_DIR is not empty, or the file is no backup, damaged, unsafe, or of another format.
        StoreFull: the disk has no room.
    """
    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise InputError(NOT_EMPTY.of(data_dir=data_dir))
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = manifest_of(archive, path)
            check_names(archive, manifest, path)
            put_into(archive, manifest, path, data_dir)
            return manifest
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:  # of the outer form
        raise InputError(NO_BACKUP.of(path=path, reason=error)) from error


def manifest_of(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        with archive.open(info) as entry:
            manifest = Manifest.model_validate_json(entry.read(MANIFEST_BYTES))
    except (KeyError, ValidationError) as error:
        raise InputError(NO_BACKUP.of(path=path, reason=NO_LIST)) from error
    if manifest.format != FORMAT:
        known = {"found": manifest.format, "version": manifest.version, "known": FORMAT}
        raise InputError(OTHER_FORMAT.of(path=path, **known))
    return manifest


def check_names(archive: zipfile.ZipFile, manifest: Manifest, path: Path) -> None:
    """Refuse paths that lead out of a folder, and archives that hold other files than they list. Raises InputError."""
    for name in manifest.files:
        if not is_safe(name):
            raise InputError(UNSAFE.of(path=path, name=name))
    held = sorted(name for name in archive.namelist() if name != MANIFEST)
    listed = sorted(DATA + name for name in manifest.files)
    if held != listed:
        odd = next(iter(set(held) ^ set(listed)), held[0])
        raise InputError(DAMAGED.of(path=path, name=odd))


def is_safe(name: str) -> bool:
    """Return True if a name is a path below a folder, on every system."""
    parts = name.split("/")
    odd = any(one in ("", ".", "..") or "\\" in one or ":" in one or "\0" in one for one in parts)
    return not odd and not PurePosixPath(name).is_absolute()


def put_into(archive: zipfile.ZipFile, manifest: Manifest, path: Path, data_dir: Path) -> None:
    """Write the files beside DATA_DIR, then give them its name. Raises InputError, StoreFull."""
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    needed = sum(one.compress_size for one in archive.infolist()) + FREE_BYTES
    if shutil.disk_usage(data_dir.parent).free < needed:
        raise StoreFull(NO_SPACE.of(needed=needed >> 20))
    folder = Path(tempfile.mkdtemp(dir=data_dir.parent, prefix=".wenmai-restore-"))
    try:
        for name, record in manifest.files.items():
            info = archive.getinfo(DATA + name)
            try:
                extract(archive, info, folder / name, record, path)
            except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                raise InputError(DAMAGED.of(path=path, name=name)) from error
            (folder / name).chmod((info.external_attr >> 16) & 0o777 or 0o600)
        if data_dir.exists():
            data_dir.rmdir()  # it is empty
        os.replace(folder, data_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, record: FileRecord, path: Path) -> None:
    """Write one file and compare it with its record; blocks of zeros take no room. Raises InputError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size, digest, zeros = 0, hashlib.sha256(), bytes(BLOCK)
    with archive.open(info) as entry, target.open("xb") as file:
        while size <= record.size and (block := entry.read(BLOCK)):
            size += len(block)
            digest.update(block)
            if block == zeros:
                file.seek(len(block), os.SEEK_CUR)
            else:
                file.write(block)
        file.truncate(size)
    if (size, digest.hexdigest()) != (record.size, record.sha256):
        raise InputError(DAMAGED.of(path=path, name=info.filename))
