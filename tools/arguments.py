"""Conversion of arguments, as models send them, into what a tool declares."""

import json
import logging
import math
import re
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from tools.errors import ArgumentError
from tools.formatting import shorten
from tools.messages import Message, say

logger = logging.getLogger(__name__)

SHOWN_CHARACTERS = 80
# Keys of a field's extra schema.
MISSING_TEXT = "missing"
CHOICES = "choices"  # declared as an enum; a library may know more
WRAPPED_IN = "wrapped_in"
INTEGER_TEXT = re.compile(r"[+-]?\d{1,18}(\.0+)?")
TRUE_WORDS = frozenset({"true", "yes", "1"})
FALSE_WORDS = frozenset({"false", "no", "0"})


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
    log_undeclared(raw, model)
    values: dict[str, object] = {}
    problems: list[str] = []
    for name, field in model.model_fields.items():
        try:
            values[name] = _value(name, field, raw.get(name))
        except ArgumentError as exc:
            problems.append(str(exc))
    known = {name: value for name, value in values.items() if value is not None}
    try:
        return (None, problems) if problems else (model.model_validate(known), [])
    except ValidationError as exc:
        return None, [_rule(model, error) for error in exc.errors(include_url=False)]


def shown(value: object) -> str:
    """Return a received value as one short line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(clean(text).replace("\n", " "), SHOWN_CHARACTERS)


def clean(text: str) -> str:
    """Drop what no store can keep: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def core_type(annotation: Any) -> Any:
    """Return an annotation without `Annotated` and `| None`."""
    if get_origin(annotation) is Annotated:
        return core_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return core_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


def bounds(field: FieldInfo) -> tuple[float, float] | None:
    """Return the inclusive range of a number, None if it is open."""
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    return None if low is None or high is None else (low, high)


def log_undeclared(raw: Mapping[Any, object], model: type[BaseModel]) -> None:
    """Log the names that are ignored: identity and limits never come from a model."""
    if unknown := sorted(str(name) for name in raw if name not in model.model_fields):
        logger.info("Ignored undeclared arguments: %s", shown(unknown))


def _value(name: str, field: FieldInfo, value: object) -> object:
    """Coerce one argument; null and blank text are absent."""
    if isinstance(value, str):
        value = clean(value).strip() or None
    if value is None:
        if field.is_required():
            raise ArgumentError(missing_text(field) or say("argument.missing", name=name))
        return None
    kind, limits = core_type(field.annotation), bounds(field)
    try:
        return coerce(kind, unwrapped(field, value), name)
    except ArgumentError:
        if kind is not int or limits is None:
            raise
        raise ArgumentError(
            say("argument.integer_out_of_range", name=name, low=limits[0], high=limits[1], got=shown(value))
        ) from None


def unwrapped(field: FieldInfo, value: object) -> object:
    """Return a list with its items unwrapped: models write them as objects with one key."""
    extra = field.json_schema_extra
    key = extra.get(WRAPPED_IN) if isinstance(extra, Mapping) else None
    if key is None or not isinstance(value, list):
        return value
    return [item.get(key) if isinstance(item, Mapping) else item for item in value]


def missing_text(field: FieldInfo) -> str | None:
    """Return a parameter's own message for a missing value, None for the common one."""
    extra = field.json_schema_extra
    return str(extra[MISSING_TEXT]) if isinstance(extra, Mapping) and MISSING_TEXT in extra else None


def coerce(kind: Any, value: object, name: str) -> object:
    """Turn `value` into the declared type `kind`. Raises ArgumentError."""
    if get_origin(kind) is Literal:
        return _choice(get_args(kind), value, name)
    if get_origin(kind) is list:
        return _list(get_args(kind)[0], value, name)
    return COERCIONS[kind](value, name)


def must_be(kind: Message, name: str, value: object) -> ArgumentError:
    """Return the error for a value of another type."""
    return ArgumentError(say("argument.wrong_type", name=name, kind=str(kind), got=shown(value)))


def _integer(value: object, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and INTEGER_TEXT.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    raise must_be(Message("argument.integer"), name, value)


def _number(value: object, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]  # any object may come
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise must_be(Message("argument.number"), name, value)
    return number


def _boolean(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if word in TRUE_WORDS | FALSE_WORDS:
        return word in TRUE_WORDS
    raise must_be(Message("argument.boolean"), name, value)


def is_true(value: object) -> bool:
    """Return True if an argument, as a model sent it, means true; unreadable values do not."""
    return isinstance(value, str | int) and str(value).strip().casefold() in TRUE_WORDS


def _text(value: object, name: str) -> str:
    if isinstance(value, str):
        return clean(value).strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise must_be(Message("argument.text"), name, value)


def _choice(choices: tuple[str, ...], value: object, name: str) -> str:
    for choice in choices:
        if isinstance(value, str) and value.strip().casefold() == choice.casefold():
            return choice
    raise ArgumentError(say("argument.not_a_choice", name=name, choices="/".join(choices), got=shown(value)))


def _list(kind: Any, value: object, name: str) -> list[Any] | None:
    items = _json_list(value) if isinstance(value, str) else value
    if items is None and core_type(kind) is str:
        items = [value]
    if not isinstance(items, list | tuple):
        raise must_be(Message("argument.list"), name, value)
    if core_type(kind) is str and not all(isinstance(item, str) for item in items):
        raise must_be(Message("argument.text_list"), name, value)
    coerced = [coerce(core_type(kind), item, name) for item in items]
    return [item for item in coerced if item != ""] or (None if core_type(kind) is str else coerced)


def _json_list(text: str) -> list[Any] | None:
    """Return the list that a text spells as JSON, None if it spells none."""
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _rule(model: type[BaseModel], first: ErrorDetails) -> str:
    """Return one line that names the rule that an argument breaks."""
    name = str(first["loc"][0]) if first["loc"] else ""
    field = model.model_fields.get(name)
    limits = bounds(field) if field else None
    if limits and first["type"] in ("greater_than_equal", "less_than_equal"):
        return say("argument.number_out_of_range", name=name, low=limits[0], high=limits[1], got=shown(first["input"]))
    reason = first.get("ctx", {}).get("error", first["msg"])
    return say("argument.breaks_rule", name=name, rule=reason, got=shown(first["input"]))


COERCIONS: Mapping[Any, Callable[[object, str], object]] = {
    int: _integer,
    float: _number,
    bool: _boolean,
    str: _text,
}
