"""What was read of a passage for a question is read once: the draft and its verdict ask for the same."""

from collections.abc import Callable, Sequence
from functools import lru_cache

from nodes.roles import AnswerReader, ReadAnswer

KEPT = 128
"""Passages: those of a few questions that may be under way at once."""


class AnswerCache:
    """The reader of a process, opened at its first use, with its last answers."""

    def __init__(self, open_reader: Callable[[], AnswerReader | None]) -> None:
        self._open = open_reader
        self._answers = lru_cache(maxsize=KEPT)(self._read)

    def __call__(self) -> AnswerReader | None:
        """Return the reader, None where it is missing."""
        return None if self._open() is None else self

    def answers(self, question: str, passage: str) -> Sequence[ReadAnswer]:
        """Return the best answer of each window of a passage."""
        return self._answers(question, passage)

    def _read(self, question: str, passage: str) -> Sequence[ReadAnswer]:
        reader = self._open()
        return reader.answers(question, passage) if reader else ()
