"""Simplified and traditional Chinese meet: both are read and compared as simplified, character for character."""

from collections.abc import Callable
from functools import cache, lru_cache

LEAST_SHARE = 0.03
"""Characters that simplified Chinese does not have, from which share on a text counts as traditional."""
STANDARD = "gb2312"
"""The characters of simplified Chinese, and a few traditional ones that it has kept."""
KEPT = frozenset("沈")
"""Surnames that the converter takes for another word."""
VARIANTS = str.maketrans("著於乾徵藉瞭捱拚", "着于干征借了挨拼")
"""Traditional characters that are standard too, with another meaning: they are one where texts are compared."""
DOTS = str.maketrans(dict.fromkeys("・•‧･∙⋅", "·"))
"""The dots between the parts of a foreign name."""


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
    """Return True for a Chinese character that is not standard simplified."""
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
