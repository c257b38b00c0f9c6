"""What the mind says in its own words: the texts of wordings.toml, in both languages."""

import tomllib
from functools import cache
from importlib.resources import files

from state.context import Language


@cache
def wordings() -> dict[str, dict[str, dict[Language, str]]]:
    """Return the texts by section, name and language."""
    return tomllib.loads(files("wenmai.minds.offline").joinpath("wordings.toml").read_text(encoding="utf-8"))


def say(key: str, language: Language, /, **values: object) -> str:
    """Return the text of `section.name` with its values; a missing key or value is a KeyError."""
    section, name = key.split(".")
    return wordings()[section][name][language].format(**values)
