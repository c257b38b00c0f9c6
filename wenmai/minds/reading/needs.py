"""What the mind needs of a reader."""

from typing import Protocol

from wenmai.language.spans import Span


def no_reader() -> None:
    """Return no reader: sentences are picked by their words."""
