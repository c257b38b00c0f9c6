"""What a question wants of numbers: how many, a total, an average, the greatest; which label and end of a scale."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import is_chinese
from tools.networks.figures import Wanted
from tools.networks.records import ObjectType
from tools.networks.words import counted_of
from tools.tables.rows import by_value, number_of
from wenmai.minds.offline.networks.asking import ASKED, TABLES, asks_for
from wenmai.minds.offline.networks.reading import Reading

NUMBER = re.compile(r"[\d,]+(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class DegreeRule:
    """Words of a degree, the labels that they may speak of, and whether they mean the upper end."""

    words: re.Pattern[str]
    labels: re.Pattern[str]
    upper: bool


def degree_rule(text: str) -> DegreeRule:
    """Return a row of the table."""
    words, labels, end = text.split(" | ")
    english = "|".join(word for word in words.split("|") if not is_chinese(word))
    chinese = "|".join(word for word in words.split("|") if is_chinese(word))
    either = "|".join(part for part in (chinese, rf"\b(?:{english})\b" if english else "") if part)
    return DegreeRule(re.compile(either, re.IGNORECASE), re.compile(labels.strip(), re.IGNORECASE), end.strip() == "+")


ROWS = tuple(map(degree_rule, TABLES["degrees"].strip().splitlines()))


@dataclass(frozen=True, slots=True)
class Degree:
    """By which label things are compared, in which word, and whether more of it is meant.

    Attributes:
        rank: how surely: 0 where the question asks for the label, else the place of the row that joins word and label.
    """

    label: str
    word: str
    upper: bool
    rank: int = 0


def degree_of(question: str, labels: Sequence[str]) -> Degree | None:
    """Return what a question, its names blanked, compares by; None where no label fits its word of degree."""
    asked = sorted(labels, key=lambda label: -asks_for(question, label))
    if asked and asks_for(question, asked[0]) >= ASKED and (found := by_label(question, asked[0])):
        return found
    for rank, row in enumerate(ROWS, 1):
        word = row.words.search(question)
        label = next((one for one in labels if row.labels.search(one)), None)
        if word and label:
            return Degree(label, word[0], row.upper, rank)
    return None


def by_label(question: str, label: str) -> Degree | None:
    """Return the degree of a label that is asked for: by a row of this label, else by any row of the word."""
    rest = question.replace(label, " ")
    fitting = [row for row in ROWS if row.labels.search(label)]
    for row in (*fitting, *ROWS):
        if found := row.words.search(rest):
            return Degree(label, found[0], row.upper)
    return None


def ends(values: Sequence[tuple[str, str]], *, upper: bool) -> list[str]:
    """Return whose value is at the end of the scale, several where they are equal; [] where their units differ.

    Args:
        values: (whose, value).
        upper: whether the greatest is meant.
    """
    if len({NUMBER.sub("", value).strip() for _, value in values}) > 1:
        return []
    order = by_value(dict(values), descending=upper)
    return [name for name, value in order if number_of(value) == number_of(order[0][1])]


COUNTING, SUPERLATIVE, TOTAL, AVERAGE = (
    re.compile(TABLES[name], re.IGNORECASE) for name in ("counting", "superlative", "total", "average")
)
MOST_BEFORE = re.compile(rf"(?:{TABLES['most_before']})\s+$", re.IGNORECASE)
MOST_BEHIND = re.compile(TABLES["most_behind"])


def is_figure(plain: str) -> bool:
    """Return True if a question asks for a total, an average or the greatest of something."""
    return any(pattern.search(plain) for pattern in (SUPERLATIVE, TOTAL, AVERAGE))


def how_much(reading: Reading) -> Wanted:
    """Return whether a question asks for a sum, an average or for the instances."""
    if AVERAGE.search(reading.plain):
        return "average"
    kinds = {one.kind for one in reading.terms}
    number_of_property = COUNTING.search(reading.plain) and "property" in kinds and "type" not in kinds
    return "sum" if TOTAL.search(reading.plain) or number_of_property else "list"


def most_counted(reading: Reading) -> ObjectType | None:
    """Return the type that a question says there are most or fewest of: the most orders, 订单最多."""
    for one in reading.terms:
        most = MOST_BEFORE.search(reading.plain[: one.start]) or MOST_BEHIND.match(reading.plain, one.end)
        if one.kind == "type" and most:
            return reading.schema.object_type(one.id)
    return None


def by_degree(reading: Reading, rest: str, type: ObjectType) -> Degree | None:
    """Return by which label of a type a superlative is meant."""
    counted = counted_of(type, reading.schema, reading.members(type))
    return degree_of(COUNTING.sub(" ", rest), [one.label for one in counted])
