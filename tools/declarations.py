"""Declarations of tools as `bind_tools` takes them: plain JSON schema that Gemini accepts unchanged."""

from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from state.context import Language
from tools.arguments import CHOICES, bounds, core_type
from tools.english import DESCRIPTIONS

DEFAULT: Mapping[Language, str] = {"zh": "默认", "en": "default"}
SEPARATOR: Mapping[Language, str] = {"zh": "，", "en": ", "}
LIMITS: Mapping[Language, str] = {"zh": "（{}）", "en": " ({})"}
JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


@cache
def declare(name: str, description: str, arguments: type[BaseModel], language: Language = "zh") -> dict[str, Any]:
    """Return one declaration: name, description, parameters. It is cached: callers must not change it."""
    fields, english = arguments.model_fields, DESCRIPTIONS if language == "en" else {}
    return {
        "name": name,
        "description": english.get(name, description),
        "parameters": {
            "type": "object",
            "properties": {
                key: _property(field, english.get(f"{name}.{key}", field.description or ""), language)
                for key, field in fields.items()
            },
            "required": [key for key, field in fields.items() if field.is_required()],
        },
    }


def _property(field: FieldInfo, description: str, language: Language) -> dict[str, Any]:
    """Declare one parameter; the converter drops ranges and defaults, so the description repeats them."""
    return {
        **_type(core_type(field.annotation)),
        **_choices(field),
        "description": f"{description}{_limits(field, description, language)}",
    }


def _choices(field: FieldInfo) -> dict[str, Any]:
    """Return the values that are declared for a text which may have others too."""
    extra = field.json_schema_extra
    return {"enum": extra[CHOICES]} if isinstance(extra, Mapping) and CHOICES in extra else {}


def _type(kind: Any) -> dict[str, Any]:
    if get_origin(kind) is list:
        return {"type": "array", "items": _type(core_type(get_args(kind)[0]))}
    if get_origin(kind) is Literal:
        return {"type": "string", "enum": list(get_args(kind))}
    return {"type": JSON_TYPES[kind]}


def _limits(field: FieldInfo, description: str, language: Language) -> str:
    """Return the range and the default as text, for example `（1..50，默认 10）`, unless the description has them."""
    limits = bounds(field)
    parts = [f"{limits[0]:g}..{limits[1]:g}"] if limits else []
    if not field.is_required() and field.default_factory is None and field.default not in (None, ""):
        default = str(field.default).lower() if isinstance(field.default, bool) else field.default
        parts.append(f"{DEFAULT[language]} {default}")
    text = SEPARATOR[language].join(parts)
    return LIMITS[language].format(text) if parts and text not in description else ""
