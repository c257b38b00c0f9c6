"""What answers where the reader is missing: the sentences that share most with the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from nodes.results.citations import bigrams
from tools.text.sentences import statement_spans
from wenmai.language.spans import Span

STEEPNESS, HALF = 12.0, 0.45
"""Of the log odds of a sentence by the share of the question that it holds; at `HALF` they are even."""


@dataclass(frozen=True, slots=True)
class Extract:
    """A sentence in place of a read answer; every log odds is that of its overlap."""

    span: Span
    margin: float

    @property
    def answerable(self) -> float:
        """The same log odds: nothing else is known."""
        return self.margin

    def sentence(self, span: Span) -> float:
        """Return the same log odds."""
        return self.margin


class Extractor:
    """Picks sentences by the share of the question's bigrams that they hold."""

    def answers(self, question: str, passage: str) -> Sequence[Extract]:
        """Return the best sentence of a passage, [] for an empty one."""
        wanted = bigrams(question)
        shares = [
            (len(wanted & bigrams(passage[start:end])) / max(1, len(wanted)), (start, end))
            for start, end in statement_spans(passage)
        ]
        if not shares:
            return []
        share, span = max(shares, key=lambda row: (row[0], -row[1][0]))
        return [Extract(span, STEEPNESS * (share - HALF))]


def no_reader() -> None:
    """Return no reader: sentences are picked by their words."""
