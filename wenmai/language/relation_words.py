"""Words of kinship, friendship, enmity, mastery and office (`relation_words.toml`), parts of expressions."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from state.context import Language


@cache
def relation_words(language: Language) -> Mapping[str, str]:
    """Return the classes of words of a language, each as an expression."""
    return {name: words for name, words in _table()[language].items() if isinstance(words, str)}


@cache
def seats(language: Language) -> tuple[tuple[str, str], ...]:
    """Return offices with the last characters of what they are offices of: 坊主, 坊."""
    return tuple((row["words"], row["ends"]) for row in _table()[language].get("seat", ()))


@cache
def bodies(language: Language) -> tuple[tuple[str, str], ...]:
    """Return the words that a body is called by alone, with the last characters of its name, '' for the word itself."""
    return tuple((row["words"], row["ends"]) for row in _table()[language].get("body", ()))


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads(files("wenmai.language").joinpath("relation_words.toml").read_text(encoding="utf-8"))
