"""Time and new keys: the one clock of a process."""

from datetime import UTC, datetime
from uuid import uuid4


def now() -> datetime:
    return datetime.now(UTC)


def new_id() -> str:
    return str(uuid4())
