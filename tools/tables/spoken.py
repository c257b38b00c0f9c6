"""Conditions as people say them: 载重超过200, built before 1850, between 5 and 10, discontinued = 1, in 2025."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.tables.rows import Operation
from tools.text.dates import dates_in

NUMBER = r"(?P<number>\d{4}-\d{2}(?:-\d{2})?|\d+(?:\.\d+)?)"
LAST = NUMBER.replace("number", "last")
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
    ("超过|大于|多于|高于|晚于|重于|长于|深于|over|more than|above|greater than|after|later than|>", "之后", ">"),
    (
        "小于|少于|低于|不到|早于|轻于|短于|浅于|不足|under|less than|fewer than|below|before|earlier than|<",
        "以前|之前",
        "<",
    ),
    ("", "以上|及以上|以后|以来|or more", ">="),
    ("", "以下|及以下|or less", "<="),
)
BETWEEN = re.compile(
    rf"(?:\bbetween\s+)?{NUMBER}\s*(?:和|到|至|~|-|\band\b|\bto\b)\s*{LAST}\s*(?:之间|元)?", re.IGNORECASE
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
    r"\b(?:in|during|of)\s+(?P<en>(?:19|20)\d\d)\b|(?P<zh>(?:19|20)\d\d)\s*年(?!\s*(?:以|之))", re.IGNORECASE
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
        parts = [rf"(?:{before})\s*{NUMBER}"] if before else []
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
    for limit in limits_in(text):
        text = text[: limit.start] + " " * (limit.end - limit.start) + text[limit.end :]
    named = next((span for span in dates_in(text) if span.year), None)
    if named:
        return named.first.isoformat()[: DAY if named.first == named.last else MONTH]
    found = YEAR.search(text)
    return (found["en"] or found["zh"]) if found else ""
