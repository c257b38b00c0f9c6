"""Conditions on values and figures of them, as a spreadsheet has them; conditions as people say them.

Values are plain data or texts. People say 载重超过200, built before 1850, between 5 and 10, discontinued = 1, in 2025.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any, Literal, get_args

from tools.tables.units import UNITS, number_in, unit_of
from tools.text.scripts import folded

Operation = Literal["==", "!=", ">=", "<=", ">", "<", "contains", "starts", "lacks"]
NONE_OF: frozenset[Operation] = frozenset({"!=", "lacks"})  # what no value may be, or contain
Aggregate = Literal["count", "sum", "average", "max", "min"]
OPERATIONS: tuple[str, ...] = get_args(Operation)
CONDITION = re.compile(rf"^\s*(?P<path>.+?)\s*(?P<operation>{'|'.join(OPERATIONS)})\s*(?P<value>.*?)\s*$")
DIGITS, CENTS = 6, 2  # digits of a sum, and of a mean
SIGNIFICANT = 4  # digits of a mean below 1
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

    def holds(self, values: Sequence[Any], label: str = "") -> bool:
        """Return True if any of the values fits; with != all of them must differ, lacks holds if none contains it.

        `label` is that of the values, with their unit. Without a constant, lacks holds where there is no value at all.
        """
        if self.operation == "!=":
            return not any(same(one, self.value) for one in values)
        if self.operation == "lacks":
            return not any(fits(one, "contains", self.value) for one in values)
        unit = unit_of(label, values)
        return any(fits(one, self.operation, self.value, unit) for one in values)


ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {">": gt, "<": lt, ">=": ge, "<=": le}


def fits(value: Any, operation: Operation, wanted: str, unit: str = "") -> bool:
    """Return True if a value compares so with a constant: as numbers with their units, as days, or as texts.

    Numbers without a unit of their own are in `unit`.
    """
    text, other = folded(shown(value)), folded(wanted)
    if operation == "==":
        return same(value, wanted)
    if operation in ("contains", "starts"):
        return contains(text, other) if operation == "contains" else text.startswith(other)
    is_day = re.match(r"\d{4}-\d{2}", text)  # days are compared as texts
    pair = (text, other) if is_day else (number_in(value, unit), number_in(wanted, unit))
    return None not in pair and ORDERS[operation](*pair)


def contains(text: str, wanted: str) -> bool:
    """Return True if a text has another in it; a number stands there whole: 5 neither in 15 nor in 2.5."""
    if not is_number(wanted):
        return wanted in text
    return re.search(rf"(?<![\d.]){re.escape(wanted)}(?!\.?\d)", text) is not None


def same(value: Any, wanted: str) -> bool:
    """Return True if a value is a constant, whatever its case; 3.50 is 3.5, yes is 1."""
    text, other = (TRUTH.get(one, one) for one in (folded(shown(value)).strip(), folded(wanted).strip()))
    return text == other or (is_number(text) and is_number(other) and float(text) == float(other))


def is_number(text: str) -> bool:
    return re.fullmatch(r"[+-]?\d+(\.\d+)?", text) is not None


def shown(value: Any) -> str:
    return str(int(value)) if isinstance(value, bool) else str(value)


def is_counted(values: Sequence[Any]) -> bool:
    return len(values) == 1 and number_in(values[0]) is not None


def figure(values: Sequence[Any], how: Aggregate, label: str = "") -> Any:
    """Return a figure of values, in the unit of their label; None where there is no number.

    The greatest and least may be days or texts.
    """
    if how == "count":
        return len(values)
    unit = unit_of(label, values)
    numbers = [number for one in values if (number := number_in(one, unit)) is not None]
    if how in ("max", "min"):
        chosen = max if how == "max" else min
        held: list[Any] = list(numbers) if len(numbers) == len(values) else [shown(one) for one in values]
        return without_noise(chosen(held)) if held else None
    if not numbers:
        return None
    if how == "sum":
        return without_noise(sum(numbers))
    mean = sum(numbers) / len(numbers)
    return without_noise(round(mean, CENTS) if abs(mean) >= 1 else float(f"{mean:.{SIGNIFICANT}g}"))


def without_noise(value: Any) -> Any:
    """Return a number without the noise of floats, a whole one as such."""
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else round(value, DIGITS)


def by_value(values: Mapping[str, Any], *, descending: bool, label: str = "") -> list[tuple[str, Any]]:
    """Return names by their values, those without one left out: as numbers in one unit where all are, else as texts."""
    held = sorted(((name, value) for name, value in values.items() if value is not None), key=lambda pair: pair[0])
    unit = unit_of(label, [value for _, value in held])
    numbers = {name: number_in(value, unit) for name, value in held}
    if None in numbers.values():
        return sorted(held, key=lambda pair: folded(shown(pair[1])), reverse=descending)
    return sorted(held, key=lambda pair: numbers[pair[0]] or 0.0, reverse=descending)


LETTERS = "|".join(sorted((re.escape(one) for one in UNITS if one.isascii() and one != "in"), key=len, reverse=True))
HAN_UNITS = "|".join(sorted((re.escape(one) for one in UNITS if not one.isascii()), key=len, reverse=True))
AMOUNT = rf"(?P<number>\d{{4}}-\d{{2}}(?:-\d{{2}})?|\d+(?:\.\d+)?(?:\s*(?:(?:{LETTERS})\b|(?:{HAN_UNITS})))?)"
LAST = AMOUNT.replace("number", "last")
# Words before, or behind, a number, and what they compare.
WORDS: tuple[tuple[str, str, Operation], ...] = (
    (
        "不[超多]过|不[高大多晚重长深]于|至多|最多|at most|up to"
        "|(?:no|not) (?:more|greater|later) than|not (?:over|above)|<=",
        "",
        "<=",
    ),
    (
        "不[少低小早轻短浅]于|至少|最少|at least|since|(?:no|not) (?:less|fewer|earlier) than|not (?:under|below)|>=",
        "",
        ">=",
    ),
    (
        "超过|大于|多于|高于|晚于|重于|长于|深于|宽于|over|more than|above|after"
        "|(?:greater|later|deeper|longer|higher|taller|wider|larger|bigger|heavier|faster|thicker) than|>",
        "之后",
        ">",
    ),
    (
        "小于|少于|低于|不到|早于|轻于|短于|浅于|窄于|不足|under|below|before"
        "|(?:less|fewer|earlier|shallower|shorter|lower|smaller|narrower|lighter|slower|thinner) than|<",
        "以前|之前",
        "<",
    ),
    ("", "以上|及以上|以后|以来|or more", ">="),
    ("", "以下|及以下|or less", "<="),
)
BETWEEN = re.compile(
    rf"(?:\bbetween\s+)?{AMOUNT}\s*(?:和|到|至|~|-|\band\b|\bto\b)\s*{LAST}\s*(?:之间|元)?", re.IGNORECASE
)
IS_BETWEEN = re.compile(r"between|之间|[到至~]", re.IGNORECASE)
NOT = re.compile(r"(?:\b(?:not|never|isn't|aren't)\s+(?:been\s+|yet\s+)?|[未没非不]有?)$", re.IGNORECASE)
NEGATION = re.compile(
    r"(?:\b(?:not|never|no|none\s+of|neither|without)\b|n't\b)\s*(?:(?:been|yet|any)\s+)?|(?<!有)没有?|(?<!是)不(?!同|是)|[未无非]",
    re.IGNORECASE,
)
OF_ADJECTIVE = re.compile(r"(?:not|never|n't)|[未不非]", re.IGNORECASE)
"""A negation that denies the word behind it alone: 未停产的产品; the others deny that there is any: 没有停产的产品."""
CLAUSE = re.compile(
    r"[？?。！!；;]|[，,]?(?:而且|并且|但是?|[且而])|,?\s+(?:but|and\s+(?:do|does|did|with))\b"
    r"|(?:,?\s+and|(?<!that)(?<!which)(?<!who))\s+(?:have|has|had|are|is|were|was)\b",
    re.IGNORECASE,
)
EQUAL = re.compile(
    r"\s*(?:=+|is|are|equals?|等于|为|是)\s*(?P<value>-?\d+(?:\.\d+)?|true|false|yes|no)(?![A-Za-z0-9%])", re.IGNORECASE
)
YEAR = re.compile(
    r"\b(?:in|during|of)\s+(?P<en>(?:1[5-9]|20)\d\d)\b|(?P<zh>(?:1[5-9]|20)\d\d)\s*年(?!\s*(?:以|之))", re.IGNORECASE
)
DAY, MONTH = len("2024-08-03"), len("2024-08")
FLAGS = frozenset({"0", "1", "true", "false", "yes", "no", "y", "n", "是", "否"})


@dataclass(frozen=True, slots=True)
class Limit:
    """Where a text sets a limit to a number that stands elsewhere in it."""

    start: int
    end: int
    operation: Operation
    value: str
    text: str


def limits_in(text: str) -> list[Limit]:
    """Return the limits that a text sets, in order; both ends of a range are one each."""
    found = [*ranges(text)]
    for before, behind, operation in WORDS:
        parts = [rf"(?:{before})\s*{AMOUNT}"] if before else []
        parts += [rf"{LAST}\s*[^\d\s]{{0,2}}?(?:{behind})"] if behind else []
        for match in re.finditer("|".join(parts), text, re.IGNORECASE):
            if not any(one.start < match.end() and match.start() < one.end for one in found):
                value = match.groupdict().get("number") or match.groupdict()["last"]
                found.append(Limit(*match.span(), operation, value, match[0]))
    return sorted(found, key=lambda one: one.start)


def ranges(text: str) -> Iterator[Limit]:
    for match in BETWEEN.finditer(text):
        if IS_BETWEEN.search(match[0]):
            yield Limit(*match.span(), ">=", match["number"], match[0])
            yield Limit(*match.span(), "<=", match["last"], match[0])


def negations_in(text: str) -> list[tuple[int, int, int]]:
    """Return where a text denies something, each with where what it may deny ends: its clause, or the next one."""
    limits = limits_in(text)
    found = [
        match.span()
        for match in NEGATION.finditer(text)
        if not any(one.start <= match.start() < one.end for one in limits)
    ]
    ends = [*(start for start, _ in found), len(text)][1:]
    return [
        (start, end, min(clause.start() if (clause := CLAUSE.search(text, end)) else len(text), last))
        for (start, end), last in zip(found, ends, strict=True)
    ]


def date_in(text: str) -> str:
    """Return the year, month or day that a text speaks of, as 2024, 2024-08, 2024-08-03; '' for none but limits."""
    from tools.text.dates import dates_in  # its patterns cost a start 25 ms

    for limit in limits_in(text):
        text = text[: limit.start] + " " * (limit.end - limit.start) + text[limit.end :]
    named = next((span for span in dates_in(text) if span.year), None)
    if named:
        return named.first.isoformat()[: DAY if named.first == named.last else MONTH]
    found = YEAR.search(text)
    return (found["en"] or found["zh"]) if found else ""
