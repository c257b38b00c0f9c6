"""Detection of Chinese text."""

import re

HAN = re.compile(r"[\u3400-\u9fff]")
# Han characters, and the full-width punctuation that only such texts have.
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff01-\uff5e]")


def is_chinese(text: str) -> bool:
    """Return True if a text is Chinese; an accent or a curly quote does not make it so."""
    return CHINESE.search(text) is not None
