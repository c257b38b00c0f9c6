"""Evidence read with a question: which sentence of which piece answers, and how surely."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from state.schema import Evidence
from wenmai.language.sentences import statement_spans
from wenmai.language.spans import Span, covering
from wenmai.minds.reading.calibration import answered, calibrated
from wenmai.minds.reading.needs import Reader

READ_KINDS = ("passage", "document", "memory")
WINDOWS = 10
"""Pieces that are read: the first of a ranking, which hold the answer of nearly all questions."""
THREADS = 2
LONGEST_SENTENCE = 160
"""Characters; of a longer one the part around the answer is quoted."""


@dataclass(frozen=True, slots=True)
class Read:
    """What the reader found in a piece.

    Attributes:
        number: of the piece in the evidence, from 1.
        piece: the evidence.
        answer: the words that answer.
        sentence: the sentence that holds them, verbatim.
        score: log odds that it answers, comparable over the pieces of a question.
    """

    number: int
    piece: Evidence
    answer: str
    sentence: str
    score: float

    @property
    def probability(self) -> float:
        """The calibrated probability that the sentence answers the question, 0 to 1."""
        return calibrated(self.score)


async def read(reader: Reader, question: str, pieces: Sequence[tuple[int, Evidence]]) -> list[Read]:
    """Read pieces with a question, the likeliest answer first.

    Args:
        reader: the encoder.
        question: the resolved question.
        pieces: evidence with its numbers, the best first; so many of them as are worth it are read.
    """
    texts = [(number, piece) for number, piece in pieces if piece["kind"] in READ_KINDS][:WINDOWS]
    found = await asyncio.to_thread(_all, reader, question, texts)
    return sorted(found, key=lambda one: -one.score)


def _all(reader: Reader, question: str, pieces: Sequence[tuple[int, Evidence]]) -> list[Read]:
    with ThreadPoolExecutor(THREADS) as pool:
        found = pool.map(lambda row: _one(reader, question, *row), pieces)
        return [one for one in found if one]


def _one(reader: Reader, question: str, number: int, piece: Evidence) -> Read | None:
    text = piece["text"]
    answer = reader.answer(question, text)
    if answer is None:
        return None
    start, end = covering(statement_spans(text), answer.span)
    if end - start > LONGEST_SENTENCE:
        start, end = _around(text, (start, end), answer.span)
    score = answered(answer.margin, answer.answerable, answer.sentence((start, end)))
    return Read(number, piece, text[slice(*answer.span)], text[start:end], score)


def _around(text: str, sentence: Span, span: Span) -> Span:
    """Return whole clauses around a span, at most as long as a quotation may be."""
    start, end = span
    while start > sentence[0] and end - start < LONGEST_SENTENCE and text[start - 1] not in "。！？!?\n":
        start -= 1
    while end < sentence[1] and end - start < LONGEST_SENTENCE and text[end - 1] not in "。！？!?\n":
        end += 1
    return start, end
