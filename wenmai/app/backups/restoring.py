"""A backup back into an empty DATA_DIR: checked file by file before anything is there."""

import hashlib
import os
import shutil
import tempfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from pydantic import ValidationError

from tools.errors import InputError, StoreFull
from tools.wording import Words
from wenmai.app.backups.backup import BLOCK, FORMAT, MANIFEST, FileRecord, Manifest

NO_LIST = Words("没有可读的清单", "it has no readable list")
DATA = "data/"
MANIFEST_BYTES = 64 << 20
FREE_BYTES = 64 << 20
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
    """Return the manifest. Raises InputError."""
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
