"""The keyword score of a memory (0..1), and the order of results."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.memory.records import FoundMemory, Memory

TERM_WEIGHT = 0.3
TERM_COUNT = 0.2


@dataclass(frozen=True, slots=True)
class Terms:
    """The words of a search, lower case: `asked` are the given keywords, or the query's own words without any.

    `given` words filter: a memory must contain any of them. `added` ones come from the expander and only add score.
    """

    given: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def scored(self) -> tuple[str, ...]:
        """The terms that score."""
        return tuple(dict.fromkeys((*self.asked, *self.added)))

    def allow(self, memory: Memory) -> bool:
        """Return True if a memory contains any of the given keywords, or none are given."""
        return not self.given or any(term in text for text in _texts(memory) for term in self.given)

    def share_of_given(self, memory: Memory) -> float:
        """Return the share of the given keywords that a memory contains, 0 if none are given."""
        texts = _texts(memory)
        return sum(any(term in text for text in texts) for term in self.given) / max(1, len(self.given))

    def score(self, memory: Memory) -> float:
        """Return the keyword score."""
        texts = _texts(memory)
        matched = {term for term in self.scored if any(term in text for text in texts)}
        if not matched:
            return 0.0
        weight = sum(_weight(memory, term) for term in matched)
        share = len(matched.intersection(self.asked)) / len(self.asked) if self.asked else 0.0
        return max(min(weight * TERM_WEIGHT + len(matched) * TERM_COUNT, 1.0), share)


def lowered(words: Sequence[str]) -> tuple[str, ...]:
    """Return words lower case, without blanks and duplicates."""
    return tuple(dict.fromkeys(word.strip().casefold() for word in words if word.strip()))


def best_first(found: FoundMemory) -> tuple[float, float, float, str]:
    """Return the sort key of results: relevance, then the score, then the newest, then the key."""
    return -found.relevance, -found.score, -found.memory.created_at.timestamp(), found.memory.memory_key


def _texts(memory: Memory) -> list[str]:
    words = [one.keyword for one in memory.keywords]
    return [text.casefold() for text in (*words, memory.summary or "", memory.content)]


def _weight(memory: Memory, term: str) -> float:
    """Return the weight of the memory's keyword that contains a term; 0 for a term in its text alone."""
    return max((one.weight for one in memory.keywords if term in one.keyword.casefold()), default=0.0)
