"""Print the reference of all settings, from their own descriptions: `python -m tests.settings_reference`."""

import sys
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from wenmai.settings.group import SettingsGroup, variables
from wenmai.settings.settings import Settings

INTRODUCTION = """# Settings

Every setting is an environment variable, or a line of a file `.env` in the working directory; the environment wins. In
Python it is a keyword of `open_agent`, in lower case. Nothing needs to be set. An empty variable counts as unset, for
every setting. True is `true`, `yes` or `1`, false is `false`, `no` or `0`, in any case.

This page is generated: `python -m tests.settings_reference > docs/reference/settings.md`.
"""
HEADER = "| Variable | Value | Default | Meaning |\n|---|---|---|---|"
KINDS: dict[Any, str] = {bool: "true or false", int: "integer", float: "number", str: "text", Path: "path"}


def page() -> str:
    return "\n".join(
        [INTRODUCTION, *(section(group) for group in Settings.__bases__ if issubclass(group, SettingsGroup))]
    )


def section(group: type[SettingsGroup]) -> str:
    title = (group.__doc__ or "").strip().rstrip(".")
    rows = [row(name, field) for name, field in group.model_fields.items()]
    return "\n".join([f"## {title}\n", HEADER, *rows, ""])


def row(name: str, field: FieldInfo) -> str:
    names = " or ".join(f"`{one}`" for one in variables(name, field))
    cells = (names, kind(field), default(field), field.description or "")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def kind(field: FieldInfo) -> str:
    inner, metadata = core_type(field.annotation)
    bounds = limits([*field.metadata, *metadata])
    if get_origin(inner) is Literal:
        return ", ".join(f"`{choice}`" for choice in get_args(inner))
    if inner is SecretStr:
        return "secret"
    return KINDS.get(inner, "JSON") + (f", {bounds}" if bounds else "")


def core_type(annotation: Any) -> tuple[Any, list[Any]]:
    if get_origin(annotation) is Annotated:
        inner, *metadata = get_args(annotation)
        core, more = core_type(inner)
        return core, [*metadata, *more]
    if get_origin(annotation) in (Union, UnionType):
        return core_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation, []


def limits(metadata: list[Any]) -> str:
    rules = [rule for item in metadata for rule in getattr(item, "metadata", [item])]
    low = next((rule.ge for rule in rules if isinstance(rule, Ge)), None)
    high = next((rule.le for rule in rules if isinstance(rule, Le)), None)
    above = next((rule.gt for rule in rules if isinstance(rule, Gt)), None)
    if low is not None and high is not None:
        return f"{low} to {high}"
    return f"at least {low}" if low is not None else f"above {above}" if above is not None else ""


def default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None or value in ("", [], {}):
        return "unset"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{value:g}`" if isinstance(value, float) else f"`{value}`"


if __name__ == "__main__":
    sys.stdout.write(page())
