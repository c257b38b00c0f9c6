"""Messages for pydantic's errors, in the language of the other messages to users."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

DATETIME = "必须是 ISO-8601 时间，例如 2026-05-01T08:00:00+00:00"
# Types of pydantic's errors (docs.pydantic.dev, "Validation Errors"), as far as the fields of a run can have them.
REASONS: Mapping[str, str] = MappingProxyType(
    {
        "missing": "缺少这个字段",
        "extra_forbidden": "没有这个字段",
        "int_parsing": "必须是整数",
        "int_type": "必须是整数",
        "int_from_float": "必须是整数",
        "float_type": "必须是数字",
        "finite_number": "必须是有限的数字",
        "bool_type": "必须是 true 或 false",
        "string_type": "必须是文字",
        "string_unicode": "不是有效的 Unicode 文字",
        "string_pattern_mismatch": "不能为空",
        "bool_parsing": "必须是 true 或 false",
        "float_parsing": "必须是数字",
        "datetime_type": DATETIME,
        "datetime_parsing": DATETIME,
        "datetime_from_date_parsing": DATETIME,
        "model_type": "必须是一个对象",
        "list_type": "必须是列表",
        "dict_type": "必须是一个对象",
        "dataclass_type": "必须是一个对象",
        "literal_error": "只能是 {expected}",
        "greater_than": "必须大于 {gt:g}",
        "greater_than_equal": "不能小于 {ge:g}",
        "less_than_equal": "不能大于 {le:g}",
        "too_short": "至少要有 {min_length} 项",
        "string_too_short": "不能为空",
        "string_too_long": "最多 {max_length} 个字符",
    }
)


def reason_of(error: Mapping[str, Any]) -> str:
    """Return the message for one of pydantic's errors; pydantic's own for an unknown type."""
    words = REASONS.get(error["type"])
    if words is None:
        return str(error["msg"])
    context = dict(error.get("ctx", {}))
    if "expected" in context:
        context["expected"] = str(context["expected"]).replace(" or ", "、").replace(", ", "、")
    return words.format(**context)


def reasons_of(error: ValidationError) -> str:
    """Return the messages for all wrong fields, each with the field's name."""
    found = error.errors(include_url=False)
    return "；".join(f"{'.'.join(map(str, one['loc']))}: {reason_of(one)}" for one in found)
