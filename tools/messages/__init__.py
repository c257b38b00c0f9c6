"""What is said to people, in Chinese and English.

`catalog.json` is the one table of texts; the help of the command line, which most commands never read, has a file of
its own. A section holds the messages of one subject; the key of a message is its section and its name:
`library.name_taken`. Texts have fields by name. A message that gives a command of the terminal has texts without it
(`zh_remote`, `en_remote`, perhaps empty) for readers at another machine.
"""

import json
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tools.holding import holding

if TYPE_CHECKING:  # the command line says its first words before it loads anything heavy
    from state.context import Language

FOLDER = Path(__file__).parent
HELP = "help."  # begins the sections of help.json

# A context variable, because messages come from deep inside conversions that have no run.
LANGUAGE: "ContextVar[Language]" = ContextVar("wenmai_message_language", default="zh")

IS_REMOTE: ContextVar[bool] = ContextVar("wenmai_reader_is_remote", default=False)
"""Whether the reader sits at another machine: commands and folders of this one are nothing to him."""
FOLLOWS_QUESTION: ContextVar[bool] = ContextVar("wenmai_language_of_question", default=False)
"""Whether the reader has named no language, so that what is wrong with a question is said in its own."""
FOREIGN_FIELDS = ("reason", "error", "command")  # texts of engines, which name files by their whole path
FOLDERS = re.compile(r"(?<![\w:/.])/(?:[^\s/'\"，。：；（）()]+/)+")
END_SIGNS = "：；，:;, "


def say(key: str, /, **values: object) -> str:
    """Return a message in the language of the reader; a missing key or value is a KeyError."""
    language = LANGUAGE.get()
    if not IS_REMOTE.get():
        return template(key, language).format(**values)
    said = template(key, language, is_remote=True).format(**{k: without_folders(k, v) for k, v in values.items()})
    has_gap = any(isinstance(value, Message) and not str(value) for value in values.values())
    return said.rstrip(END_SIGNS) if has_gap else said


def say_in(language: "Language", key: str, /, **values: object) -> str:
    """Return a message in the given language, that of a question."""
    with speaking(language):
        return say(key, **values)


class Message:
    """A message that `str` puts into the language of its reader, as of an error, which is raised not knowing it."""

    __slots__ = ("key", "values")

    def __init__(self, key: str, /, **values: object) -> None:
        self.key = key
        self.values = values

    def __str__(self) -> str:
        """Return the text in the language of the reader."""
        return say(self.key, **self.values)


Text = str | Message
"""What an error is given as its message."""


class Names(tuple[object, ...]):
    """Names with the sign between them that the reader's language has."""

    __slots__ = ()

    def __str__(self) -> str:
        """Return the names in one line."""
        return say("sign.list").join(map(str, self))


def template(key: str, language: "Language", *, is_remote: bool = False) -> str:
    """Return the text of a message with its fields unfilled."""
    section, _, name = key.rpartition(".")
    texts = catalog("help" if section.startswith(HELP) else "catalog")[section][name]
    return texts.get(f"{language}_remote", texts[language]) if is_remote else texts[language]


@cache
def catalog(file: str = "catalog") -> Mapping[str, Mapping[str, Mapping[str, str]]]:
    """Return the texts of a file by section, name and language."""
    # Without importlib.resources and tomllib, which load longer than the texts.
    sections: Mapping[str, Mapping[str, Mapping[str, str]]] = json.loads((FOLDER / f"{file}.json").read_text("utf-8"))
    return sections


def without_folders(name: str, value: object) -> object:
    """Return a value with the names of files in place of their paths."""
    if isinstance(value, Path):
        return value.name
    is_foreign = isinstance(value, BaseException) or (isinstance(value, str) and name in FOREIGN_FIELDS)
    return FOLDERS.sub("", str(value)) if is_foreign else value


def speaking(language: "Language") -> AbstractContextManager[None]:
    """Set the language of all texts within the block."""
    return holding(LANGUAGE, language)
