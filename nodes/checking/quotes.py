"""The quotations of a sentence, and whether a text has them."""

import re
from itertools import pairwise

from nodes.results.citations import letters
from tools.language import HAN

LEAST_CHINESE, LEAST_LATIN = 4, 12
"""Letters of a quotation that is compared; shorter ones are names and words that are only set apart."""
NEAR = 0.8
"""Share of a quotation's pairs of letters from which on a text has it, but for a slip."""
_QUOTED = re.compile(r"“([^“”]+)”|「([^「」]+)」|『([^『』]+)』|(?<!\w)\"([^\"\n]+)\"|(?<!\w)‘([^‘’\n]{12,})’(?!\w)")
_LEFT_OUT = re.compile(r"…+|\.{3,}|\[[^\]]*\]")


def quotes_of(text: str) -> list[str]:
    """Return the quotations of a text that are long enough to be compared, without their marks."""
    found = (next(part for part in match.groups() if part) for match in _QUOTED.finditer(text))
    return [quote for quote in found if len(letters(quote)) >= (LEAST_CHINESE if HAN.search(quote) else LEAST_LATIN)]


def unquoted(text: str) -> str:
    """Return a text without its quotations."""
    return _QUOTED.sub("", text)


def holds(text: str, quote: str) -> bool:
    """Return True if a text, given by its letters, has every part of a quotation, in order; its marks do not count."""
    at = 0
    for part in filter(None, map(letters, _LEFT_OUT.split(quote))):
        found = text.find(part, at)
        if found < 0:
            return False
        at = found + len(part)
    return True


def likeness(text: str, quote: str) -> float:
    """Return the share of a quotation's pairs of letters that a text, given by its letters, has."""
    quoted = letters(quote)
    pairs = {a + b for a, b in pairwise(quoted)}
    return sum(pair in text for pair in pairs) / len(pairs) if pairs else 0.0
