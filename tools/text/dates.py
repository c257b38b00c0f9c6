"""Months and days that a text names, in Chinese and English."""

import re
from calendar import monthrange
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
class DaySpan:
    """Days from `first` to `last`, both inclusive; without `year` they recur every year."""

    first: date
    last: date
    year: bool = True

    def days_after(self, moment: datetime) -> int:
        """Return the days from the span to a moment: 0 inside, negative before."""
        day = moment.astimezone(UTC).date()
        spans = [(self.first, self.last)]
        if not self.year:
            spans = [(_in_year(self.first, year), _in_year(self.last, year)) for year in (day.year, day.year - 1)]
        return min((max(0, (day - last).days) for first, last in spans if first <= day), default=-1)


def dates_in(question: str) -> Iterator[DaySpan]:
    """Yield the months and days that a text names, in the order of their patterns."""
    question = BARE_MAY.sub(" ", question)
    taken: set[int] = set()
    for pattern in (ISO_DATE, CHINESE_DATE, DAY_FIRST, MONTH_FIRST):
        for match in pattern.finditer(question):
            if taken.isdisjoint(range(*match.span("month"))):
                taken.update(range(*match.span("month")))
                yield from _span(match["year"], match["month"], match["day"])


def _span(year: str | None, month: str, day: str | None) -> Iterator[DaySpan]:
    number = int(month) if month.isdigit() else [name[:3] for name in MONTHS].index(month[:3].lower()) + 1
    leap = 2000  # a leap year, so that the 29th of February is a day
    try:
        first = date(int(year or leap), number, int(day or 1))
    except ValueError:
        return
    last = first if day else first.replace(day=monthrange(first.year, first.month)[1])
    yield DaySpan(first, last, year is not None)


def _in_year(day: date, year: int) -> date:
    """Return a day in another year; a 29th of February that it lacks is the 28th."""
    try:
        return day.replace(year=year)
    except ValueError:
        return day.replace(year=year, day=28)


RELATIVE = (  # pattern, days before today where the span begins, its length in days
    (re.compile(r"前天|day before yesterday", re.I), 2, 1),
    (re.compile(r"昨天|昨晚|(?<!before )\byesterday\b|last night", re.I), 1, 1),
    (re.compile(r"今天|今早|\btoday\b|this morning", re.I), 0, 1),
    (re.compile(r"最近几天|这几天|past few days", re.I), 4, 5),
)
AGO = re.compile(
    r"(?P<count>\d{1,3})\s*(?P<unit>天|周|个?星期|个月|days?|weeks?|months?)(?:以)?(?:前|之前|\s*ago)", re.I
)
UNIT_DAYS = {"天": 1, "d": 1, "周": 7, "个": 30, "星": 7, "w": 7, "m": 30}
LAST_WEEK = re.compile(r"上个?(?:周|星期)|last week", re.I)
LAST_MONTH = re.compile(r"上个?月|last month", re.I)
LAST_YEAR = re.compile(r"去年|last year", re.I)

ASKS_WHEN = re.compile(
    r"^\W*(?:when|what (?:day|date|time|month|year)|how long ago|since when)\b"
    r"|什么时候|何时|哪天|哪一天|几号|哪年|几月",
    re.I,
)
TELLS_WHEN = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|since|week|weekend|month|christmas|new year"
    r"|this (?:week|month|year|morning|weekend)|(?:mon|tues|wednes|thurs|fri|satur|sun)day"
    rf"|{'|'.join(name for name in MONTHS if name != 'may')}|\d{{1,2}}(?:st|nd|rd|th)|(?:19|20)\d\d)\b"
    r"|昨天|前天|今天|明天|上周|下周|周[一二三四五六日末]|上个?月|下个?月|这个?月|月[底初]|去年|今年|明年|年底|过年|国庆|春节"
    r"|[\d一二三四五六七八九十]+[月号日]",
    re.I,
)


def spans(question: str, now: datetime) -> list[DaySpan]:
    """Return the days that a question names, those of words like 上周 counted from `now`."""
    return [*dates_in(question), *_relative(question, now.astimezone(UTC).date())]


def _relative(question: str, today: date) -> Iterator[DaySpan]:
    for pattern, back, length in RELATIVE:
        if pattern.search(question):
            first = today - timedelta(days=back)
            yield DaySpan(first, first + timedelta(days=length - 1))
    for match in AGO.finditer(question):
        unit = "m" if match["unit"] == "个月" else match["unit"][0].lower()
        day = today - timedelta(days=int(match["count"]) * UNIT_DAYS[unit])
        slack = timedelta(days=UNIT_DAYS[unit] // 2)
        yield DaySpan(day - slack, day + slack)
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    one = timedelta(days=1)
    if LAST_WEEK.search(question):
        yield DaySpan(monday - 7 * one, monday - one)
    if LAST_MONTH.search(question):
        yield DaySpan((month - one).replace(day=1), month - one)
    if LAST_YEAR.search(question):
        yield DaySpan(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
