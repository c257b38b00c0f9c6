"""A backup of DATA_DIR in one file: a ZIP with a manifest of every file's size and checksum.

What is on servers (Qdrant, Neo4j, PostgreSQL) is not in it. Nothing else may hold the embedded stores meanwhile.
"""

import hashlib
import os
import sqlite3
import stat
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel

from tools.errors import InputError, StoreLocked
from tools.wording import Words
from wenmai.app.running_server import FILE as SERVER_FILE
from wenmai.app.running_server import running_server
from wenmai.app.uploads import FOLDER as UPLOADS
from wenmai.stores.files.folder import HOLDER_FILE, LOCK_FILE, WRITING_FILE, LibraryFolders, engine_errors

FORMAT = 1
MANIFEST = "manifest.json"
BLOCK = 1 << 20
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


class FileRecord(BaseModel):
    """A file of the backup."""

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
    with held(data_dir):
        files = sorted(files_of(data_dir))
        if not files:
            raise InputError(NOTHING.of(data_dir=data_dir))
        return path, written(data_dir, files, path, now)


@contextmanager
def held(data_dir: Path) -> Iterator[None]:
    """Hold the lock of every folder of a store. Raises StoreLocked."""
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
    """Yield the files that a backup holds; links are none."""
    for folder, folders, names in os.walk(data_dir):
        folders[:] = [name for name in folders if name != UPLOADS]
        for name in names:
            path = Path(folder, name)
            if name not in LEFT_OUT and not name.endswith(LEFT_OUT_ENDINGS) and stat.S_ISREG(path.lstat().st_mode):
                yield path


def written(data_dir: Path, files: list[Path], path: Path, now: datetime) -> Manifest:
    """Write the archive beside its place and then there, so that no half one is left."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".wenmai-", suffix=".tmp")
    os.close(handle)
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            records = {one.relative_to(data_dir).as_posix(): added(archive, one, data_dir) for one in files}
            libraries = sorted(one.parent.name for one in files if one.name == "catalog.sqlite")
            manifest = Manifest(
                format=FORMAT, version=version("wenmai"), created_at=now, libraries=libraries, files=records
            )
            archive.writestr(MANIFEST, manifest.model_dump_json(indent=1))
        os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return manifest


def added(archive: zipfile.ZipFile, path: Path, data_dir: Path) -> FileRecord:
    """Add a file and return its record."""
    info = zipfile.ZipInfo.from_file(path, "data/" + path.relative_to(data_dir).as_posix(), strict_timestamps=False)
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
