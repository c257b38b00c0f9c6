"""Conditions on values and figures of them, as a spreadsheet has them; values are plain data or texts."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from tools.text.scripts import folded

Operation = Literal["==", "!=", ">=", "<=", ">", "<", "contains", "starts", "lacks"]
NONE_OF: frozenset[Operation] = frozenset({"!=", "lacks"})  # what no value may be, or contain
Aggregate = Literal["count", "sum", "average", "max", "min"]
OPERATIONS: tuple[str, ...] = get_args(Operation)
CONDITION = re.compile(rf"^\s*(?P<path>.+?)\s*(?P<operation>{'|'.join(OPERATIONS)})\s*(?P<value>.*?)\s*$")
NUMBER = re.compile(
    r"[^\d.,+-]{0,4}\s*(?P<number>[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[+-]?\d+(?:\.\d+)?)\s*(?P<unit>\D{0,8})"
)
DIGITS, CENTS = 6, 2  # digits of a sum, and of a mean
TRUTH: Mapping[str, str] = {"true": "1", "yes": "1", "false": "0", "no": "0", "是": "1", "否": "0"}


@dataclass(frozen=True, slots=True)
class PathCondition:
    path: str
    operation: Operation
    value: str

    @property
    def text(self) -> str:
        return f"{self.path} {self.operation} {self.value}"

    @classmethod
    def parsed(cls, text: str) -> "PathCondition | None":
        """Read a condition; None for a text that is none."""
        found = CONDITION.match(text)
        operation = next((one for one in get_args(Operation) if found and one == found["operation"]), None)
        if found is None or operation is None or not (found["value"] or operation == "lacks"):
            return None
        return cls(found["path"], operation, found["value"])

    def holds(self, values: Iterable[Any]) -> bool:
        """Return True if any of the values fits; with != all of them must differ, lacks holds if none contains it.

        Without a constant, lacks holds where there is no value at all.
        """
        if self.operation == "!=":
            return not any(same(one, self.value) for one in values)
        if self.operation == "lacks":
            return not any(fits(one, "contains", self.value) for one in values)
        return any(fits(one, self.operation, self.value) for one in values)


def fits(value: Any, operation: Operation, wanted: str) -> bool:
    """Return True if a value compares so with a constant: as numbers with their units, as days, or as texts."""
    text, other = folded(shown(value)), folded(wanted)
    if operation == "==":
        return same(value, wanted)
    if operation in ("contains", "starts"):
        return other in text if operation == "contains" else text.startswith(other)
    pair = (text, other) if begins_with_day(text) else (number_of(value), number_of(wanted))
    return None not in pair and ORDERS[operation](*pair)


ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    ">": lambda one, other: one > other,
    "<": lambda one, other: one < other,
    ">=": lambda one, other: one >= other,
    "<=": lambda one, other: one <= other,
}


def same(value: Any, wanted: str) -> bool:
    """Return True if a value is a constant, whatever its case; 3.50 is 3.5, yes is 1."""
    text, other = (TRUTH.get(one, one) for one in (folded(shown(value)).strip(), folded(wanted).strip()))
    return text == other or (is_number(text) and is_number(other) and float(text) == float(other))


def is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d+)?", text) is not None


def begins_with_day(text: str) -> bool:
    """Return True if a text begins with a day: days are compared as texts."""
    return re.match(r"\d{4}-\d{2}", text) is not None


def shown(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def number_of(value: Any) -> float | None:
    """Return the number of a value with its unit or currency, $1,200.50 or 180 t; None for any other text."""
    if isinstance(value, int | float):
        return float(value)
    found = NUMBER.fullmatch(str(value).strip())
    return float(found["number"].replace(",", "")) if found else None


def is_counted(values: Sequence[Any]) -> bool:
    return len(values) == 1 and number_of(values[0]) is not None


def figure(values: Sequence[Any], how: Aggregate) -> Any:
    """Return a figure of values; None where there is no number. The greatest and least may be days or texts."""
    if how == "count":
        return len(values)
    numbers = [number for one in values if (number := number_of(one)) is not None]
    if how in ("max", "min"):
        chosen = max if how == "max" else min
        held: list[Any] = list(numbers) if len(numbers) == len(values) else [shown(one) for one in values]
        return without_noise(chosen(held)) if held else None
    if not numbers:
        return None
    return without_noise(sum(numbers)) if how == "sum" else without_noise(round(sum(numbers) / len(numbers), CENTS))


def without_noise(value: Any) -> Any:
    """Return a number without the noise of floats, a whole one as such."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else round(value, DIGITS)


def by_value(values: Mapping[str, Any], *, descending: bool) -> list[tuple[str, Any]]:
    """Return names by their values, those without one left out: as numbers where all are, else as texts."""
    held = sorted(((name, value) for name, value in values.items() if value is not None), key=lambda pair: pair[0])
    numbers = {name: number_of(value) for name, value in held}
    if None in numbers.values():
        return sorted(held, key=lambda pair: folded(shown(pair[1])), reverse=descending)
    return sorted(held, key=lambda pair: numbers[pair[0]] or 0.0, reverse=descending)
