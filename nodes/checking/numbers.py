"""The numbers that a sentence states, in figures or words, Chinese or English."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.text.numerals import NUMERAL, ORDINAL_WORDS, UNIT_WORDS, parse_number, parse_ordinal

_TEN_THOUSAND, _THOUSAND = 10_000, 1_000
_MULTIPLES = {"dozen": 12, "score": 20, "decade": 10, "decades": 10, "hundred": 100, "thousand": 1000, "million": 10**6}
_CHINESE_UNITS = {
    "年": "year",
    "月": "month",
    "星期": "week",
    "日": "day",
    "天": "day",
    "小时": "hour",
    "分钟": "minute",
}
_ADVERBS = {"twice": 2, "thrice": 3}
_MEASURES = "年月日天夜岁级里两斤枚块根文钱元次遍回章卷册副幅页吨米尺丈寸秒倍号层桌匹头只艘条架间座届亩石斗"
_FIGURES = r"\d+(?:,\d{3})*(?:\.\d+)?"
_CHINESE = re.compile(
    rf"(?P<vague>[几数多]?)(?P<number>{_FIGURES}|[{NUMERAL}万亿]+)(?P<measure>[{_MEASURES}个人名]|分钟|小时|公斤|千克|个(?:月|小时|时辰|星期)|)"
)
_ENGLISH = re.compile(
    rf"(?P<number>{_FIGURES}|(?<![a-z])(?:{UNIT_WORDS})(?:[ -](?:{UNIT_WORDS}|hundred|and))*(?![a-z]))"
    rf"(?:[ -](?P<multiple>{'|'.join(_MULTIPLES)})(?![a-z]))?"
    r"(?:[ -](?P<unit>year|month|week|day|hour|minute)s?(?![a-z]))?",
    re.IGNORECASE,
)
_ORDINAL = re.compile(
    rf"(?<![a-z])(?:(?:{UNIT_WORDS})(?: hundred(?: and)?)?[ -])*(?:{ORDINAL_WORDS})(?![a-z])|\b\d+(?:st|nd|rd|th)\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(rf"\b(?:{'|'.join(_ADVERBS)})\b", re.IGNORECASE)
_UNITS = frozenset("百千万亿")
"""Words like 千万, which means by all means, are made of them alone."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number at `[start:end]` of a text; a `loose` one may be part of a word, or only say a or both.

    `unit` is the unit of time behind it, '' for any other word.
    """

    start: int
    end: int
    value: float
    loose: bool
    unit: str = ""

    def fits(self, other: "Number") -> bool:
        """Return True if another number may be the same one."""
        return self.value == other.value and (not self.unit or not other.unit or self.unit == other.unit)


def numbers_of(text: str) -> list[Number]:
    """Return the numbers of a text, in order."""
    return sorted({*_chinese(text), *_english(text)}, key=lambda one: one.start)


def _chinese(text: str) -> Iterator[Number]:
    for match in _CHINESE.finditer(text):
        written, measure = match["number"], match["measure"]
        value = _value(written)
        if value is None or match["vague"]:
            continue
        is_bare = not measure or measure in "个人名"
        is_word = is_bare and not written[0].isascii() and (len(written) == 1 or _UNITS.issuperset(written))
        loose = is_word or written in ("一", "1")
        unit = _CHINESE_UNITS.get(measure.removeprefix("个"), "")
        yield Number(match.start("number"), match.end("number"), value, loose, unit)


def _value(written: str) -> float | None:
    """Read figures with commas, or Chinese numerals with 万 and 亿."""
    if written[0].isascii():
        return float(written.replace(",", ""))
    total = 0.0
    for unit, size in (("亿", _TEN_THOUSAND**2), ("万", _TEN_THOUSAND)):
        head, found, written = written.rpartition(unit)
        part = parse_number(head) if found else 0
        if part is None:
            return None
        total += part * size
    part = parse_number(written) if written else 0
    return None if part is None else total + part


def _english(text: str) -> Iterator[Number]:
    for match in _ENGLISH.finditer(text):
        written = match["number"].lower()
        value = float(written.replace(",", "")) if written[0].isdigit() else _words(written)
        if value is None:
            continue
        multiple = _MULTIPLES.get((match["multiple"] or "").lower(), 1)
        end = match.end("multiple") if match["multiple"] else match.end("number")
        loose = written in ("one", "two") and multiple == 1
        yield Number(match.start(), end, value * multiple, loose, (match["unit"] or "").lower())
    for match in _ORDINAL.finditer(text):
        if (value := _place(match[0])) is not None:
            yield Number(match.start(), match.end(), value, loose=True)
    for match in _ADVERB.finditer(text):
        yield Number(match.start(), match.end(), float(_ADVERBS[match[0].lower()]), loose=True)


def _words(written: str) -> float | None:
    found = parse_number(written.removesuffix(" and"))
    return None if found is None else float(found)


def _place(written: str) -> float | None:
    """Read an ordinal: first, twenty-third, two hundred and thirty-first, 4th."""
    head, found, rest = written.lower().rpartition(" hundred")
    last = parse_ordinal(rest.removeprefix(" and").strip(" -"))
    hundreds = parse_number(head) if found else 0
    return None if last is None or hundreds is None else float(100 * hundreds + last)
