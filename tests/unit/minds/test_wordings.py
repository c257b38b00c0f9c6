"""The texts in the offline mind's own words: complete in both languages, and each of them used."""

import re
import tomllib
from pathlib import Path
from string import Formatter
from typing import get_args

import wenmai.minds.offline
from state.context import Language

ROOM = Path(wenmai.minds.offline.__path__[0])
MEASURE = "unit"
"""What Chinese calls the chapters of a book; English has one word for them."""
ROWS = tomllib.loads((ROOM / "wordings.toml").read_text(encoding="utf-8"))
TEXTS = {f"{section}.{name}": texts for section, rows in ROWS.items() for name, texts in rows.items()}


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None} - {MEASURE}


def test_a_text_says_the_same_in_both_languages() -> None:
    assert {key for key, texts in TEXTS.items() if set(texts) != set(get_args(Language))} == set()
    assert {key for key, text in TEXTS.items() if placeholders(text["zh"]) != placeholders(text["en"])} == set()


def test_every_text_is_used_and_every_used_text_is_there() -> None:
    source = "\n".join(file.read_text("utf-8") for file in ROOM.rglob("*.py"))
    used = re.findall(rf"""["']((?:{"|".join(ROWS)})\.[a-z_]+)["']""", source)
    assert set(used) == set(TEXTS)
