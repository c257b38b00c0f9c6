"""A pytest plugin: temporary folders lie in memory where there is room.

The stores sync every write, which costs milliseconds on a disk and nothing here.
"""

import os
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

MEMORY = Path("/dev/shm")
ROOT = "PYTEST_DEBUG_TEMPROOT"  # pytest's own variable
NEEDED = 8 * 2**30  # a run takes up to 4 GB while it goes on


def has_room(folder: Path) -> bool:
    """Return True if a folder can take what a run writes; that of a container often has 64 MB."""
    return folder.is_dir() and os.access(folder, os.W_OK) and shutil.disk_usage(folder).free >= NEEDED


def copied(source: Path, target: Path) -> Path:
    """Copy a folder, links as links; the holes of its files, hundreds of megabytes in a library, take no room."""
    target.mkdir(exist_ok=True)
    subprocess.run(["cp", "-a", "--sparse=always", f"{source}/.", str(target)], check=True)
    return target


@contextmanager
def own_disk(place: Path, size: str) -> Iterator[Path]:
    """Mount a disk of its own, such as `64k`, in a new folder, and yield that; skip the test where none can be."""
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    done = subprocess.run(mount, capture_output=True, check=False)
    try:
        if done.returncode:
            pytest.skip(f"no disk can be mounted here: {done.stderr.decode().strip()}")
        yield place
    finally:
        if not done.returncode:
            subprocess.run(["umount", "-l", place], check=True)


def unpack(archive: Path, target: Path) -> None:
    """Unpack an archive of files and folders alone; Python 3.11.3 and older know no filter."""
    with tarfile.open(archive) as packed:
        packed.extraction_filter = getattr(tarfile, "data_filter", None)
        packed.extractall(target)


@pytest.hookimpl(tryfirst=True)
def pytest_configure() -> None:
    if ROOT not in os.environ and has_room(MEMORY):
        os.environ[ROOT] = str(MEMORY)
