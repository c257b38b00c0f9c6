"""Where a server keeps the files that are sent to it while it reads them."""

import os
import shutil
import tempfile
from pathlib import Path

FOLDER = ".uploads"


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
