"""Months and days that a text names, in Chinese and English."""

import re
from calendar import monthrange
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from tools.language import HAN
from tools.text.numerals import UNIT_WORDS, parse_number

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

    def days_after(self, day: date) -> int:
        """Return the days from the span to a day: 0 inside, negative before."""
        spans = [(self.first, self.last)]
        if not self.year:
            spans = [(_in_year(self.first, year), _in_year(self.last, year)) for year in (day.year, day.year - 1)]
        return min((max(0, (day - last).days) for first, last in spans if first <= day), default=-1)

    def meets(self, other: "DaySpan") -> bool:
        """Return True if any day is in both; `other` is of one year."""
        if self.year:
            return self.first <= other.last and other.first <= self.last
        return self.days_after(other.last) in range((other.last - other.first).days + 1)

    def widened(self, days: int) -> "DaySpan":
        return replace(self, first=self.first - timedelta(days), last=self.last + timedelta(days)) if days else self

    def __str__(self) -> str:
        """Return the day, month or year in the order of ISO 8601, of other spans both ends."""
        first, last = self.first, self.last
        if first == last:
            return first.isoformat()
        if first.day == 1 and (last + timedelta(1)).day == 1:
            if (first.month, last.month) == (1, 12) and first.year == last.year:
                return str(first.year)
            if (first.year, first.month) == (last.year, last.month):
                return first.isoformat()[: len("2024-08")]
        return f"{first}/{last}"


@dataclass(frozen=True, slots=True)
class NamedDays:
    """Where a text names days; `about` are days by which words such as "2 weeks ago" may miss."""

    start: int
    end: int
    days: DaySpan
    about: int = 0


def dates_in(question: str) -> Iterator[DaySpan]:
    """Yield the months and days that a text names, in the order of their patterns."""
    yield from (one.days for one in _dates(question))


def _dates(text: str) -> Iterator[NamedDays]:
    text = BARE_MAY.sub(lambda found: " " * len(found[0]), text)
    taken: set[int] = set()
    for pattern in (ISO_DATE, CHINESE_DATE, DAY_FIRST, MONTH_FIRST):
        for match in pattern.finditer(text):
            if taken.isdisjoint(range(*match.span("month"))):
                taken.update(range(*match.span("month")))
                yield from (NamedDays(*match.span(), one) for one in _span(match["year"], match["month"], match["day"]))


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


COUNT = rf"(?P<count>\d{{1,3}}|[一二两三四五六七八九十]{{1,3}}|半|a|an|{UNIT_WORDS})"
AGO = re.compile(
    rf"(?<![\w])(?:about\s+|around\s+)?{COUNT}\s*(?P<unit>days?|weeks?|months?|years?)\s+(?P<en>ago|from now)\b"
    rf"|(?:大约|大概)?{COUNT.replace('<count>', '<zh>')}\s*(?P<unit_zh>天|周|个?星期|个?礼拜|个?月|年)多?"
    r"(?P<way>以?前|之前|以?后|之后)",
    re.IGNORECASE,
)
DAYS = {  # of words that mean one day
    r"大前天": -3,
    r"(?<!大)前[天晚]|\bthe day before yesterday\b|\bday before yesterday\b": -2,
    r"昨[天晚日夜]|(?<!before )\byesterday\b|\blast night\b": -1,
    r"今[天早晚日]|\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b": 0,
    r"明[天早晚日]|(?<!after )\btomorrow\b": 1,
    r"(?<!大)后天|\bday after tomorrow\b": 2,
}
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
WEEKDAY = "|".join(WEEKDAYS)
WEEKDAY_NUMBERS = {name: at for names in ("一二三四五六日", WEEKDAYS) for at, name in enumerate(names)} | {"天": 6}
NEARBY = re.compile(  # a week, month or year beside this one, or a day of such a week
    rf"\b(?P<which>last|this|next|past|coming)\s+(?:(?P<day>{WEEKDAY})|(?P<unit>week(?:end)?|month|year|{MONTH_NAME}))\b"
    r"|(?P<which_zh>上上|上|这|本|下)一?个?(?:周|星期|礼拜)(?P<day_zh>[一二三四五六日天末])?"
    r"|(?P<month_zh>上上|上|这|本|下)一?个?月|(?P<year_zh>[前去今明])年",
    re.IGNORECASE,
)
STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "last": -1, "past": -1, "this": 0, "next": 1, "coming": 1}
YEARS = {"前": -2, "去": -1, "今": 0, "明": 1}
FEW_DAYS = re.compile(r"最近几天|这几天|past few days", re.IGNORECASE)
YEAR_ALONE = re.compile(
    rf"\b(?:in|during|since|of)\s+{YEAR}\b(?!-)|{YEAR.replace('<year>', '<zh>')}年(?!\d*月)", re.IGNORECASE
)
RECURRING = re.compile(r"生日|每年|纪念日|\b(?:birthday|anniversary|every|each|always)\b", re.IGNORECASE)
AHEAD = re.compile(
    r"将|会在|打算|准备|计划|要[去到在]|\b(?:will|going to|plan(?:ning)? to|(?:is|are|am) \w+ing)\b|['’]ll\b", re.I
)
"""What is said of the time to come: a month without a year is then the next one."""

