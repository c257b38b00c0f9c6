"""Texts in Chinese and English, chosen by the language of the question."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import NamedTuple

from state.context import Language
from tools.holding import holding

# A context variable, because messages come from deep inside conversions that have no run.
SPOKEN: ContextVar[Language] = ContextVar("wenmai_tool_language", default="zh")


class Words(NamedTuple):
    """A text in both languages, with the same places for values."""

    zh: str
    en: str

    def say(self, **values: object) -> str:
        """Return the text in the language of the question."""
        return (self.en if SPOKEN.get() == "en" else self.zh).format(**values)


def speaking(language: Language) -> AbstractContextManager[None]:
    """Set the language of all texts within the block."""
    return holding(SPOKEN, language)
