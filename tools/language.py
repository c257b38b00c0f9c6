"""Detection of Chinese text, and lengths in it."""

import re

HAN = re.compile(r"[\u3400-\u9fff]")
# Han characters, and the full-width punctuation that only such texts have.
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff01-\uff5e]")
LATIN_FACTOR = 2
"""Characters of Latin script that say as much as one Chinese character."""


def is_chinese(text: str) -> bool:
    """Return True if a text is Chinese; an accent or a curly quote does not make it so."""
    return CHINESE.search(text) is not None


def characters(text: str, count: int) -> int:
    """Return how many characters of a text's script say as much as `count` Chinese ones."""
    return count if HAN.search(text) else LATIN_FACTOR * count
