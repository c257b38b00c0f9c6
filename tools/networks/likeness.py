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


@lru_cache(maxsize=KEPT)
def bigrams(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring characters of a text without blanks and punctuation."""
    letters = bare(text)
    return frozenset(letters[i : i + 2] for i in range(len(letters) - 1))


def similarity(text: str, wanted: str) -> float:
    """Return the Dice coefficient of the bigrams of two texts, 0..1; `wanted` is compared with many."""
    letters, pairs = bare(text), bigrams(wanted)
    shared = sum(pair in letters for pair in pairs)
    # Most texts share nothing: their own pairs are counted for the others alone.
    return 2 * shared / (len(pairs) + len(bigrams(text))) if shared else 0.0


def holds_in_order(text: str, wanted: str) -> bool:
    """Tell whether the characters of `wanted` occur in a text in their order."""
    letters, rest, at = bare(wanted), bare(text), 0
    for char in letters:
        at = rest.find(char, at) + 1
        if not at:
            return False
    return bool(letters)
