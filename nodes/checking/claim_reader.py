"""What the reader thinks of a sentence: whether a text says it, and who or how many it says where the sentence asks."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from nodes.checking.grounds import Ground, words_of
from nodes.roles import AnswerReader, ReadAnswer
from tools.language import HAN, characters

MOST_READS = 32
"""Texts that are read for a draft; what comes later is judged by its words alone."""
WINDOW = 280
"""Chinese characters of a text that is read, around the sentence that is nearest to the claim."""
Span = tuple[int, int]
Asking = Literal["who", "what", "number"]
_ASKING: dict[Asking, tuple[str, str]] = {
    "who": ("谁", "who"),
    "what": ("什么", "what"),
    "number": ("多少", "how many"),
}


@dataclass(slots=True)
class ClaimReader:
    """A reader for one draft, which reads at most so many texts."""

    reader: AnswerReader
    left: int = MOST_READS
    _known: dict[tuple[str, str], ReadAnswer | None] = field(default_factory=dict)

    def margin(self, sentence: str, ground: Ground, words: frozenset[str]) -> float | None:
        """Return the log odds that a piece has what a sentence says; None where no more may be read."""
        found = self._best(sentence, window(ground, words))
        return found.margin if found else None

    def asked(self, sentence: str, span: Span, kind: Asking, ground: Ground) -> "ReaderAnswer | None":
        """Return what a piece says in place of a part of a sentence, None if nothing is read."""
        start, end = span
        asking = _ASKING[kind][0 if HAN.search(sentence) else 1]
        question = f"{sentence[:start]}{asking}{sentence[end:]}".rstrip("。.！!；; ") + "？"
        text = window(ground, words_of(sentence))
        found = self._best(question, text)
        return ReaderAnswer(text, text[slice(*found.span)], found.span[0], found.margin) if found else None

    def answer(self, question: str, ground: Ground, words: frozenset[str]) -> ReadAnswer | None:
        """Return the best answer of a piece."""
        return self._best(question, window(ground, words))

    def _best(self, question: str, text: str) -> ReadAnswer | None:
        key = (question, text)
        if key not in self._known and text.strip() and self.left > 0:
            self.left -= 1
            self._known[key] = max(self.reader.answers(question, text), key=lambda one: one.margin, default=None)
        return self._known.get(key)


@dataclass(frozen=True, slots=True)
class ReaderAnswer:
    """What a text says where a sentence was asked: the words, where in the text, and the log odds of them."""

    text: str
    words: str
    start: int
    margin: float


def window(ground: Ground, words: frozenset[str]) -> str:
    """Return the part of a piece around the sentence that says most of some words; a short piece whole."""
    text = ground.text
    longest = characters(text, WINDOW)
    if len(text) <= longest:
        return text
    sentences = [sentence for sentence, _ in ground.sentences]
    nearest = ground.nearest(words)[0]
    first = last = sentences.index(nearest) if nearest in sentences else 0
    for first_next, last_next in _growing(first, last, len(sentences)):
        if sum(map(len, sentences[first_next : last_next + 1])) > longest:
            break
        first, last = first_next, last_next
    return "\n".join(sentences[first : last + 1])


def _growing(first: int, last: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield ever wider ranges, one sentence more before and behind in turn."""
    while first > 0 or last < count - 1:
        first = max(0, first - 1)
        yield first, last
        last = min(count - 1, last + 1)
        yield first, last
