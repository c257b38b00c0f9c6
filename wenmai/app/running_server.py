"""The server that holds a data folder's embedded stores: it leaves its address there while it runs."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FILE = "server.json"
KEY = "WENMAI_API_KEY"  # the variable with the key that a server is asked with


@contextmanager
def announced(data_dir: Path, url: str) -> Iterator[None]:
    """Leave an address in a data folder as long as the block runs; that of another server that runs stays."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path, own = data_dir / FILE, json.dumps({"url": url, "pid": os.getpid()})
    is_other = running_server(data_dir) is not None and left_in(data_dir)["pid"] != os.getpid()
    if not is_other:
        path.write_text(own, encoding="utf-8")
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
    left: dict[str, Any] = json.loads((data_dir / FILE).read_text(encoding="utf-8"))
    return left
