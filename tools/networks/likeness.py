"""Similarity of two short texts, character by character."""

import re
import unicodedata
from functools import lru_cache

from rapidfuzz.distance import LCSseq

from tools.text.scripts import simplified

KEPT = 1_024  # texts: a keyword is compared with every value, and each value more than once
KEYWORDS = 64  # whose patterns are kept
NOT_LETTERS = re.compile(r"[\W_]+")


def plain(text: str) -> str:
    """Return a text for comparison: width, case and script folded."""
    return unicodedata.normalize("NFKC", simplified(text)).casefold()


@lru_cache(maxsize=KEPT)
def bare(text: str) -> str:
    """Return a text without blanks and punctuation."""
    return NOT_LETTERS.sub("", plain(text))


@lru_cache(maxsize=KEPT)
def bigrams(text: str) -> frozenset[str]:
    """Return the pairs of neighbouring characters of a text without blanks and punctuation."""
    letters = bare(text)
    return frozenset(letters[i : i + 2] for i in range(len(letters) - 1))


@lru_cache(maxsize=KEYWORDS)
def any_pair(text: str) -> re.Pattern[str]:
    """Return a pattern that finds any pair of neighbouring characters of a text."""
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
    letters = bare(wanted)
    size = len(letters)
    return size > 0 and LCSseq.similarity(bare(text), letters, score_cutoff=size) == size
