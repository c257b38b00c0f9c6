"""The folders of local networks, one each, whose content is replaced as a whole.

`.knowledge/<id>/<revision>/` holds the files of one content, and `current` names the revision that is read. A new one
is built beside it and becomes current by one rename, so that a killed import leaves nothing half visible.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from tools.errors import KnowledgeRefused, StoreLocked
from tools.wording import Words
from wenmai.knowledge.content import ID, NetworkSpec, check_id
from wenmai.stores.files.folder import engine_errors, require_space

NO_NETWORK = Words(
    "没有名为 {id} 的知识网络：请先用 wenmai knowledge import 导入，或用 wenmai knowledge list 查看",
    "there is no network {id}: import it by wenmai knowledge import, or look at wenmai knowledge list",
)
BUSY = Words(
    "知识网络 {id} 正被另一个进程导入或删除：请等它结束后重试",
    "network {id} is being imported or deleted by another process: try again when that is done",
)
NETWORKS = ".knowledge"  # no name that a library may have
CURRENT = "current"
NETWORK_FILE = "network.json"
BUILDING = ".building"
LOCK_FILE = ".lock"
LAYOUT = 3  # of the files of a revision; those of layout 2 are rewritten at their first opening


@dataclass(frozen=True, slots=True)
class NetworkFolder:
    """The description of a stored network, which is read without opening its files."""

    spec: NetworkSpec
    revision: str
    counts: dict[str, int]
    folder: Path


def in_layout(revision: str) -> str:
    """Return the name of a revision in files of today's layout."""
    return f"{revision}-{LAYOUT}"


class KnowledgeFolders:
    """The folders of the networks below `data_dir`."""

    def __init__(self, data_dir: Path) -> None:
        self._root = data_dir.absolute() / NETWORKS

    def ids(self) -> list[str]:
        """Return the networks that there are, sorted."""
        if not self._root.is_dir():
            return []
        return sorted(p.name for p in self._root.iterdir() if ID.fullmatch(p.name) and (p / CURRENT).is_file())

    def has(self, network_id: str) -> bool:
        """Return True if there is a network of this id."""
        return ID.fullmatch(network_id) is not None and (self._root / network_id / CURRENT).is_file()

    def revision(self, network_id: str) -> str:
        """Return the revision that is current. Raises KnowledgeRefused (404)."""
        if not self.has(network_id):
            raise unknown(network_id)
        with engine_errors(self._root / network_id / CURRENT, OSError):
            return (self._root / network_id / CURRENT).read_text(encoding="ascii").strip()

    def stamp(self, network_id: str) -> tuple[int, int]:
        """Return a value that changes with each import, without reading a file. Raises KnowledgeRefused (404)."""
        if not ID.fullmatch(network_id):
            raise unknown(network_id)
        try:
            known = os.stat(f"{self._root}/{network_id}/{CURRENT}")  # before every call: a Path costs as much again
        except OSError as error:
            raise unknown(network_id) from error
        return known.st_ino, known.st_mtime_ns

    def described(self, network_id: str) -> NetworkFolder:
        """Return the description of a network. Raises KnowledgeRefused (404), StoreCorrupt."""
        folder = self._root / network_id / self.revision(network_id)
        with engine_errors(folder, OSError, ValueError, KeyError):
            data = json.loads((folder / NETWORK_FILE).read_text(encoding="utf-8"))
            return NetworkFolder(NetworkSpec.model_validate(data["spec"]), folder.name, data["counts"], folder)

    @contextmanager
    def changing(self, network_id: str, wait_s: float = 0.0) -> Iterator[Path]:
        """Give an empty folder to build in, and lock the network. Raises StoreLocked after `wait_s`, StoreFull."""
        home = self._root / check_id(network_id)
        with engine_errors(home, OSError):
            home.mkdir(parents=True, exist_ok=True)
            with locked(home, wait_s):
                require_space(home)
                shutil.rmtree(home / BUILDING, ignore_errors=True)
                (home / BUILDING).mkdir()
                try:
                    yield home / BUILDING
                finally:
                    shutil.rmtree(home / BUILDING, ignore_errors=True)

    def publish(self, network_id: str, revision: str, spec: NetworkSpec, counts: dict[str, int]) -> None:
        """Make what was built current and remove what was. Call it inside `changing`."""
        home = self._root / network_id
        description: dict[str, Any] = {"spec": spec.model_dump(), "counts": counts}
        durable(home / BUILDING / NETWORK_FILE, json.dumps(description, ensure_ascii=False))
        shutil.rmtree(home / revision, ignore_errors=True)
        (home / BUILDING).rename(home / revision)
        durable(home / f"{CURRENT}.new", revision)
        os.replace(home / f"{CURRENT}.new", home / CURRENT)
        for old in home.iterdir():
            if old.is_dir() and old.name != revision:
                shutil.rmtree(old, ignore_errors=True)

    def remove(self, network_id: str) -> None:
        """Remove a network. Raises KnowledgeRefused (404), StoreLocked."""
        self.revision(network_id)
        home = self._root / network_id
        with engine_errors(home, OSError), locked(home):
            (home / CURRENT).unlink()  # from here on there is no such network
            shutil.rmtree(home)


@contextmanager
def locked(home: Path, wait_s: float = 0.0) -> Iterator[None]:
    """Lock a network against other imports and deletions. Raises StoreLocked."""
    try:
        with FileLock(home / LOCK_FILE, timeout=wait_s, thread_local=False):
            yield
    except Timeout as error:
        raise StoreLocked(BUSY.of(id=home.name)) from error


def unknown(network_id: str) -> KnowledgeRefused:
    """Return the error of a network that is not there."""
    return KnowledgeRefused(NO_NETWORK.of(id=network_id[:80]), 404)


def durable(path: Path, text: str) -> None:
    """Write a file that is whole on the disk when this returns."""
    with path.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
