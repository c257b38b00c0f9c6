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


class ReadAnswer(Protocol):
    """What a reader found in a passage: the span that answers, and log odds."""

    @property
    def span(self) -> Span:
        """Half-open character offsets of the answer."""
        ...

    @property
    def margin(self) -> float:
        """Log odds of the span against "no answer here"."""
        ...

    @property
    def answerable(self) -> float:
        """Log odds that the passage answers at all."""
        ...

    def sentence(self, span: Span) -> float:
        """Return the log odds that a sentence answers."""
        ...


class AnswerReader(Protocol):
    """Points at answers in passages."""

    def answers(self, question: str, passage: str) -> Sequence[ReadAnswer]:
        """Return the best answer of each window of a passage; [] for an empty one."""
        ...


def no_reader() -> None:
    """Return no reader: sentences are picked by their words."""
