"""Texts in Chinese and English, chosen by the language of the question."""

import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tools.holding import holding

if TYPE_CHECKING:  # the command line says its first words before it loads anything heavy
    from state.context import Language

# A context variable, because messages come from deep inside conversions that have no run.
SPOKEN: "ContextVar[Language]" = ContextVar("wenmai_tool_language", default="zh")

AFAR: ContextVar[bool] = ContextVar("wenmai_reader_afar", default=False)
"""Whether the reader sits at another machine: commands and folders of this one are nothing to him."""
COMMAND = re.compile(r"wenmai [a-z]+|(?<![\w-])--[a-z{]")
CLAUSE = re.compile(r"[：；（]|[:;] | \(")
WEAK_CLAUSE = re.compile(r"，|, ")
FOLDERS = re.compile(r"(?<![\w:/.])/(?:[^\s/'\"，。：；（）()]+/)+")
LEFT_OVER = "，：；,:; "  # before a clause that is left out
FROM_ENGINES = ("reason", "error", "command")  # values that others have written


class Words(NamedTuple):
    """A text in both languages, with the same places for values."""

    zh: str
    en: str

    def __str__(self) -> str:
        """Return a text without places in the language of the reader."""
        return self.say()

    def say(self, **values: object) -> str:
        """Return the text in the language of the question."""
        text = self.en if SPOKEN.get() == "en" else self.zh
        if not AFAR.get():
            return text.format(**values)
        shown = {name: without_folders(name, one) for name, one in values.items()}
        kept = without_commands(text)
        is_shorter = kept != text or any(one == "" != values[name] for name, one in shown.items())
        said = kept.format(**shown)
        return said.rstrip(LEFT_OVER) if is_shorter else said

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


def without_commands(text: str) -> str:
    """Return a text without the clause that gives a command and what follows; whole where it has one clause alone."""
    command = COMMAND.search(text)
    if command is None:
        return text
    for sign in (CLAUSE, WEAK_CLAUSE):
        ends = [one.start() for one in sign.finditer(text, 0, command.start())]
        if ends and ends[-1]:
            return text[: ends[-1]]
    return text


def without_folders(name: str, value: object) -> object:
    """Return a value of a text with the names of files in place of their paths; '' for advice that is a command."""
    words = value.words if isinstance(value, Message) else value
    if isinstance(words, Words) and COMMAND.search(words.zh) and without_commands(words.zh) == words.zh:
        return ""
    if isinstance(value, Path):
        return value.name
    is_foreign = isinstance(value, BaseException) or (isinstance(value, str) and name in FROM_ENGINES)
    return FOLDERS.sub("", str(value)) if is_foreign else value


def speaking(language: "Language") -> AbstractContextManager[None]:
    """Set the language of all texts within the block."""
    return holding(SPOKEN, language)
