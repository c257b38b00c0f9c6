"""The server that holds a data folder's embedded stores: it leaves its address there while it runs."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FILE = "server.json"


@contextmanager
def announced(data_dir: Path, url: str) -> Iterator[None]:
    """Leave an address in a data folder as long as the block runs."""
    data_dir.mkdir(parents=True, exist_ok=True)
    path = data_dir / FILE
    path.write_text(json.dumps({"url": url, "pid": os.getpid()}), encoding="utf-8")
    try:
        yield
    finally:
        path.unlink(missing_ok=True)


def running_server(data_dir: Path) -> str | None:
    """Return the address of the server that runs on a data folder; a file that a killed one left counts for nothing."""
    try:
        left = json.loads((data_dir / FILE).read_text(encoding="utf-8"))
        os.kill(int(left["pid"]), 0)
        return str(left["url"])
    except (OSError, ValueError, KeyError, TypeError):
        return None
