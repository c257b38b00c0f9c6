"""What the mind needs of a reader."""

from collections.abc import Sequence
from typing import Protocol

from wenmai.language.spans import Span
from wenmai.reader.inputs import Turn
from wenmai.reader.reader import Need


class ReferenceReader(Protocol):
    """Finds what refers to a talk, and to what."""

    def need(self, question: str, talk: Sequence[Turn]) -> Need:
        """Return what a question needs of the talk before it."""
        ...

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]:
        """Return what words of a question can stand for, the likeliest first."""
        ...


def no_reader() -> None:
    """Return no reader: sentences are picked by their words."""
