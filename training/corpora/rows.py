"""Files of rows."""

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def rows(path: Path) -> list[Row]:
    """Return the rows of a file that has one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@lru_cache(maxsize=3)
def chapters(path: Path) -> list[Row]:
    """Return the chapters of a novel: index `n`, title, text."""
    found: list[Row] = json.loads(path.read_text(encoding="utf-8"))["chapters"]
    return found
