"""What happens within a call that the caller must know, although the call succeeds (LOP-05)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tools.holding import holding

# Not handed from function to function: it happens deep inside a search whose rows are all that a tool looks at.
NOTES: ContextVar[list[str] | None] = ContextVar("wenmai_tool_notes", default=None)


def note(text: str) -> None:
    """Note something for the caller; without anyone who listens it is lost."""
    notes = NOTES.get()
    if notes is not None:
        notes.append(text)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Give a list that holds what is noted within, in every task that begins there."""
    notes: list[str] = []
    with holding(NOTES, notes):
        yield notes
