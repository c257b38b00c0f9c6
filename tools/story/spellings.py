"""Longest match of many spellings in a text: an index by first character, linear in the text."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass

_NUMERALS = frozenset("零〇一二三四五六七八九十百千两")
_BEFORE_NUMBERS = _NUMERALS | {"第"}
_AFTER_NUMBERS = _NUMERALS | frozenset("个位名年月日天夜岁楼层级间座栋条只张件块枚号次遍章卷册页米尺丈寸里斤元")


def _latin(char: str) -> bool:
    return char.isalnum() and char.isascii()


def _counts(text: str, start: int, end: int) -> bool:
    """Return True if a spelling that is a Chinese number counts something here: 十三 of 十三层 and of 第十三."""
    if text[start] not in _NUMERALS or not _NUMERALS.issuperset(text[start:end]):
        return False
    return text[start - 1 : start] in _BEFORE_NUMBERS or text[end : end + 1] in _AFTER_NUMBERS


def bounded(text: str, start: int, end: int) -> bool:
    """Return True if a Latin spelling is a whole word here, and one that is a number a name.

    Other scripts have no word borders.
    """
    if _counts(text, start, end):
        return False
    opens = start == 0 or not (_latin(text[start]) and _latin(text[start - 1]))
    return opens and (end == len(text) or not (_latin(text[end - 1]) and _latin(text[end])))


@dataclass(frozen=True, slots=True)
class Spellings:
    """A compiled set of spellings."""

    words: frozenset[str]
    lengths: dict[str, tuple[int, ...]]

    @classmethod
    def compile(cls, words: Iterable[str]) -> "Spellings":
        """Index spellings by first character, longest first."""
        kept = frozenset(word for word in words if word)
        lengths: dict[str, set[int]] = {}
        for word in kept:
            lengths.setdefault(word[0], set()).add(len(word))
        return cls(kept, {char: tuple(sorted(sizes, reverse=True)) for char, sizes in lengths.items()})

    def longest(self, text: str, begin: int = 0, barred: Container[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
        """Yield the longest spellings from a place on, left to right, without overlap, as half-open spans.

        A `barred` span is skipped as if it held no spelling.
        """
        lengths, free = self.lengths, begin
        for at in range(begin, len(text)):
            char = text[at]
            if char not in lengths or at < free:
                continue
            for length in lengths[char]:
                if self.matches_at(text, at, at + length) and (at, at + length) not in barred:
                    yield at, at + length
                    free = at + length
                    break

    def every(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every occurrence of every spelling, overlapping ones too."""
        lengths, words, size = self.lengths, self.words, len(text)
        for at, char in enumerate(text):
            for length in lengths.get(char, ()):
                end = at + length
                if text[at:end] in words and end <= size and bounded(text, at, end):
                    yield at, end

    def matches_at(self, text: str, start: int, end: int) -> bool:
        """Return True if `text[start:end]` is a spelling; a span beyond the end of the text is none."""
        return end <= len(text) and text[start:end] in self.words and bounded(text, start, end)
