"""The arguments of tools: how they are declared to a model, and how what it sends is read."""

import json
import logging
import types
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from state.context import Language
from tools.english import DESCRIPTIONS
from tools.errors import ArgumentError
from tools.formatting import shorten
from tools.messages import Message, say, say_in

logger = logging.getLogger(__name__)

SHOWN_CHARACTERS = 80
# Keys of a field's extra schema.
MISSING_TEXT = "missing"
CHOICES = "choices"  # declared as an enum; a library may know more
WRAPPED_IN = "wrapped_in"


KINDS: Mapping[Any, Message] = {
    int: Message("argument.integer"),
    float: Message("argument.number"),
    bool: Message("argument.boolean"),
    str: Message("argument.text"),
}
LENIENT = ConfigDict(coerce_numbers_to_str=True, allow_inf_nan=False)
SCALARS: Mapping[Any, TypeAdapter[Any]] = {kind: TypeAdapter(kind, config=LENIENT) for kind in KINDS}

Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], raw: object) -> Model:
    """Return the validated arguments. Raises ArgumentError; its message names the rule and the value."""
    arguments, problems = checked(model, raw)
    if arguments is None:
        raise ArgumentError(problems[0])
    return arguments


def checked(model: type[Model], raw: object) -> tuple[Model | None, list[str]]:
    """Return the validated arguments and [], or None and a message for each wrong one."""
    if not isinstance(raw, Mapping):
        return None, [say("argument.not_an_object", got=shown(raw))]
    if unknown := sorted(str(name) for name in raw if name not in model.model_fields):
        # they are ignored: identity and limits never come from a model
        logger.info("Ignored undeclared arguments: %s", shown(unknown))
    values: dict[str, object] = {}
    problems: list[str] = []
    for name, field in model.model_fields.items():
        try:
            values[name] = _value(name, field, raw.get(name))
        except ArgumentError as exc:
            problems.append(str(exc))
    known = {name: value for name, value in values.items() if value is not None}
    try:
        arguments = model.model_validate(known)
    except ValidationError as exc:
        found = [one for one in exc.errors(include_url=False) if not problems or one["type"] != "missing"]
        return None, problems + [_rule(model, one) for one in found]  # what is missing is among the problems already
    return (None, problems) if problems else (arguments, [])


def shown(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(clean(text).replace("\n", " "), SHOWN_CHARACTERS)


def clean(text: str) -> str:
    """Drop what no store can keep: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def core_type(annotation: Any) -> Any:
    if get_origin(annotation) is Annotated:
        return core_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return core_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


def bounds(field: FieldInfo) -> tuple[float, float] | None:
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    return None if low is None or high is None else (low, high)


def extra(field: FieldInfo, key: str) -> Any:
    schema = field.json_schema_extra
    return schema.get(key) if isinstance(schema, Mapping) else None


def _value(name: str, field: FieldInfo, value: object) -> object:
    """Coerce one argument; null and blank text are absent."""
    if isinstance(value, str):
        value = clean(value).strip() or None
    if value is None:
        if field.is_required():
            raise ArgumentError(extra(field, MISSING_TEXT) or say("argument.missing", name=name))
        return None
    kind, limits = core_type(field.annotation), bounds(field)
    if (key := extra(field, WRAPPED_IN)) and isinstance(value, list):  # models write items as objects with one key
        value = [item.get(key) if isinstance(item, Mapping) else item for item in value]
    try:
        return coerce(kind, value, name)
    except ArgumentError:
        if kind is not int or limits is None:
            raise
        raise ArgumentError(
            say("argument.integer_out_of_range", name=name, low=limits[0], high=limits[1], got=shown(value))
        ) from None


def coerce(kind: Any, value: object, name: str) -> object:
    if get_origin(kind) is Literal:
        return _choice(get_args(kind), value, name)
    if get_origin(kind) is list:
        return _list(get_args(kind)[0], value, name)
    return _scalar(kind, value, name)


def must_be(kind: Message, name: str, value: object) -> ArgumentError:
    return ArgumentError(say("argument.wrong_type", name=name, kind=str(kind), got=shown(value)))


def _scalar(kind: Any, value: object, name: str) -> object:
    try:
        if isinstance(value, float if kind is bool else bool):  # True is no number, and 1.0 no truth
            raise must_be(KINDS[kind], name, value)
        return SCALARS[kind].validate_python(clean(value).strip() if isinstance(value, str) else value)
    except ValidationError:
        raise must_be(KINDS[kind], name, value) from None


def is_true(value: object) -> bool:
    """Return True if an argument, as a model sent it, means true; unreadable values do not."""
    try:
        return _scalar(bool, value, "") is True
    except ArgumentError:
        return False


def _choice(choices: tuple[str, ...], value: object, name: str) -> str:
    for choice in choices:
        if isinstance(value, str) and value.strip().casefold() == choice.casefold():
            return choice
    raise ArgumentError(say("argument.not_a_choice", name=name, choices="/".join(choices), got=shown(value)))


def _list(kind: Any, value: object, name: str) -> list[Any] | None:
    items = value
    if isinstance(value, str):  # it may spell a list as JSON
        try:
            items = json.loads(value) if value.lstrip().startswith("[") else None
        except (ValueError, RecursionError):
            items = None
    if items is None and core_type(kind) is str:
        items = [value]
    if not isinstance(items, list | tuple):
        raise must_be(Message("argument.list"), name, value)
    if core_type(kind) is str and not all(isinstance(item, str) for item in items):
        raise must_be(Message("argument.text_list"), name, value)
    coerced = [coerce(core_type(kind), item, name) for item in items]
    return [item for item in coerced if item != ""] or (None if core_type(kind) is str else coerced)


def _rule(model: type[BaseModel], first: ErrorDetails) -> str:
    name = str(first["loc"][0]) if first["loc"] else ""
    field = model.model_fields.get(name)
    limits = bounds(field) if field else None
    if limits and first["type"] in ("greater_than_equal", "less_than_equal"):
        return say("argument.number_out_of_range", name=name, low=limits[0], high=limits[1], got=shown(first["input"]))
    reason = first.get("ctx", {}).get("error", first["msg"])
    return say("argument.breaks_rule", name=name, rule=reason, got=shown(first["input"]))


DEFAULT: Mapping[Language, str] = {"zh": "默认", "en": "default"}
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
    choices = extra(field, CHOICES)
    return {
        **_type(core_type(field.annotation)),
        **({"enum": choices} if choices else {}),
        "description": f"{description}{_limits(field, description, language)}",
    }


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
    text = say_in(language, "sign.comma").join(parts)
    return LIMITS[language].format(text) if parts and text not in description else ""
