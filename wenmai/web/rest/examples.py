"""Examples of the API's document: requests that were made of a real server, and what it answered.

`examples.json` beside this module has them in the order in which they were made; `tests/api_examples.py` makes them.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("examples.json")
PART = re.compile(r"\{(\w+)(?::\w+)?\}")
Example = Mapping[str, Any]


def examples() -> dict[str, Example]:
    """Return the first example of each operation, by its id."""
    found: dict[str, Example] = {}
    for one in json.loads(FILE.read_text(encoding="utf-8")):
        found.setdefault(one["operation"], one)
    return found


def values_of(example: Example, path: str) -> dict[str, Any]:
    """Return the values of the parameters of an example; those of its path stand where the endpoint's path says."""
    pattern = PART.sub(lambda part: f"(?P<{part[1]}>.+)" if ":path" in part[0] else f"(?P<{part[1]}>[^/]+)", path)
    parts = re.fullmatch(pattern, example.get("path", ""))
    return {**(parts.groupdict() if parts else {}), **example.get("query", {})}
