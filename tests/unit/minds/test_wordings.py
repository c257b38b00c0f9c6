"""The texts in the mind's own words: complete in both languages, and each of them used."""

import re
from pathlib import Path
from string import Formatter
from typing import get_args

import pytest

import wenmai.minds.offline
from state.context import Language
from wenmai.minds.offline.wordings import say, wordings

MEASURE = "unit"
"""What Chinese calls the chapters of a book; English has one word for them."""
TEXTS = {f"{section}.{name}": texts for section, rows in wordings().items() for name, texts in rows.items()}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None} - {MEASURE}


@pytest.mark.parametrize("key", TEXTS)
def test_a_text_says_the_same_in_both_languages(key: str) -> None:
    texts = TEXTS[key]
    assert set(texts) == set(get_args(Language))
    assert placeholders(texts["zh"]) == placeholders(texts["en"])


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    source = "\n".join(file.read_text("utf-8") for file in Path(wenmai.minds.offline.__path__[0]).rglob("*.py"))
    used = re.findall(rf"""["']((?:{"|".join(wordings())})\.[a-z_]+)["']""", source)
    assert set(used) == set(TEXTS)


def test_a_text_has_its_values() -> None:
    assert say("chapters.number", "zh", n=3, unit="回") == "第3回"
    assert say("chapters.number", "en", n=3, unit="chapters") == "chapter 3"


@pytest.mark.parametrize("key", ["chapters.no_such_text", "no_such_section.number", "chapters.number"])
def test_a_missing_text_or_value_is_an_error(key: str) -> None:
    with pytest.raises(KeyError):
        say(key, "zh")
