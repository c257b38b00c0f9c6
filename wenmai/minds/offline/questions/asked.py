"""A question as a text is searched and read for it: its names by any spelling, and its words."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from nodes.results.citations import bigrams
from state.schema import Evidence
from tools.networks.words import blanked
from tools.story.list_characters import Introducing
from tools.story.names import NameTable, fold
from tools.text.scripts import inverse_frequency
from wenmai.minds.offline.questions.question import Question, content_words


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as its parts are looked for in a text.

    Attributes:
        names: those that it asks about, each with a pattern of all of its spellings for folded texts.
        pairs: bigrams of its words beside the names.
        words: its content words.
        introducing: what tells who the person is that it asks about; None for another question.
    """

    names: Mapping[str, re.Pattern[str]]
    pairs: frozenset[str]
    words: tuple[str, ...]
    introducing: Introducing | None = None

    @classmethod
    def of(cls, question: Question, table: NameTable) -> "Asked":
        """Take a question apart."""
        names = {name: naming(name, table) for name in question.entities}
        rest = blanked(question.text, question.mentions)
        introducing = Introducing.of(spellings_of(question.entities[0], table)) if question.kind == "who" else None
        return cls(names, frozenset(bigrams(rest)), tuple(content_words(question.text)), introducing)

    @classmethod
    def nameless(cls, question: str) -> "Asked":
        """Take a question apart where there is no list of names."""
        return cls({}, frozenset(bigrams(question)), tuple(content_words(question)))

    def named(self, text: str, piece: Evidence) -> float:
        """Return the share of the asked names in a part of a piece of evidence; 1 where none is asked.

        A person that the piece means without a name, as it does its narrator, is meant in all of it.
        """
        if not self.names:
            return 1.0
        part, whole = fold(text), fold(piece["text"])
        meant = {
            name for name, pattern in self.names.items() if name in piece["entities"] and not pattern.search(whole)
        }
        return sum(name in meant or bool(self.names[name].search(part)) for name in self.names) / len(self.names)

    def introduced(self, sentence: str) -> float:
        """Return how much a sentence says of who the person in question is, at least 0."""
        return max(0.0, self.introducing.points(sentence)) if self.introducing else 0.0

    def worded(self, text: str) -> float:
        """Return the share of the question's bigrams beside its names in a text."""
        return len(self.pairs & bigrams(text)) / len(self.pairs) if self.pairs else 0.0


def context_of(sentences: Sequence[tuple[int, int]], span: tuple[int, int], text: str) -> str:
    """Return a sentence with the one before it and the one behind."""
    at = [number for number, one in enumerate(sentences) if one[0] < span[1] and span[0] < one[1]] or [0]
    first, last = max(0, at[0] - 1), min(len(sentences) - 1, at[-1] + 1)
    return text[sentences[first][0] : sentences[last][1]]


@lru_cache(maxsize=64)  # each piece of evidence is looked through for the same few names
def naming(name: str, table: NameTable) -> re.Pattern[str]:
    """Return a pattern that finds a name by any spelling in a folded text, as a whole word where words have borders."""
    spellings = map(fold, spellings_of(name, table))
    return re.compile("|".join(rf"(?<![a-z0-9]){re.escape(one)}(?![a-z0-9])" for one in spellings))


def spellings_of(name: str, table: NameTable) -> Sequence[str]:
    """Return all spellings of a name; itself where the table does not know it."""
    return table.aliases(name) or [name]


def shares(question: str, texts: Sequence[str]) -> list[float]:
    """Return 0..1 for each text: the share of the question's bigrams in it; rare ones weigh more."""
    folded = [fold(text) for text in texts]
    pairs = sorted(bigrams(question))  # sums of floats depend on the order
    weights = {pair: inverse_frequency(sum(pair in text for text in folded), len(folded)) for pair in pairs}
    total = sum(weights.values())
    return [sum(weight for pair, weight in weights.items() if pair in text) / (total or 1.0) for text in folded]


SPELLINGS = 3
"""Other spellings of a name in a query, the most mentioned first."""


def words_of(question: Question) -> list[str]:
    """Return the content words beside the names."""
    return content_words(blanked(question.text, question.mentions))


def expanded(question: Question, table: NameTable) -> str:
    """Return names, each with its other spellings, the most mentioned first, then the words."""
    names: list[str] = []
    for name in question.entities:
        others = [one for one in table.entities.get(name, ()) if one.text != name]
        others.sort(key=lambda one: (-one.mentions, one.text))
        names += [name, *(one.text for one in others[:SPELLINGS])]
    return " ".join(dict.fromkeys([*names, *words_of(question)])) or question.text
