"""Texts in Chinese and English, chosen by the language of the question."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from tools.holding import holding

if TYPE_CHECKING:  # the command line says its first words before it loads anything heavy
    from state.context import Language

# A context variable, because messages come from deep inside conversions that have no run.
SPOKEN: "ContextVar[Language]" = ContextVar("wenmai_tool_language", default="zh")


class Words(NamedTuple):
    """A text in both languages, with the same places for values."""

    zh: str
    en: str

    def __str__(self) -> str:
        """Return a text without places in the language of the reader."""
        return self.say()

    def say(self, **values: object) -> str:
        """Return the text in the language of the question."""
        return (self.en if SPOKEN.get() == "en" else self.zh).format(**values)

    def of(self, **values: object) -> "Message":
        """Return the text as the message of an error, which is raised where nobody knows its reader's language."""
        return Message(self, values)


@dataclass(frozen=True, slots=True)
class Message:
    """A text with its values, in the language of who reads it: `str` puts it into words."""

    words: Words
    values: Mapping[str, object]

    def __str__(self) -> str:
        """Return the text in the language of the reader."""
        return self.words.say(**self.values)


class Names(tuple[object, ...]):
    """Names with the sign between them that the reader's language has."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the names in one line."""
        return SEPARATOR.say().join(map(str, self))


SEPARATOR = Words("、", ", ")
Text = str | Words | Message
"""What an error is given as its message."""


def speaking(language: "Language") -> AbstractContextManager[None]:
    """Set the language of all texts within the block."""
    return holding(SPOKEN, language)
