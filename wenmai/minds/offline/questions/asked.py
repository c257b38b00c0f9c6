"""How much of a question a part of a text says: its names by any spelling, and its words."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.results.citations import bigrams
from tools.story.linking import NameTable, fold
from wenmai.minds.offline.questions.question import Question
from wenmai.minds.offline.questions.words import content_words, without_names


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as its parts are looked for in a text.

    Attributes:
        spellings: folded spellings of each name that it asks about.
        pairs: bigrams of its words beside the names.
        words: its content words.
    """

    spellings: tuple[tuple[str, ...], ...]
    pairs: frozenset[str]
    words: tuple[str, ...]

    @classmethod
    def of(cls, question: Question, table: NameTable) -> "Asked":
        """Take a question apart."""
        spellings = tuple(tuple(fold(one) for one in table.aliases(name) or [name]) for name in question.entities)
        rest = without_names(question.text, question.mentions)
        return cls(spellings, frozenset(bigrams(rest)), tuple(content_words(question.text)))

    @classmethod
    def nameless(cls, question: str) -> "Asked":
        """Take a question apart where there is no list of names."""
        return cls((), frozenset(bigrams(question)), tuple(content_words(question)))

    def named(self, text: str) -> float:
        """Return the share of the asked names in a text; 1 where none is asked."""
        if not self.spellings:
            return 1.0
        folded = fold(text)
        return sum(any(one in folded for one in name) for name in self.spellings) / len(self.spellings)

    def worded(self, text: str) -> float:
        """Return the share of the question's bigrams beside its names in a text."""
        return len(self.pairs & bigrams(text)) / len(self.pairs) if self.pairs else 0.0


def context_of(sentences: Sequence[tuple[int, int]], span: tuple[int, int], text: str) -> str:
    """Return a sentence with the one before it and the one behind."""
    at = [number for number, one in enumerate(sentences) if one[0] < span[1] and span[0] < one[1]] or [0]
    first, last = max(0, at[0] - 1), min(len(sentences) - 1, at[-1] + 1)
    return text[sentences[first][0] : sentences[last][1]]
