"""Checkpointers of threads: SQLite and PostgreSQL, both pruned."""

from pathlib import Path

from tools.errors import StoreCorrupt
from tools.messages import Message

CHECKPOINTS_FILE = "checkpoints.sqlite"  # in DATA_DIR
BUSY_MS = 10_000  # how long a process waits for another one that writes


def spoilt_error(path: Path) -> StoreCorrupt:
    return StoreCorrupt(Message("conversation.file_spoilt", path=path))