ASKS_WHEN = re.compile(
    r"^\W*(?:when|(?:(?:on|in|at) )?(?:what|which) (?:day|date|time|month|year)|how long ago|since when)\b"
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
    """Return the days that a question names, those of words like 上周 counted from `now`, in the speaker's own zone."""
    return [one.days.widened(one.about) for one in named_days(question, now.date())]


def named_days(text: str, today: date) -> list[NamedDays]:
    """Return where a text names days, months or years: dates first, then words that count from today."""
    dates = [*_dates(text)]
    found = [one for one in _years(text) if not _met(one, dates)]
    return [*dates, *found, *(one for one in _relative(text, today) if not _met(one, dates))]


def said_days(text: str, today: date) -> list[NamedDays]:
    """Return the days that a statement of today speaks of, each of its own year, in order.

    A month or day without a year is the last one that has begun, in what is said of the time to come the next one;
    what comes every year stays open.
    """
    found = list[NamedDays]()
    for one in sorted(named_days(text, today), key=lambda one: (one.start, -one.end)):
        days = one.days
        if not days.year:
            if RECURRING.search(text):
                continue
            first = _in_year(days.first, today.year)
            is_ahead = bool(AHEAD.search(text))
            year = today.year - (first > today and not is_ahead)
            year += is_ahead and _in_year(days.last, today.year) < today
            if found and found[-1].end == one.start:  # 去年3月
                before = found.pop()
                year, one = before.days.first.year, replace(one, start=before.start)
            days = DaySpan(_in_year(days.first, year), _in_year(days.last, year))
        if not any(other.start < one.end and one.start < other.end for other in found):
            found.append(replace(one, days=days))
    return found


def with_days(text: str, days: Iterable[tuple[int, str]]) -> str:
    """Return a text with days in brackets behind the words that mean them; `days` are where these end, and the day."""
    left, right = ("（", "）") if HAN.search(text) else (" (", ")")
    for end, day in sorted(days, reverse=True):
        text = f"{text[:end]}{left}{day}{right}{text[end:]}"
    return text


def _met(one: NamedDays, others: Iterable[NamedDays]) -> bool:
    return any(one.start < other.end and other.start < one.end for other in others)


def _years(text: str) -> Iterator[NamedDays]:
    for match in YEAR_ALONE.finditer(text):
        year = int(match["year"] or match["zh"])
        start = match.start("year") if match["year"] else match.start()
        yield NamedDays(start, match.end(), DaySpan(date(year, 1, 1), date(year, 12, 31)))


def _relative(text: str, today: date) -> Iterator[NamedDays]:
    for pattern, days in DAYS.items():
        for match in re.finditer(pattern, text, re.IGNORECASE):
            day = today + timedelta(days)
            yield NamedDays(*match.span(), DaySpan(day, day))
    for match in FEW_DAYS.finditer(text):
        yield NamedDays(*match.span(), DaySpan(today - timedelta(4), today))
    for match in AGO.finditer(text):
        yield from _ago(match, today)
    for match in NEARBY.finditer(text):
        yield NamedDays(*match.span(), _nearby(match, today))


def _ago(match: re.Match[str], today: date) -> Iterator[NamedDays]:
    word = (match["count"] or match["zh"]).lower()
    number = 1 if word in ("a", "an") else parse_number(word)
    if number is None:  # 半年前 is no number of days
        return
    sign = 1 if (match["en"] or "").lower() == "from now" or "后" in (match["way"] or "") else -1
    unit = (match["unit"] or match["unit_zh"]).removeprefix("个").lower()
    if unit[0] in "天d周星礼w":
        days = number * (1 if unit[0] in "天d" else 7)
        day = today + sign * timedelta(days)
        yield NamedDays(*match.span(), DaySpan(day, day), about=0 if unit[0] in "天d" else 3)
    elif unit[0] in "月m":
        yield NamedDays(*match.span(), _month(today, sign * number))
    else:
        yield NamedDays(*match.span(), _year(today.year + sign * number))


def _nearby(match: re.Match[str], today: date) -> DaySpan:
    if match["year_zh"]:
        return _year(today.year + YEARS[match["year_zh"]])
    if match["month_zh"]:
        return _month(today, STEPS[match["month_zh"]])
    step = STEPS[(match["which_zh"] or match["which"]).lower()]
    monday = today - timedelta(today.weekday()) + timedelta(7 * step)
    if match["which_zh"]:
        day = match["day_zh"]
        if day is None or day == "末":
            return DaySpan(monday + timedelta(5 if day else 0), monday + timedelta(6))
        one = monday + timedelta(WEEKDAY_NUMBERS[day])
        return DaySpan(one, one)
    if match["day"]:
        at = WEEKDAY_NUMBERS[match["day"].lower()]
        one = today - timedelta(today.weekday() - at)
        if step:  # last Friday is the Friday before today, next Friday the one after it
            beside = (one - today).days * step
            one += timedelta(7 * step if beside <= 0 else 0)
        return DaySpan(one, one)
    unit = match["unit"].lower()
    if unit in ("week", "weekend"):
        return DaySpan(monday + timedelta(5 if unit == "weekend" else 0), monday + timedelta(6))
    if unit == "month":
        return _month(today, step)
    if unit == "year":
        return _year(today.year + step)
    month = [name[:3] for name in MONTHS].index(unit[:3]) + 1  # last March
    year = today.year + (step if step else 0)
    year += (step == -1 and month < today.month) - (step == 1 and month > today.month)
    return _month(date(year, month, 1), 0)


def _month(day: date, step: int) -> DaySpan:
    year, month = divmod(day.year * 12 + day.month - 1 + step, 12)
    return DaySpan(date(year, month + 1, 1), date(year, month + 1, monthrange(year, month + 1)[1]))


def _year(year: int) -> DaySpan:
    return DaySpan(date(year, 1, 1), date(year, 12, 31))
