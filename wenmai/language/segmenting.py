"""The one Chinese segmenter of the process."""

from functools import cache
from typing import Protocol, cast


class Segmenter(Protocol):
    """Cuts Chinese text into tagged words."""

    def tag(self, text: str, hmm: bool) -> list[tuple[str, str]]:
        """Return (word, part of speech) pairs; with `hmm` words that no dictionary knows are guessed."""
        ...

    def has_word(self, word: str) -> bool: ...


@cache
def segmenter() -> Segmenter:
    """Return the segmenter; its dictionary is loaded at the first call."""
    import rjieba  # at its import it loads the dictionary for its own functions: another Jieba would hold it twice

    return cast(Segmenter, rjieba)  # has_word is not among its exported names


def cut(text: str) -> list[str]:
    """Cut a text into words, in order; those that no dictionary knows are guessed."""
    return [word for word, _ in segmenter().tag(text, True)]


def tag_of(word: str) -> str:
    return segmenter().tag(word, True)[0][1]
