"""Arguments as models send them, made into what a tool declares (S000-D15, PLA-06, PLA-07)."""

import json
import logging
import math
import re
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from tools.errors import ArgumentError
from tools.formatting import shorten

logger = logging.getLogger(__name__)

SHOWN_CHARACTERS = 80
INTEGER_TEXT = re.compile(r"[+-]?\d{1,18}(\.0+)?")
TRUE_WORDS = frozenset({"true", "yes", "1"})
FALSE_WORDS = frozenset({"false", "no", "0"})

Model = TypeVar("Model", bound=BaseModel)


def parse(model: type[Model], raw: object) -> Model:
    """Return the validated arguments. Raises ArgumentError, whose message names the rule and the value."""
    if not isinstance(raw, Mapping):
        raise ArgumentError(f"参数必须是一个对象，收到 {shown(raw)}")
    log_undeclared(raw, model)
    values = {name: _value(name, field, raw.get(name)) for name, field in model.model_fields.items()}
    try:
        return model.model_validate({name: value for name, value in values.items() if value is not None})
    except ValidationError as exc:
        raise ArgumentError(_rule(model, exc)) from exc


def shown(value: object) -> str:
    """Return a received value as one short line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return shorten(clean(text).replace("\n", " "), SHOWN_CHARACTERS)


def clean(text: str) -> str:
    """Drop what no store can keep: NUL and lone surrogates."""
    return text.replace("\x00", "").encode("utf-8", "ignore").decode("utf-8")


def core_type(annotation: Any) -> Any:
    """Return what an annotation declares without `Annotated` and `| None`."""
    if get_origin(annotation) is Annotated:
        return core_type(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return core_type(next(part for part in get_args(annotation) if part is not type(None)))
    return annotation


def bounds(field: FieldInfo) -> tuple[float, float] | None:
    """Return the inclusive range of a number, None where it is open."""
    low = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), None)
    high = next((rule.le for rule in field.metadata if hasattr(rule, "le")), None)
    return None if low is None or high is None else (low, high)


def log_undeclared(raw: Mapping[Any, object], model: type[BaseModel]) -> None:
    """Say which names are ignored: identity and limits never come from a model (PLA-01)."""
    if unknown := sorted(str(name) for name in raw if name not in model.model_fields):
        logger.info("Ignored undeclared arguments: %s", shown(unknown))


def _value(name: str, field: FieldInfo, value: object) -> object:
    """Coerce one argument; null and blank text are absent."""
    if isinstance(value, str):
        value = clean(value).strip() or None
    if value is None:
        if field.is_required():
            raise ArgumentError(f"缺少必填参数 {name}")
        return None
    return coerce(core_type(field.annotation), value, name)


def coerce(kind: Any, value: object, name: str) -> object:
    """Turn `value` into the declared type `kind`. Raises ArgumentError."""
    if get_origin(kind) is Literal:
        return _choice(get_args(kind), value, name)
    if get_origin(kind) is list:
        return _list(get_args(kind)[0], value, name)
    return COERCIONS[kind](value, name)


def _integer(value: object, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, str) and INTEGER_TEXT.fullmatch(value.strip()):
        return int(value.strip().partition(".")[0])
    raise ArgumentError(f"{name} 必须是整数，收到 {shown(value)}")


def _number(value: object, name: str) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)  # type: ignore[arg-type]  # any object may come
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentError(f"{name} 必须是数字，收到 {shown(value)}")
    return number


def _boolean(value: object, name: str) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().casefold() if isinstance(value, str | int) else ""
    if word in TRUE_WORDS | FALSE_WORDS:
        return word in TRUE_WORDS
    raise ArgumentError(f"{name} 必须是 true 或 false，收到 {shown(value)}")


def _text(value: object, name: str) -> str:
    if isinstance(value, str):
        return clean(value).strip()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise ArgumentError(f"{name} 必须是文本，收到 {shown(value)}")


def _choice(choices: tuple[str, ...], value: object, name: str) -> str:
    for choice in choices:
        if isinstance(value, str) and value.strip().casefold() == choice.casefold():
            return choice
    raise ArgumentError(f"{name} 必须是 {'/'.join(choices)} 之一，收到 {shown(value)}")


def _list(kind: Any, value: object, name: str) -> list[Any] | None:
    items = _json_list(value) if isinstance(value, str) else value
    if items is None and core_type(kind) is str:
        items = [value]
    if not isinstance(items, list | tuple):
        raise ArgumentError(f"{name} 必须是列表，收到 {shown(value)}")
    if core_type(kind) is str and not all(isinstance(item, str) for item in items):
        raise ArgumentError(f"{name} 必须是文本列表，收到 {shown(value)}")
    coerced = [coerce(core_type(kind), item, name) for item in items]
    return [item for item in coerced if item != ""] or (None if core_type(kind) is str else coerced)


def _json_list(text: str) -> list[Any] | None:
    """Return the list that a text spells as JSON, None if it spells none."""
    try:
        found = json.loads(text) if text.lstrip().startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _rule(model: type[BaseModel], error: ValidationError) -> str:
    """Say in one line which rule the first wrong argument broke."""
    first = error.errors(include_url=False)[0]
    name = str(first["loc"][0]) if first["loc"] else ""
    field = model.model_fields.get(name)
    limits = bounds(field) if field else None
    if limits and first["type"] in ("greater_than_equal", "less_than_equal"):
        return f"{name} 必须在 {limits[0]:g}..{limits[1]:g} 之间，收到 {shown(first['input'])}"
    reason = first.get("ctx", {}).get("error", first["msg"])
    return f"{name} {reason}，收到 {shown(first['input'])}"


COERCIONS: Mapping[Any, Callable[[object, str], object]] = {
    int: _integer,
    float: _number,
    bool: _boolean,
    str: _text,
}
