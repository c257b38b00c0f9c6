"""Time and new keys: the one clock of a process."""

from datetime import UTC, datetime
from uuid import uuid4


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def new_key() -> str:
    """Return a new random key for a memory or a document."""
    return str(uuid4())
