"""What is said of settings that cannot be used: the variable, its value and the rule, never a secret."""

from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches

from pydantic_settings import SettingsError

from state.context import Context

SECRET_WORDS = ("KEY", "TOKEN", "PASSWORD")
LIKENESS = 0.5  # a guess is only a hint here
PRICES_FORM = '{"<model id>": {"input": 0.75, "output": 3.75, "cached": 0.075}}'


def unknown_setting(name: str, known: Iterable[str]) -> str:
    """Say that there is no such setting, and which one was meant."""
    if name in {field.name for field in fields(Context)}:
        return f"{name!r} is no setting but a keyword of ask() and stream()"
    found = get_close_matches(name.lower(), known, 1, LIKENESS)
    return f"there is no setting {name!r}" + (f"; did you mean {found[0]!r}?" if found else " (settings: README.md)")


def unreadable(error: SettingsError) -> str:
    """Name the variable that is no JSON, and how it is written; the library says the field alone."""
    if '"model_prices"' in str(error):
        return f"MODEL_PRICES: must be JSON, USD per million tokens by model id, for instance {PRICES_FORM}"
    return f"{error}: expected JSON"


def problem(error: object) -> str:
    """Say what is wrong with one variable, without showing a secret."""
    details = error if isinstance(error, dict) else {}
    name = ".".join(str(part) for part in details.get("loc", ())).upper()
    if name == "MAX_FUNCTION_CALLS":
        return f"MAX_FUNCTION_CALLS must be positive, got: {details.get('input')}"
    told = details.get("input")
    secret = any(word in name for word in SECRET_WORDS) or "@" in str(told)  # an address may hold a password
    shown = "" if secret else f", got: {told!r}"
    return f"{name}: {str(details.get('msg')).removeprefix('Value error, ')}{shown}"
