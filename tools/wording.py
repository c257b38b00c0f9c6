"""What tools say to a model, and minds to a user, in Chinese and, for an English question, in English."""

from contextlib import AbstractContextManager
from contextvars import ContextVar
from typing import NamedTuple

from state.context import Language
from tools.holding import holding

# Not handed from function to function: an argument is refused deep inside a conversion that knows of no run.
SPOKEN: ContextVar[Language] = ContextVar("wenmai_tool_language", default="zh")


class Words(NamedTuple):
    """A text in both languages, with the same places for values."""

    zh: str
    en: str

    def say(self, **values: object) -> str:
        """Return the text in the language of what is being answered."""
        return (self.en if SPOKEN.get() == "en" else self.zh).format(**values)


def speaking(language: Language) -> AbstractContextManager[None]:
    """Let every text within be in this language."""
    return holding(SPOKEN, language)
