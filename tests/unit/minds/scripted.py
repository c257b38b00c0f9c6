"""A reader whose answers are written down: what stands in a passage, and how surely."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wenmai.language.spans import Span, meet


@dataclass(frozen=True, slots=True)
class Scripted:
    """An answer; every log odds is `sure`."""

    span: Span
    sure: float

    @property
    def margin(self) -> float:
        return self.sure

    @property
    def answerable(self) -> float:
        return self.sure

    def sentence(self, span: Span) -> float:
        return self.sure if meet(span, self.span) else -self.sure


@dataclass(frozen=True, slots=True)
class ScriptedReader:
    """Finds the words of its script, each with its log odds; nothing in other passages."""

    words: Mapping[str, float]

    def answers(self, question: str, passage: str) -> Sequence[Scripted]:
        found = [(passage.find(word), word, sure) for word, sure in self.words.items() if word in passage]
        return [Scripted((at, at + len(word)), sure) for at, word, sure in found]
