"""Longest match of many spellings in a text: an index by first character, linear in the text."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass


def _latin(char: str) -> bool:
    return char.isalnum() and char.isascii()


def bounded(text: str, start: int, end: int) -> bool:
    """Return True if a Latin spelling is a whole word here; other scripts have no word borders."""
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

    def with_words(self, words: Iterable[str]) -> "Spellings":
        """Return these spellings and others."""
        other = Spellings.compile(words)
        lengths = {
            char: tuple(sorted({*sizes, *self.lengths.get(char, ())}, reverse=True))
            for char, sizes in other.lengths.items()
        }
        return Spellings(self.words | other.words, self.lengths | lengths)

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
