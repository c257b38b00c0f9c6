"""The page's own words, so that a test speaks its languages."""

import re
from dataclasses import dataclass
from functools import cache

from tests.browser.chromium import FOLDER

MESSAGE = re.compile(r"^  (\w+): (?:'(.*)'|\{ one: '.*?', other: '(.*)' \}),$", re.MULTILINE)
VALUE = re.compile(r"\\\{\w+\\\}")


@cache
def messages(language: str, group: str) -> dict[str, str]:
    """Return the messages of a group, of those that count the form for many."""
    text = (FOLDER / "i18n" / language / f"{group}.js").read_text(encoding="utf-8")
    return {name: (plain or counted).replace("\\'", "'") for name, plain, counted in MESSAGE.findall(text)}


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a language."""

    language: str

    def __call__(self, key: str, **values: str) -> str:
        """Return a message with its values."""
        group, name = key.split(".")
        return messages(self.language, group)[name].format(**values)

    def any(self, key: str) -> re.Pattern[str]:
        """Return what matches a message whatever its values are."""
        group, name = key.split(".")
        return re.compile(f"^{VALUE.sub('.+', re.escape(messages(self.language, group)[name]))}$")
