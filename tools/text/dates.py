"""Months and days that a text names, in Chinese and English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

MONTHS = tuple(
    "january february march april may june july august september october november december".split()  # noqa: SIM905
)
MONTH_NAME = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in MONTHS)
CHINESE_DATE = re.compile(r"(?:(?P<year>(?:19|20)\d\d)年)?(?P<month>\d{1,2})月(?:份|(?P<day>\d{1,2})[日号])?")
YEAR = r"(?P<year>(?:19|20)\d\d)"
DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
MONTH_FIRST = re.compile(rf"\b(?P<month>{MONTH_NAME})\b\.?(?:\s+{DAY}\b)?(?:,?\s*{YEAR})?", re.I)
DAY_FIRST = re.compile(rf"\b{DAY}\s+(?:of\s+)?(?P<month>{MONTH_NAME})\b(?:,?\s*{YEAR})?", re.I)
ISO_DATE = re.compile(rf"\b{YEAR}-(?P<month>\d{{1,2}})(?:-(?P<day>\d{{1,2}}))?\b")
# "may" is a verb more often than a month: it counts with a day, a year, or after in, of, since and the like.
BARE_MAY = re.compile(
    r"(?<!in )(?<!of )(?<!since )(?<!during )(?<!until )(?<!last )\bmay\b(?!\s+\d|,?\s*(?:19|20)\d\d)", re.I
)


@dataclass(frozen=True, slots=True)
class Span:
    """Days from `first` to `last`, both inclusive; without `year` they recur every year."""

    first: date
    last: date
    year: bool = True

    def days_after(self, moment: datetime) -> int:
        """Return the days from the span to a moment: 0 inside, negative before."""
        day = moment.astimezone(UTC).date()
        if self.year:
            return _after(day, self.first, self.last)
        shifts = (_moved(self, day.year - back) for back in (0, 1))
        return min((_after(day, *one) for one in shifts if one[0] <= day), default=-1)


def dates_in(question: str) -> Iterator[Span]:
    """Yield the months and days that a text names, in the order of their patterns."""
    question = BARE_MAY.sub(" ", question)
    taken: set[int] = set()
    for pattern in (ISO_DATE, CHINESE_DATE, DAY_FIRST, MONTH_FIRST):
        for match in pattern.finditer(question):
            if taken.isdisjoint(range(*match.span("month"))):
                taken.update(range(*match.span("month")))
                yield from _span(match["year"], match["month"], match["day"])


def _span(year: str | None, month: str, day: str | None) -> Iterator[Span]:
    number = int(month) if month.isdigit() else [name[:3] for name in MONTHS].index(month[:3].lower()) + 1
    leap = 2000  # a leap year, so that the 29th of February is a day
    try:
        first = date(int(year or leap), number, int(day or 1))
    except ValueError:
        return
    yield Span(first, first if day else _month_end(first), year is not None)


def _month_end(first: date) -> date:
    return (first.replace(day=28) + timedelta(days=4)).replace(day=1) - timedelta(days=1)


def _moved(span: Span, year: int) -> tuple[date, date]:
    """Return the span in another year; a 29th of February that it lacks is the 28th."""
    return _in_year(span.first, year), _in_year(span.last, year)


def _in_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


def _after(day: date, first: date, last: date) -> int:
    if day < first:
        return -1
    return max(0, (day - last).days)
