"""What tools say to a model, and minds to a user, in Chinese and, for an English question, in English."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from state.context import Language

# Not handed from function to function: an argument is refused deep inside a conversion that knows of no run.
SPOKEN: ContextVar[Language] = ContextVar("wenmai_tool_language", default="zh")


class Words(NamedTuple):
    """A text in both languages, with the same places for values."""

    zh: str
    en: str

    def say(self, **values: object) -> str:
        """Return the text in the language of what is being answered."""
        return (self.en if SPOKEN.get() == "en" else self.zh).format(**values)


@contextmanager
def speaking(language: Language) -> Iterator[None]:
    """Let every text within be in this language."""
    token = SPOKEN.set(language)
    try:
        yield
    finally:
        SPOKEN.reset(token)
