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
from tools.messages import Message
from wenmai.app.data_dir import JOBS, SERVER_FILE, UPLOADS, running_server
from wenmai.checkpoints import CHECKPOINTS_FILE, spoilt_error
from wenmai.settings.model_file import MODEL_FILE
from wenmai.stores.catalog.model_cache import ANSWERS_FILE
from wenmai.stores.files.folder import (
    HOLDER_FILE,
    LIBRARY,
    LOCK_FILE,
    WRITING_FILE,
    Content,
    LibraryFolders,
    store_error,
)
from wenmai.stores.files.moving import CATALOG_FILE
from wenmai.stores.files.sqlite import CHECK, require_sound

FORMAT = 1
MANIFEST = "manifest.json"
MANIFEST_BYTES = 64 << 20
DATA = "data/"
BLOCK = 1 << 20
PAGE = 4_096  # of the usual file systems: a smaller hole is none
FREE_BYTES = 64 << 20
# Who holds what now, the key of a model service, and what SQLite keeps beside a file until it is closed, whose content
# is read through SQLite.
LEFT_OUT = frozenset({LOCK_FILE, HOLDER_FILE, WRITING_FILE, SERVER_FILE, MODEL_FILE})
LEFT_OUT_ENDINGS = (".lock", ".sqlite-wal", ".sqlite-shm", ".sqlite-journal", ".tmp")
SQLITE = ".sqlite"
OF_LIBRARY = frozenset({CATALOG_FILE, ANSWERS_FILE})
OTHER = Content(name=Message("store.data_file"), restore=Message("store.restore_file"))


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
        StoreCorrupt: an SQLite file is spoilt; nothing is written.
    """
    now = datetime.now(UTC)
    path = target / f"wenmai-{now:%Y%m%d-%H%M%S}.zip" if target.is_dir() else target
    if path.exists():
        raise InputError(Message("backup.target_exists", target=path))
    if path.resolve().is_relative_to(data_dir.resolve()):
        raise InputError(Message("backup.target_in_data_dir"))
    if (url := running_server(data_dir)) is not None:
        raise StoreLocked(Message("backup.server_running", url=url))
    with locked_stores(data_dir):
        files = sorted(files_of(data_dir))
        if not files:
            raise InputError(Message("backup.nothing_to_back_up", data_dir=data_dir))
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
                raise StoreLocked(Message("backup.folder_in_use", folder=folder)) from error
        yield


def files_of(data_dir: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(data_dir):
        folders[:] = [name for name in folders if name not in (UPLOADS, JOBS)]
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
        try:
            with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
                require_sound(target.execute(CHECK).fetchone())
        except sqlite3.Error as error:
            raise copy_error(error, path) from error
        yield copy


def copy_error(error: sqlite3.Error, path: Path) -> Exception:
    """Return why an SQLite file cannot be kept as it is, and what to do with it."""
    if path.name == CHECKPOINTS_FILE and type(error) is sqlite3.DatabaseError:
        return spoilt_error(path)
    return store_error(error, path, LIBRARY if path.name in OF_LIBRARY else OTHER)


def restore(path: Path, data_dir: Path) -> Manifest:
    """Put a backup into an empty DATA_DIR, whole or not at all, and return its manifest.

    Raises:
        InputError: DATA_DIR is not empty, or the file is no backup, damaged, unsafe, or of another format.
        StoreFull: the disk has no room.
    """
    if data_dir.exists() and (not data_dir.is_dir() or any(data_dir.iterdir())):
        raise InputError(Message("backup.data_dir_not_empty", data_dir=data_dir))
    try:
        with zipfile.ZipFile(path) as archive:
            manifest = manifest_of(archive, path)
            check_names(archive, manifest, path)
            put_into(archive, manifest, path, data_dir)
            return manifest
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:  # of the outer form
        raise InputError(Message("backup.not_a_backup", path=path, reason=error)) from error


def manifest_of(archive: zipfile.ZipFile, path: Path) -> Manifest:
    try:
        info = archive.getinfo(MANIFEST)
        with archive.open(info) as entry:
            manifest = Manifest.model_validate_json(entry.read(MANIFEST_BYTES))
    except (KeyError, ValidationError) as error:
        raise InputError(
            Message("backup.not_a_backup", path=path, reason=Message("backup.no_readable_list"))
        ) from error
    if manifest.format != FORMAT:
        known = {"found": manifest.format, "version": manifest.version, "known": FORMAT}
        raise InputError(Message("backup.other_format", path=path, **known))
    return manifest


def check_names(archive: zipfile.ZipFile, manifest: Manifest, path: Path) -> None:
    """Refuse paths that lead out of a folder, and archives that hold other files than they list. Raises InputError."""
    for name in manifest.files:
        if not is_safe(name):
            raise InputError(Message("backup.unsafe_path", path=path, name=name))
    held = sorted(name for name in archive.namelist() if name != MANIFEST)
    listed = sorted(DATA + name for name in manifest.files)
    if held != listed:
        odd = next(iter(set(held) ^ set(listed)), held[0])
        raise InputError(Message("backup.damaged", path=path, name=odd))


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
        raise StoreFull(Message("backup.no_space", needed=needed >> 20))
    folder = Path(tempfile.mkdtemp(dir=data_dir.parent, prefix=".wenmai-restore-"))
    try:
        for name, record in manifest.files.items():
            info = archive.getinfo(DATA + name)
            try:
                extract(archive, info, folder / name, record, path)
            except (zipfile.BadZipFile, zlib.error, EOFError) as error:
                raise InputError(Message("backup.damaged", path=path, name=name)) from error
            (folder / name).chmod(0o600)
        if data_dir.exists():
            data_dir.rmdir()  # it is empty
        os.replace(folder, data_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: Path, record: FileRecord, path: Path) -> None:
    """Write one file and compare it with its record; pages of zeros take no room. Raises InputError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    size, digest = 0, hashlib.sha256()
    with archive.open(info) as entry, target.open("xb") as file:
        while size <= record.size and (block := entry.read(BLOCK)):
            size += len(block)
            digest.update(block)
            for page in (block[at : at + PAGE] for at in range(0, len(block), PAGE)):
                if page.count(0) == len(page):
                    file.seek(len(page), os.SEEK_CUR)
                else:
                    file.write(page)
        file.truncate(size)
    if (size, digest.hexdigest()) != (record.size, record.sha256):
        raise InputError(Message("backup.damaged", path=path, name=info.filename))
