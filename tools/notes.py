"""Warnings from within a call that succeeds."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tools.holding import holding

# A context variable, because the warnings come from deep inside a search that returns rows alone.
NOTES: ContextVar[list[str] | None] = ContextVar("wenmai_tool_notes", default=None)


def note(text: str) -> None:
    """Add a warning for the caller; outside of `noting` it is dropped."""
    notes = NOTES.get()
    if notes is not None:
        notes.append(text)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Yield a list of the warnings from within the block and every task that starts there."""
    notes: list[str] = []
    with holding(NOTES, notes):
        yield notes
