"""What a process leaves in a data folder beside its stores: a server's address while it runs, files that are read."""

import asyncio
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import Any
from uuid import uuid4

from filelock import FileLock, Timeout

from tools.errors import IngestError, InputError, StoreLocked
from tools.files import replace_file
from tools.messages import Message
from wenmai.inputs import FieldError, is_unicode

UPLOADS = ".uploads"
JOBS = ".jobs"
REMOVALS = ".removals"
PROCESS = ".pid"  # in the folder of a job: whose it is; no uploaded file has such a name
NAME_BYTES = 255  # of a file, on all usual file systems
SERVER_FILE, SERVER_LOCK = "server.json", "server.lock"
OTHERS = 0o077  # the rights of everybody but the owner
KEY = "WENMAI_API_KEY"  # the variable with the key that a server is asked with


def keep_to_owner(data_dir: Path) -> None:
    """Let its owner alone read a data folder and its files, and what this process makes from now on.

    The folder itself gets its mode last: where it has it everything below it was seen, and nobody gets in there.
    """
    os.umask(OTHERS)
    if data_dir.is_dir() and not data_dir.stat().st_mode & OTHERS:
        return
    for path in (*data_dir.rglob("*"), data_dir):
        try:
            mode = path.lstat().st_mode
            if mode & OTHERS and not stat.S_ISLNK(mode):
                path.chmod(stat.S_IMODE(mode) & ~OTHERS)
        except OSError:  # it is gone, or another's
            continue


@contextmanager
def only_server(data_dir: Path) -> Iterator[None]:
    """Be the only server on a data folder as long as the block runs, also while it starts. Raises StoreLocked."""
    data_dir.mkdir(parents=True, exist_ok=True)
    lock = FileLock(data_dir / SERVER_LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        url = running_server(data_dir) or Message("store.other_process")
        raise StoreLocked(Message("server.data_dir_in_use", url=url, folder=data_dir)) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def announce_address(data_dir: Path, url: str) -> Iterator[None]:
    """Leave an address in a data folder as long as the block runs; that of another server that runs stays."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path, own = data_dir / SERVER_FILE, json.dumps({"url": url, "pid": os.getpid()})
    is_other = running_server(data_dir) is not None and left_in(data_dir)["pid"] != os.getpid()
    if not is_other:
        replace_file(path, own)
    try:
        yield
    finally:
        if not is_other and path.is_file() and path.read_text(encoding="utf-8") == own:
            path.unlink()


def running_server(data_dir: Path) -> str | None:
    """Return the address of the server that runs on a data folder; a file that a killed one left counts for nothing."""
    try:
        left = left_in(data_dir)
        os.kill(int(left["pid"]), 0)
        return str(left["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def left_in(data_dir: Path) -> dict[str, Any]:
    """Return what a server has left in a data folder. Raises OSError, ValueError."""
    left: dict[str, Any] = json.loads((data_dir / SERVER_FILE).read_text(encoding="utf-8"))
    return left


def upload_name(given: str, field: str = "file") -> str:
    """Return the name of a file without its folders. Raises FieldError for one that no file can have here."""
    name = PurePosixPath(given.replace("\\", "/")).name
    is_usable = name and not name.startswith(".") and "\0" not in name and is_unicode(name)
    if not is_usable or len(os.fsencode(name)) > NAME_BYTES:
        raise FieldError(field, Message("file.bad_name", name=given[:80]))
    return name


def upload_folder(data_dir: Path) -> Path:
    """Return a new folder of this process below a data folder, which its maker deletes."""
    above = data_dir / UPLOADS
    above.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=above, prefix=f"{os.getpid()}-"))


def job_folder(data_dir: Path) -> Path:
    """Return a new folder of this process for the files of an ingest, which stays until that is done."""
    folder = data_dir / JOBS / str(uuid4())
    folder.mkdir(parents=True)
    (folder / PROCESS).write_text(str(os.getpid()))
    return folder


def left_job_folders(data_dir: Path) -> list[Path]:
    """Take over the folders of ingests whose process ended before they were done; return them, the oldest first."""
    left: list[tuple[float, Path]] = []
    for process in (data_dir / JOBS).glob(f"*/{PROCESS}"):
        with suppress(OSError):  # another process has just removed it
            if not is_of_another(process.read_text()):
                left.append((process.stat().st_mtime, process.parent))
                process.write_text(str(os.getpid()))
    return [folder for _, folder in sorted(left)]


@asynccontextmanager
async def noted_removal(data_dir: Path, user: str) -> AsyncIterator[None]:
    """Keep a note of a user who is removed until the block has ended well; a full disk may take none."""
    path = data_dir / REMOVALS / hashlib.sha256(user.encode()).hexdigest()

    def note() -> None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            replace_file(path, user)

    await asyncio.to_thread(note)
    yield
    await asyncio.to_thread(path.unlink, missing_ok=True)


def unfinished_removals(data_dir: Path) -> list[str]:
    """Return the users whose removal has begun and not ended."""
    users: list[str] = []
    for path in (data_dir / REMOVALS).glob("*"):
        with suppress(FileNotFoundError):  # the removal has just ended
            if len(path.name) == 64:
                users.append(path.read_text(encoding="utf-8"))
    return users


@contextmanager
def unnamed(folder: Path) -> Iterator[None]:
    """Take a folder that nobody knows out of the errors of its files."""
    try:
        yield
    except (IngestError, InputError) as error:
        if type(error) not in (IngestError, InputError):
            raise
        raise type(error)(str(error).replace(f"{folder}/", "")) from error


def clear_uploads(data_dir: Path) -> None:
    """Delete what servers that were killed have left; to be called before this process takes files."""
    for folder in (data_dir / UPLOADS).glob("*-*"):
        if not is_of_another(folder.name.partition("-")[0]):
            shutil.rmtree(folder, ignore_errors=True)


def is_of_another(pid: str) -> bool:
    """Return True if a process with this id runs that is not this one, whose id may have come again."""
    if not pid.isdecimal() or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except OSError as error:
        return isinstance(error, PermissionError)
    return True
