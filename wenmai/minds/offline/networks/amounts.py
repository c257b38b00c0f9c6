"""What a question wants of numbers: how many, a total, an average, or the greatest of something."""

import re

from tools.networks.figures import Wanted
from tools.networks.records import ObjectType
from tools.networks.words import counted_of, label_of
from wenmai.minds.offline.networks.asking import TABLES
from wenmai.minds.offline.networks.degrees import Degree, degree_of
from wenmai.minds.offline.networks.reading import Reading

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
    return degree_of(COUNTING.sub(" ", rest), [label_of(one) for one in counted])
