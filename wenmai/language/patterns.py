"""Expressions that are data: a file of a package, in which each name has a list of alternatives."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def patterns(package: str, file: str = "patterns.toml") -> Mapping[str, re.Pattern[str]]:
    """Return the expressions of a file by name; case does not count."""
    table = tomllib.loads(files(package).joinpath(file).read_text(encoding="utf-8"))
    return {name: re.compile("|".join(parts), re.IGNORECASE) for name, parts in table.items()}
