"""What a question is worded like, in signs: its characters and its parts of speech in runs, names as one character."""

import re
from collections.abc import Iterator

from wenmai.minds.offline.reading import MASK, Reading, Word

NAME = "甲"
"""What stands for any name; 某甲 is nobody."""
BEGIN, END = "^", "$"
CHARACTERS, KINDS = 2, 3  # longest runs: longer ones told no more when held out
_MASKED = re.compile(f"{MASK}+")
_MARKS = "，。？?！! "


def plain_text(masked: str) -> str:
    """Return a masked text with one character for each name, without marks at its ends."""
    return _MASKED.sub(NAME, masked.strip(_MARKS))


def runs(text: str, longest: int = CHARACTERS) -> Iterator[str]:
    """Yield the runs of 1 to `longest` characters."""
    for length in range(1, longest + 1):
        yield from (text[at : at + length] for at in range(len(text) - length + 1))


def kinds(reading: Reading, longest: int = KINDS) -> Iterator[str]:
    """Yield the runs of 1 to `longest` parts of speech of a question."""
    row = [BEGIN, *(_kind(word, reading) for word in reading.words), END]
    for length in range(1, longest + 1):
        yield from ("kinds " + " ".join(row[at : at + length]) for at in range(len(row) - length + 1))


def _kind(word: Word, reading: Reading) -> str:
    if MASK in reading.masked[word.start : word.end]:
        return NAME
    return "他" if word.text[:1] in "他她其" else word.tag[:2]


def counted(**counts: tuple[float, int]) -> list[str]:
    """Return a sign for each count, which from a most on is the same."""
    return [f"{name}={min(most, int(count))}" for name, (count, most) in counts.items()]
