"""How people put their questions: the regular expressions of patterns.toml."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def tables() -> dict[str, Any]:
    """Return the whole table."""
    return tomllib.loads(files("wenmai.minds.offline.questions").joinpath("patterns.toml").read_text(encoding="utf-8"))


def pattern(name: str) -> re.Pattern[str]:
    """Return the pattern of a wording, whatever its case. A missing name is a KeyError."""
    found = "|".join(tables()["wording"][name])
    for part, inside in tables()["part"].items():
        found = found.replace(f"{{{part}}}", inside)
    return re.compile(found, re.IGNORECASE)
