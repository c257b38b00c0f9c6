"""Messages for pydantic's errors, in the language of the other messages to users."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from tools.wording import Names, Words

DATETIME = Words(
    "必须是 ISO-8601 时间，例如 2026-05-01T08:00:00+00:00", "must be a time of ISO 8601, as 2026-05-01T08:00:00+00:00"
)
BETWEEN = Words("；", "; ")
# Types of pydantic's errors (docs.pydantic.dev, "Validation Errors"), as far as the fields of a run can have them.
REASONS: Mapping[str, Words] = MappingProxyType(
    {
        "missing": Words("缺少这个字段", "this field is missing"),
        "extra_forbidden": Words("没有这个字段", "there is no such field"),
        "int_parsing": Words("必须是整数", "must be an integer"),
        "int_type": Words("必须是整数", "must be an integer"),
        "int_from_float": Words("必须是整数", "must be an integer"),
        "float_type": Words("必须是数字", "must be a number"),
        "finite_number": Words("必须是有限的数字", "must be a finite number"),
        "bool_type": Words("必须是 true 或 false", "must be true or false"),
        "string_type": Words("必须是文字", "must be a text"),
        "string_unicode": Words("不是有效的 Unicode 文字", "is not valid Unicode text"),
        "string_pattern_mismatch": Words("不能为空", "cannot be empty"),
        "bool_parsing": Words("必须是 true 或 false", "must be true or false"),
        "float_parsing": Words("必须是数字", "must be a number"),
        "datetime_type": DATETIME,
        "datetime_parsing": DATETIME,
        "datetime_from_date_parsing": DATETIME,
        "model_type": Words("必须是一个对象", "must be an object"),
        "model_attributes_type": Words("必须是一个对象", "must be an object"),
        "list_type": Words("必须是列表", "must be a list"),
        "dict_type": Words("必须是一个对象", "must be an object"),
        "dataclass_type": Words("必须是一个对象", "must be an object"),
        "literal_error": Words("只能是 {expected}", "must be {expected}"),
        "greater_than": Words("必须大于 {gt:g}", "must be more than {gt:g}"),
        "greater_than_equal": Words("不能小于 {ge:g}", "must be at least {ge:g}"),
        "less_than_equal": Words("不能大于 {le:g}", "must be at most {le:g}"),
        "too_short": Words("至少要有 {min_length} 项", "needs at least {min_length} items"),
        "string_too_short": Words("不能为空", "cannot be empty"),
        "string_too_long": Words("最多 {max_length} 个字符", "has at most {max_length} characters"),
    }
)


def reason_of(error: Mapping[str, Any]) -> str:
    """Return the message for one of pydantic's errors; pydantic's own for an unknown type."""
    words = REASONS.get(error["type"])
    if words is None:
        return str(error["msg"])
    context = dict(error.get("ctx", {}))
    if "expected" in context:
        context["expected"] = Names(str(context["expected"]).replace(" or ", ", ").split(", "))
    return words.say(**context)


def reasons_of(error: ValidationError) -> str:
    """Return the messages for all wrong fields, each with the field's name."""
    found = error.errors(include_url=False)
    return joined(f"{'.'.join(map(str, one['loc']))}: {reason_of(one)}" for one in found)


def joined(reasons: Iterable[str]) -> str:
    return BETWEEN.say().join(reasons)
