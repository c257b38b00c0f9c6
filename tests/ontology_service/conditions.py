"""What conditions the service accepts (§1.4), and how well a row matches one.

A score is 1 for every comparison that holds; `match` counts the words (Chinese: pairs of characters) that a value
shares with the query; `or` and `and` add up.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.ontology_service.refusals import Json, Refusal, bad_condition

Generation = Literal["older", "newer"]
MOST = 100
COMPARISONS = frozenset(
    ("==", "!=", ">", ">=", "<", "<=", "in", "not_in", "like", "not_like", "range", "out_range", "exist", "not_exist")
)
EVERYWHERE = COMPARISONS | {"and", "or", "regex", "match", "match_phrase", "multi_match", "knn"}
NEWER_ALSO = frozenset(
    ("contain", "not_contain", "empty", "not_empty", "prefix", "not_prefix", "null", "not_null", "true", "false")
)
TEXTS = frozenset({"string", "text"})
NUMBERS = frozenset({"integer", "unsigned integer", "float", "decimal"})
WORD = re.compile(r"[0-9a-z_]+|[\u3400-\u9fff]+")


@dataclass(frozen=True)
class Fields:
    """The data properties of an object type, and how they are kept."""

    properties: Mapping[str, Json]
    generation: Generation
    indexed: bool


def check(condition: Json, fields: Fields) -> None:
    """Raise what the service says to a condition that it does not take (KNO-19 to KNO-23)."""
    operation = str(condition.get("operation"))
    allowed = EVERYWHERE | (NEWER_ALSO if fields.generation == "newer" else frozenset())
    if operation not in allowed:
        raise bad_condition(f"not support condition's operation: {operation}")
    if operation in ("and", "or"):
        check_group(condition.get("sub_conditions") or [], fields)
    else:
        check_leaf(operation, condition, fields)


def check_group(subs: Sequence[Json], fields: Fields) -> None:
    """Check `and` and `or` (KNO-20)."""
    if not subs:
        raise bad_condition("sub condition size is 0")
    if len(subs) > MOST:
        raise bad_condition(f"sub condition size limit {MOST} but {len(subs)}")
    for sub in subs:
        check(sub, fields)


def check_leaf(operation: str, condition: Json, fields: Fields) -> None:
    """Check a comparison of one field."""
    known = fields.properties.get(condition.get("field") or "")
    if known is None or known["type"] == "binary":
        raise bad_condition(f"field {condition.get('field')} is not a data property")
    if fields.generation == "newer" and not (known.get("mapped_field") or {}).get("name"):
        raise bad_condition(f"property {known['name']} has no mapped_field")
    if condition.get("value_from", "const") != "const":
        raise bad_condition("value_from must be const")
    check_value(operation, condition.get("value"), known, fields)


def check_value(operation: str, value: Any, known: Json, fields: Fields) -> None:
    """Check what a field is compared with (KNO-22, KNO-23)."""
    if operation == "==" and isinstance(value, list):
        raise bad_condition("condition [eq] right value should be a single value")
    if operation in ("in", "not_in") and not isinstance(value, list):
        raise bad_condition(f"condition [{operation}] right value should be an array")
    if operation in ("range", "out_range") and not (isinstance(value, list) and len(value) == 2):
        raise bad_condition(f"condition [{operation}] right value should be an array of length 2")
    if operation in ("like", "not_like") and not (known["type"] in TEXTS and isinstance(value, str)):
        raise bad_condition(f"condition [{operation}] needs a string field and a string")
    if operation in ("match", "multi_match", "match_phrase") and not full_text(known):
        raise bad_condition(f"condition [{operation}] needs type text or a full-text index: {known['name']}")
    number = isinstance(value, int | float)
    if operation == "==" and known["type"] in NUMBERS and not number and not fields.indexed:
        raise Refusal(500, "OntologyQuery.ObjectType.InternalError.GetViewDataByIDFailed", "cannot cast varchar")


def full_text(known: Json) -> bool:
    """Tell whether full-text conditions hold for a property."""
    config = (known.get("index_config") or {}).get("fulltext_config") or {}
    return known["type"] == "text" or bool(config.get("enabled"))


def score(condition: Json, row: Mapping[str, Any]) -> float:
    """Return how well a row matches; 0 for one that does not."""
    operation = condition["operation"]
    if operation in ("and", "or"):
        scores = [score(sub, row) for sub in condition["sub_conditions"]]
        return sum(scores) if operation == "or" or all(scores) else 0.0
    kept = row.get(condition["field"])
    asked = condition.get("value")
    if operation in ("match", "multi_match", "knn"):
        return float(len(words(asked) & {word for one in elements(kept) for word in words(one)}))
    if operation in NEGATED:
        return 1.0 - comparison(NEGATED[operation])(kept, asked)
    return float(comparison(operation)(kept, asked))


NEGATED = {
    "!=": "==",
    "not_in": "in",
    "not_like": "like",
    "out_range": "range",
    "not_exist": "exist",
    "not_contain": "contain",
    "not_prefix": "prefix",
    "not_empty": "empty",
    "not_null": "null",
}


def comparison(operation: str) -> Callable[[Any, Any], bool]:
    """Return the test of a value, whose elements are tried one by one."""
    if operation in WHOLE:
        return WHOLE[operation]
    one = ELEMENT[operation]
    return lambda kept, asked: any(one(each, asked) for each in elements(kept))


def elements(kept: Any) -> list[Any]:
    """Return the values of a field, without nulls."""
    return [each for each in (kept if isinstance(kept, list) else [kept]) if each is not None]


def same(kept: Any, asked: Any) -> bool:
    """Tell whether two values are equal; true is not 1."""
    return isinstance(kept, bool) == isinstance(asked, bool) and bool(kept == asked)


def ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    """Return an order's test; values of two kinds are in none."""
    return lambda kept, asked: isinstance(kept, str) == isinstance(asked, str) and test(kept, asked)


WHOLE: dict[str, Callable[[Any, Any], bool]] = {
    "exist": lambda kept, _: kept is not None,
    "null": lambda kept, _: kept is None,
    "empty": lambda kept, _: kept in (None, ""),
    "true": lambda kept, _: kept is True,
    "false": lambda kept, _: kept is False,
}
ELEMENT: dict[str, Callable[[Any, Any], bool]] = {
    "==": same,
    "in": lambda kept, asked: any(same(kept, each) for each in asked),
    "contain": same,
    ">": ordered(lambda kept, asked: kept > asked),
    ">=": ordered(lambda kept, asked: kept >= asked),
    "<": ordered(lambda kept, asked: kept < asked),
    "<=": ordered(lambda kept, asked: kept <= asked),
    "range": lambda kept, asked: isinstance(kept, str) == isinstance(asked[0], str) and asked[0] <= kept < asked[1],
    "like": lambda kept, asked: isinstance(kept, str) and asked.casefold() in kept.casefold(),
    "match_phrase": lambda kept, asked: isinstance(kept, str) and asked.casefold() in kept.casefold(),
    "prefix": lambda kept, asked: isinstance(kept, str) and kept.startswith(asked),
    "regex": lambda kept, asked: isinstance(kept, str) and re.fullmatch(asked, kept) is not None,
}


def words(value: Any) -> set[str]:
    """Return the words of a text: pairs of Chinese characters, a single one where it stands alone, other words."""
    found: set[str] = set()
    for run in WORD.findall(str(value).casefold()):
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        found.update(pairs if pairs and run[0] >= "\u3400" else [run])
    return found
