"""The days that a question names, in Chinese and English, and whether it asks for a day."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from tools.text.dates import MONTHS, Span, dates_in

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


def spans(question: str, now: datetime) -> list[Span]:
    """Return the days that a question names, those of words like 上周 counted from `now`."""
    return [*dates_in(question), *_relative(question, now.astimezone(UTC).date())]


def _relative(question: str, today: date) -> Iterator[Span]:
    for pattern, back, length in RELATIVE:
        if pattern.search(question):
            first = today - timedelta(days=back)
            yield Span(first, first + timedelta(days=length - 1))
    for match in AGO.finditer(question):
        unit = "m" if match["unit"] == "个月" else match["unit"][0].lower()
        day = today - timedelta(days=int(match["count"]) * UNIT_DAYS[unit])
        slack = timedelta(days=UNIT_DAYS[unit] // 2)
        yield Span(day - slack, day + slack)
    yield from _before_last(question, today)


def _before_last(question: str, today: date) -> Iterator[Span]:
    """Return the week, the month, the year before this one where the question names it."""
    monday, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    one = timedelta(days=1)
    if LAST_WEEK.search(question):
        yield Span(monday - 7 * one, monday - one)
    if LAST_MONTH.search(question):
        yield Span((month - one).replace(day=1), month - one)
    if LAST_YEAR.search(question):
        yield Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
