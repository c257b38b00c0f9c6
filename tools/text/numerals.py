"""Numbers as chapter headings write them: 第一百零五回, 廿三, Ⅻ, XIV, twenty-one, １２."""

import re
import unicodedata

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {
    "〇": 0, "○": 0, "两": 2, "兩": 2, "壹": 1, "贰": 2, "貳": 2, "叁": 3, "參": 3, "肆": 4, "伍": 5,
    "陆": 6, "陸": 6, "柒": 7, "捌": 8, "玖": 9,
}  # fmt: skip
_UNITS = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_TENS = {"廿": "二十", "卄": "二十", "卅": "三十", "卌": "四十"}
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_WORDS = {
    "zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip

_ORDINALS = {
    "first": "one", "second": "two", "third": "three", "fifth": "five", "eighth": "eight", "ninth": "nine",
    "twelfth": "twelve",
}  # fmt: skip

NUMERAL = "0-9０-９零〇○一二三四五六七八九十百千两兩廿卄卅卌壹贰貳叁參肆伍陆陸柒捌玖拾佰仟"


UNIT_WORDS = "|".join(_WORDS)
ORDINAL_WORDS = "|".join(
    [*_ORDINALS, *(re.sub(r"y$", "ie", word) + "th" for word in _WORDS if word not in _ORDINALS.values())]
)
"""The English words of numbers below a hundred, as alternatives of a pattern."""


def parse_number(text: str) -> int | None:
    """Read a whole number in Arabic, Chinese, Roman or English notation; None if it is none of them."""
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    if plain.isascii() and plain.isdigit():
        return int(plain)
    return next((n for n in (_chinese(plain), _english(plain), _roman(plain)) if n is not None), None)


def _chinese(text: str) -> int | None:
    """Read 一百零五, 一百十, 廿三, 二〇三, 三千."""
    for short, long in _TENS.items():
        text = text.replace(short, long)
    if not text or any(char not in _DIGITS and char not in _UNITS for char in text):
        return None
    if not any(char in _UNITS for char in text):
        return int("".join(str(_DIGITS[char]) for char in text))
    total, digit = 0, 0
    for char in text:
        if char in _UNITS:
            total += (digit or 1) * _UNITS[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return total + digit


def parse_ordinal(text: str) -> int | None:
    """Read first ... ninety-ninth, and 21st; None if it is none of them."""
    match = re.fullmatch(r"(.*?)([a-z]+|\d+(?:st|nd|rd|th))", text.strip().lower())
    if not match:
        return None
    if match[2][0].isdigit():
        return int(match[2][:-2])
    cardinal = _ORDINALS.get(match[2]) or re.sub(r"ieth$", "y", match[2]).removesuffix("th")
    return None if cardinal == match[2] else _english(match[1] + cardinal)


def _english(text: str) -> int | None:
    """Read one ... nine hundred and ninety-nine."""
    head, hundred, rest = text.replace("-", " ").partition(" hundred")
    words = [word for word in (rest if hundred else head).split() if word != "and"]
    if len(words) > 2 or any(word not in _WORDS for word in words) or not (words or hundred):
        return None
    if hundred and head not in _WORDS:
        return None
    return (100 * _WORDS[head] if hundred else 0) + sum(_WORDS[word] for word in words)


def _roman(text: str) -> int | None:
    """Read i ... mmmcmxcix."""
    if not text or any(char not in _ROMAN for char in text):
        return None
    values = [_ROMAN[char] for char in text]
    following = [*values[1:], 0]
    return sum(-a if a < b else a for a, b in zip(values, following, strict=True))
