"""How texts are compared: simplified and traditional Chinese as one, width and case folded, by the pairs they share."""

import math
import re
import unicodedata
from collections.abc import Callable
from functools import cache, lru_cache

LEAST_SHARE = 0.03  # characters that simplified Chinese does not have, from which share on a text counts as traditional
STANDARD = "gb2312"  # the characters of simplified Chinese, and a few traditional ones that it has kept
KEPT = frozenset("沈")  # surnames that the converter takes for another word
VARIANTS = str.maketrans("著於乾徵藉瞭捱拚", "着于干征借了挨拼")
"""Traditional characters that are standard too, with another meaning: they are one where texts are compared."""
DOTS = str.maketrans(dict.fromkeys("・•‧･∙⋅", "·"))  # the dots between the parts of a foreign name

# Chinese punctuation that NFKC changes; replacing it first lets NFKC skip most texts.
FULL_WIDTH = "\uff0c\uff1a\uff1b\uff01\uff1f\uff08\uff09"  # comma, colon, semicolon, marks, brackets
WIDTH = 0xFEE0


@lru_cache(maxsize=4_096)  # a turn reads the same texts several times
def simplified(text: str) -> str:
    """Return a traditional text as simplified Chinese, of the same length; any other text as it is."""
    odd = {char for char in set(text) if _is_odd(char)}
    if not odd or sum(map(text.count, odd)) < LEAST_SHARE * len(text):
        return text
    converted = _converter()(text)
    if len(converted) != len(text):
        converted = "".join(map(simplified_character, text))
    return "".join(old if old in KEPT else new for old, new in zip(text, converted, strict=True))


def folded(text: str) -> str:
    """Return a text for comparison: NFKC, without case, in simplified script; full-width characters become plain."""
    if text.isascii():
        return text.casefold()
    for sign in FULL_WIDTH:
        text = text.replace(sign, chr(ord(sign) - WIDTH))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", simplified(text)).casefold())


def compared_character(char: str) -> str:
    """Return the character that stands for all that are one in comparisons: of both scripts, of all dots."""
    return simplified_character(char).translate(VARIANTS).translate(DOTS)


def simplified_character(char: str) -> str:
    """Return a traditional character as a simplified one, any other as it is."""
    if not _is_odd(char):
        return char
    converted = _converter()(char)
    return converted if len(converted) == 1 else char


@cache
def _is_odd(char: str) -> bool:
    if not "\u3400" <= char <= "\u9fff":
        return False
    try:
        char.encode(STANDARD)
    except UnicodeEncodeError:
        return True
    return False


@cache
def _converter() -> Callable[[str], str]:
    """Return the converter of the library, whose tables are loaded at the first traditional text.

    Of its kinds the one from Taiwan is right on texts of Taiwan, Hong Kong and older ones alike.
    """
    from opencc import OpenCC

    return OpenCC("tw2s").convert


COMPARED = 1_024  # texts: a keyword is compared with every value, and each value more than once
KEYWORDS = 64  # whose patterns are kept
NOT_LETTERS = re.compile(r"[\W_]+")


@lru_cache(maxsize=COMPARED)
def bare(text: str) -> str:
    return NOT_LETTERS.sub("", folded(text))


@lru_cache(maxsize=COMPARED)
def bigrams(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring characters of a text without blanks and punctuation."""
    letters = bare(text)
    return frozenset(letters[i : i + 2] for i in range(len(letters) - 1))


@lru_cache(maxsize=KEYWORDS)
def any_pair(text: str) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, sorted(bigrams(text)))) or "(?!)")


def is_similar(text: str, wanted: str, least: float) -> bool:
    """Return True if the Dice coefficient of the bigrams of two texts is at least `least` (0 to 1).

    `wanted` is compared with many texts: its pattern is kept.
    """
    letters = bare(text)
    if any_pair(wanted).search(letters) is None:
        return False
    pairs = bigrams(wanted)
    shared = sum(pair in letters for pair in pairs)
    if 2 * shared < least * (len(pairs) + shared):  # a text has at least the pairs that it shares
        return False
    return 2 * shared >= least * (len(pairs) + len(bigrams(text)))


def holds_in_order(text: str, wanted: str) -> bool:
    """Return True if the characters of `wanted` occur in a text in their order, others between them."""
    letters, whole, at = bare(wanted), bare(text), -1
    for letter in letters:
        at = whole.find(letter, at + 1)
        if at < 0:
            return False
    return letters != ""


def inverse_frequency(held: int, total: int) -> float:
    """Return the inverse document frequency of BM25, kept positive, of what `held` of `total` texts have."""
    return math.log(1 + (total - held + 0.5) / (held + 0.5))
