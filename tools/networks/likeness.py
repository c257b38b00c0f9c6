"""How like each other two short texts are, character by character."""

import re
import unicodedata
from functools import lru_cache

KEPT = 1_024  # texts: a keyword is compared with every value, and each value more than once
NOT_LETTERS = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Return a text for comparison: width and case folded."""
    return unicodedata.normalize("NFKC", text).casefold()


@lru_cache(maxsize=KEPT)
def bare(text: str) -> str:
    """Return a text without blanks and punctuation."""
    return NOT_LETTERS.sub("", plain(text))


def bigrams(text: str) -> set[str]:
    """Return the pairs of neighbouring characters of a text without blanks and punctuation."""
    letters = bare(text)
    return {letters[i : i + 2] for i in range(len(letters) - 1)}


def similarity(one: str, other: str) -> float:
    """Return the Dice coefficient of the bigrams of two texts, 0..1."""
    a, b = bigrams(one), bigrams(other)
    return 2 * len(a & b) / (len(a) + len(b)) if a and b else 0.0


def holds_in_order(text: str, wanted: str) -> bool:
    """Tell whether the characters of `wanted` occur in a text in their order."""
    rest = iter(bare(text))
    letters = bare(wanted)
    return bool(letters) and all(char in rest for char in letters)
