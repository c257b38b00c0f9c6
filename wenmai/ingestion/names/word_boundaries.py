"""Spellings that cross the boundary of a word in Chinese text: 子明 in 孩子明天, 马相 in 两马相交."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tools.story.spellings import Spellings
from wenmai.language.segmenting import segmenter

MOSTLY = 0.5
"""A spelling that cuts words at a greater share of its places does so by nature; of others the segmenter may err."""
OFTEN = 3
"""A full name is given for a person: it takes this many cuts to doubt it, an alias but one."""
LONGEST_BEFORE = 3
_CLAUSE = re.compile(r"[\u3400-\u9fff]+")
_PAIR = re.compile(r"[\u3400-\u9fff]{2}")


class _Word(NamedTuple):
    """Where a word stands; a name may begin inside what the dictionary takes for a `person`'s."""

    start: int
    end: int
    person: bool = False


def boundary_crossing(spellings: Spellings, names: Spellings, texts: Sequence[str]) -> Spellings:
    """Return the spellings of two characters that mostly stand across the border of a word or of a full name."""
    pairs = Spellings.compile(word for word in spellings.words if _PAIR.fullmatch(word))
    seen: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    for text in texts:
        seen.update(text[start:end] for start, end in pairs.every(text))
        cut.update(text[start:end] for start, end in crossings(pairs, names, text))
    return Spellings.compile(
        word
        for word, times in cut.items()
        if times > MOSTLY * seen[word] and (times >= OFTEN or word not in names.words)
    )


def crossings(spellings: Spellings, names: Spellings, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a spelling takes a piece of a word, or of one of the full `names`, beside it or around it."""
    for clause in _CLAUSE.finditer(text):
        spans = list(spellings.every(clause[0]))
        words = [*_words(clause[0]), *(_Word(*full) for full in names.every(clause[0]))] if spans else []
        for start, end in spans:
            if clause[0][start - 1 : start] != "字" and any(_is_cut(clause[0], start, end, word) for word in words):
                yield clause.start() + start, clause.start() + end


def _words(clause: str) -> Iterator[_Word]:
    """Yield where the words that bear on names stand in a clause.

    Words of three characters that the dictionary calls a person's name are left out: many are pieces of text.
    """
    at = 0
    for word, tag in segmenter().tag(clause, False):
        person = tag.startswith("nr")
        if len(word) != 3 or not person:
            yield _Word(at, at + len(word), person)
        at += len(word)


def _is_cut(clause: str, start: int, end: int, word: _Word) -> bool:
    """Return True if a name at `[start:end]` leaves a piece of a word.

    No piece is left where the segmenter took the end of a title for the beginning of a word (相国王川: not 国王, for
    相国 is a word), and where a word only goes on behind the name (青石 in 青石板).
    """
    if word.start < start < word.end:
        return not word.person and (end <= word.end or not _ends_word(clause, word.start, start))
    return start < word.start < end < word.end


def _ends_word(clause: str, first: int, end: int) -> bool:
    """Return True if a piece of a word ends another one that begins before it."""
    return any(segmenter().has_word(clause[at:end]) for at in range(max(0, first - LONGEST_BEFORE), first))
