"""Messages for pydantic's errors, in the language of the other messages to users."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from pydantic import ValidationError

from tools.messages import Message, Names, say

MOST = 20  # wrong fields that are named

# Types of pydantic's errors (docs.pydantic.dev, "Validation Errors"), as far as the fields of a run can have them.
REASONS: Mapping[str, Message] = MappingProxyType(
    {
        "json_invalid": Message("field.not_json"),
        "missing": Message("field.missing"),
        "extra_forbidden": Message("field.unknown"),
        "int_parsing": Message("field.not_an_integer"),
        "int_type": Message("field.not_an_integer"),
        "int_from_float": Message("field.not_an_integer"),
        "float_type": Message("field.not_a_number"),
        "finite_number": Message("field.not_finite"),
        "bool_type": Message("field.not_a_boolean"),
        "string_type": Message("field.not_a_text"),
        "string_unicode": Message("field.not_unicode"),
        "string_pattern_mismatch": Message("field.empty"),
        "bool_parsing": Message("field.not_a_boolean"),
        "float_parsing": Message("field.not_a_number"),
        "datetime_type": Message("field.not_a_time"),
        "datetime_parsing": Message("field.not_a_time"),
        "datetime_from_date_parsing": Message("field.not_a_time"),
        "model_type": Message("field.not_an_object"),
        "model_attributes_type": Message("field.not_an_object"),
        "list_type": Message("field.not_a_list"),
        "dict_type": Message("field.not_an_object"),
        "dataclass_type": Message("field.not_an_object"),
        "literal_error": Message("field.not_a_choice"),
        "greater_than": Message("field.too_small_exclusive"),
        "greater_than_equal": Message("field.too_small"),
        "less_than_equal": Message("field.too_large"),
        "too_short": Message("field.too_few_items"),
        "string_too_short": Message("field.empty"),
        "string_too_long": Message("field.too_long"),
    }
)


def reason_of(error: Mapping[str, Any]) -> str:
    """Return the message for one of pydantic's errors; pydantic's own for an unknown type."""
    message = REASONS.get(error["type"])
    if message is None:
        return str(error["msg"])
    context = dict(error.get("ctx", {}))
    if "expected" in context:
        context["expected"] = Names(str(context["expected"]).replace(" or ", ", ").split(", "))
    return say(message.key, **context)


def reasons_of(error: ValidationError) -> str:
    """Return the messages for the first wrong fields, each with the field's name, and how many more there are."""
    found = error.errors(include_url=False)
    named = [(".".join(map(str, one["loc"])), reason_of(one)) for one in found[:MOST]]
    return joined([": ".join(filter(None, one)) for one in named], len(found) - MOST)


def file_reason(error: OSError | ValidationError) -> str:
    """Say what is wrong with a file, without showing what is in it."""
    return reasons_of(error) if isinstance(error, ValidationError) else error.strerror or type(error).__name__


def joined(reasons: Sequence[str], more: int = 0) -> str:
    """Return reasons in one line, and how many more there are."""
    return say("sign.semicolon").join([*reasons, *([say("field.more_wrong", count=more)] if more > 0 else [])])
