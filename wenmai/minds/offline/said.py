"""What two sentences of the evidence say of a question: its names, its words, its pairs of characters."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from tools.story.linking import fold
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.matching import Term, Weights, windows
from wenmai.minds.offline.ranker import Ranked

TEXTS = ("passage", "event", "relation")
PIECES = 12  # of the best ones, whose sentences are looked at
APART = 200  # characters; what does not meet within two sentences is that far apart
QUESTION_WORD = re.compile(
    "什么|啥|哪|几(?!乎)|多少|谁|怎么|怎样|如何|咋|[为因]何|(?<!任)何[时处人地故]|多[大高长重久远]"
)


@dataclass(frozen=True, slots=True)
class Window:
    """Two sentences.

    Attributes:
        text: the sentences.
        rank: place of their piece, 0 for the best.
        names: 0..1, how many of the question's names they have; 1 where it has none.
        said: 0..1, the weighted share of its other words; 1 where it has none.
        pairs: 0..1, the weighted share of its pairs of characters.
        words: the keys of the words that they have.
    """

    text: str
    rank: int
    names: float
    said: float
    pairs: float
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Said:
    """A question taken into names and words, the weights of both, and the windows of its best evidence.

    `focus` is the word that stands nearest to the question word: 女儿 of 吕布的女儿叫什么.
    """

    names: Sequence[Term]
    words: Sequence[Term]
    weights: Weights
    windows: Sequence[Window]
    focus: Term | None

    @classmethod
    def of(cls, analysis: Analysis, terms: Sequence[Term], ranked: Sequence[Ranked]) -> "Said":
        """Read the best pieces."""
        weights = Weights.of(terms, analysis.question, [row.piece for row in ranked])
        names = [term for term in terms if term.entity]
        words = [term for term in terms if not term.entity]
        texts = [row.piece["text"] for row in ranked if row.piece["kind"] in TEXTS][:PIECES]
        seen = [window for rank, text in enumerate(texts) for window in read(text, rank, names, words, weights)]
        return cls(names, words, weights, seen, focus_of(analysis, words))

    def with_names(self) -> list[Window]:
        """Return the windows that have every name of the question."""
        return [window for window in self.windows if window.names >= 1.0]

    def weight(self, words: Iterable[Term]) -> float:
        """Return how much some words weigh together."""
        return sum(self.weights.terms[word.key] for word in words)

    def share(self, words: Sequence[Term], among: Sequence[Window]) -> float:
        """Return 0..1: the largest weighted share of some words that one of these windows has; -1 for no words."""
        total = self.weight(words)
        if not total:
            return -1.0
        return (
            max((self.weight(one for one in words if one.key in window.words) for window in among), default=0.0) / total
        )

    def unsaid(self, among: Sequence[Window]) -> float:
        """Return 0..1: the weighted share of the words that none of these windows has."""
        heard = frozenset[str]().union(*(window.words for window in among))
        total = self.weight(self.words)
        return self.weight(word for word in self.words if word.key not in heard) / total if total else 0.0

    def apart(self) -> float:
        """Return how many characters are between the focus and a name, where they are nearest; -1 without one."""
        if self.focus is None or not self.names:
            return -1.0
        near = [window for window in self.with_names() if self.focus.key in window.words]
        return min((distance(window.text, self.focus, self.names) for window in near), default=APART)


def read(text: str, rank: int, names: Sequence[Term], words: Sequence[Term], weights: Weights) -> Iterator[Window]:
    """Yield the windows of a text; what the whole of it lacks is not looked for in them."""
    whole = fold(text)
    named = [term for term in (one.within(whole) for one in names) if term.forms]
    told = [term for term in (one.within(whole) for one in words) if term.forms]
    pairs = {pair: weight for pair, weight in weights.bigrams.items() if pair in whole}
    of_words, of_pairs = sum(weights.terms[one.key] for one in words), sum(weights.bigrams.values())
    for window in windows(text):
        folded = fold(window)
        heard = {term.key: share for term in told if (share := term.said(folded))}
        said = sum(weights.terms[key] * share for key, share in heard.items())
        shared = sum(weight for pair, weight in pairs.items() if pair in folded)
        yield Window(
            text=window,
            rank=rank,
            names=sum(term.said(folded) > 0 for term in named) / len(names) if names else 1.0,
            said=said / of_words if of_words else 1.0,
            pairs=shared / of_pairs if of_pairs else 0.0,
            words=frozenset(heard),
        )


def focus_of(analysis: Analysis, words: Sequence[Term]) -> Term | None:
    """Return the word nearest to the question word, of two equally near ones that behind it."""
    asked = QUESTION_WORD.search(analysis.plain)
    if asked is None:
        return None
    start, end = asked.span()

    def gap(word: Term) -> tuple[int, bool]:
        at = analysis.plain.find(word.key)
        return (at - end, False) if at >= end else (start - at - len(word.key), True)

    return min((word for word in words if word.key in analysis.plain), key=gap, default=None)


def distance(text: str, word: Term, names: Sequence[Term]) -> float:
    """Return how many characters lie between the beginnings of a word and of the name that is nearest to it."""
    folded = fold(text)
    at = [found.start() for form, _ in word.forms for found in re.finditer(re.escape(form), folded)]
    named = [
        found.start() for name in names for form, _ in name.forms for found in re.finditer(re.escape(form), folded)
    ]
    return float(min((abs(one - other) for one in at for other in named), default=APART))
