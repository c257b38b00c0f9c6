"""Messages on settings that cannot be used: the variable, its value and the rule, never a secret."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from difflib import get_close_matches
from typing import Any

from pydantic_core import ErrorDetails
from pydantic_settings import SettingsError

from state.context import Context

SECRET_WORDS = ("KEY", "TOKEN", "PASSWORD")
SIMILARITY = 0.5  # a guess is only a hint here
PRICES_FORM = '{"<model id>": {"input": 0.75, "output": 3.75, "cached": 0.075}}'
ROWS_FORM = "it is a JSON list of the rows of each attempt, each 1 to 20, such as [3, 3, 5]"
MUST_BE_BOOLEAN = "must be one of true, yes, 1, false, no, 0"


def unknown_setting(name: str, known: Iterable[str]) -> str:
    """Return a message that there is no such setting, with the likeliest one."""
    if name in {field.name for field in fields(Context)}:
        return f"{name!r} is no setting but a keyword of ask() and stream()"
    found = get_close_matches(name.lower(), known, 1, SIMILARITY)
    hint = f"; did you mean {found[0]!r}?" if found else " (settings: docs/reference/settings.md)"
    return f"there is no setting {name!r}{hint}"


def unreadable(error: SettingsError) -> str:
    """Return a message that names the variable that is no JSON; pydantic-settings names the field alone."""
    if '"model_prices"' in str(error):
        return f"MODEL_PRICES: must be JSON, USD per million tokens by model id, for instance {PRICES_FORM}"
    return f"{error}: expected JSON"


def problem(error: ErrorDetails | Mapping[str, Any]) -> str:
    """Return what is wrong with one variable, in one line; secrets are left out."""
    name = ".".join(str(part) for part in error["loc"]).upper()
    given = error["input"]
    if name == "MAX_FUNCTION_CALLS":
        return f"MAX_FUNCTION_CALLS must be positive, got: {given}"
    rule = MUST_BE_BOOLEAN if error["type"] == "bool_parsing" else error["msg"].removeprefix("Value error, ")
    if name.startswith("SEARCH_LIMITS"):
        rule = f"{rule}; {ROWS_FORM}"
    secret = any(word in name for word in SECRET_WORDS) or "@" in str(given)  # an address may hold a password
    return f"{name}: {rule}" + ("" if secret else f", got: {given!r}")
