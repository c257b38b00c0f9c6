"""Where a process keeps the files that are sent to it while it reads them, and under which names."""

import os
import shutil
import tempfile
from pathlib import Path, PurePosixPath

from tools.messages import Message
from wenmai.inputs import FieldError, is_unicode

FOLDER = ".uploads"
NAME_BYTES = 255  # of a file, on all usual file systems


def upload_name(given: str, field: str = "file") -> str:
    """Return the name of a file without its folders. Raises FieldError for one that no file can have here."""
    name = PurePosixPath(given.replace("\\", "/")).name
    is_usable = name and not name.startswith(".") and "\0" not in name and is_unicode(name)
    if not is_usable or len(os.fsencode(name)) > NAME_BYTES:
        raise FieldError(field, Message("file.bad_name", name=given[:80]))
    return name


def upload_folder(data_dir: Path) -> Path:
    """Return a new folder of this process below a data folder, which its maker deletes."""
    above = data_dir / FOLDER
    above.mkdir(parents=True, exist_ok=True)
    return Path(tempfile.mkdtemp(dir=above, prefix=f"{os.getpid()}-"))


def clear_uploads(data_dir: Path) -> None:
    """Delete what servers that were killed have left; to be called before this process takes files."""
    for folder in (data_dir / FOLDER).glob("*-*"):
        if not is_of_another(folder.name.partition("-")[0]):
            shutil.rmtree(folder, ignore_errors=True)


def is_of_another(pid: str) -> bool:
    """Return True if a process with this id runs that is not this one, whose id may have come again."""
    if not pid.isdecimal() or int(pid) == os.getpid():
        return False
    try:
        os.kill(int(pid), 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True
