"""Evidence read with a question: which sentence of which piece answers, and how surely."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from nodes.results.citations import quotable
from nodes.roles import AnswerReader, ReadAnswer
from state.schema import Evidence
from tools.evidence import edge_of
from wenmai.language.spans import Span, covering, meet
from wenmai.minds.offline.calibration import Signs, answered, calibrated
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.questions.asked import Asked, context_of
from wenmai.minds.offline.sentences import sentences_of

READ_KINDS = ("passage", "document", "memory", "relation", "event")
PIECES = 8
"""Pieces that are read: the first of a ranking, which hold the answer of nearly all questions."""
THREADS = 2
_CLAUSE_ENDS = "。！？!?\n；;，,"
_TAG_BEHIND = '”」』"’'
LONGEST_SENTENCE, LONGEST_TAG = 160, 14
"""Characters of a quotation, and of words like 老周问。 behind a speech, which say nothing without it."""

Numbered = tuple[int, Evidence]
"""A piece with its number in the evidence, from 1."""


@dataclass(frozen=True, slots=True)
class Read:
    """What the reader found in a piece.

    Attributes:
        number: of the piece in the evidence, from 1.
        piece: the evidence.
        answer: the words that answer.
        sentence: the sentence that holds them; verbatim where the piece is a text.
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


async def read(reader: AnswerReader, question: str, asked: Asked, pieces: Sequence[Numbered]) -> list[Read]:
    """Read pieces with a question, the likeliest answer first.

    Args:
        reader: the encoder.
        question: the resolved question, or a part of it.
        asked: its names and words.
        pieces: evidence with its numbers, the best first; so many of them as are worth it are read.
    """
    texts = [(number, piece) for number, piece in pieces if piece["kind"] in READ_KINDS][:PIECES]
    found = await asyncio.to_thread(_all, reader, question, asked, texts)
    return sorted(found, key=lambda one: -one.score)


def _all(reader: AnswerReader, question: str, asked: Asked, pieces: Sequence[Numbered]) -> list[Read]:
    with ThreadPoolExecutor(THREADS) as pool:
        rows = pool.map(lambda row: _one(reader, question, asked, row), pieces)
        return [one for found in rows for one in found]


def _one(reader: AnswerReader, question: str, asked: Asked, row: Numbered) -> list[Read]:
    """Return what each window of a piece has; what it finds in headings is quoted from the sentences below them."""
    number, piece = row
    text = readable(piece)
    sentences = sentences_of(piece, text)
    found = []
    for answer in reader.answers(question, text):
        is_told = any(meet(one, answer.span) for one in sentences)
        span = covering(sentences, answer.span) if is_told else max(sentences, key=answer.sentence)
        signs = signs_of(answer, span, asked, piece, context_of(sentences, span, text))
        shown = _around(text, span, answer.span) if span[1] - span[0] > LONGEST_SENTENCE else _with_speech(text, span)
        found.append(Read(number, piece, text[slice(*answer.span)], text[slice(*shown)], answered(signs)))
    return found


def signs_of(answer: ReadAnswer, span: Span, asked: Asked, piece: Evidence, context: str) -> Signs:
    """Return what speaks for an answer whose sentence has this span and context; a chunk speaks as a whole."""
    is_chunk = piece["kind"] == "document"
    return Signs(
        margin=answer.margin,
        answerable=answer.answerable,
        sentence=answer.sentence(span),
        named=asked.named(context),
        worded=said_share(asked.words, whole(piece)) if is_chunk else asked.worded(context),
    )


def readable(piece: Evidence) -> str:
    """Return a piece as text: of a relation its ends, what joins them and its quotation."""
    edge = edge_of(piece)
    if edge is None:
        return piece["text"]
    quote = quotable(piece)
    told = f"{edge.source} → {edge.target}：{edge.description or edge.type}"
    return f"{told} 「{quote}」" if quote != piece["text"] else told


def _with_speech(text: str, span: Span) -> Span:
    """Return a sentence with the speech before it, where it only says who spoke."""
    start, end = span
    if end - start > LONGEST_TAG or text[start - 1 : start] not in tuple(_TAG_BEHIND):
        return span
    opened = max(text.rfind(mark, 0, start - 1) for mark in "“「『‘\n")
    return (opened + (text[opened] == "\n"), end) if opened >= 0 and end - opened <= LONGEST_SENTENCE else span


def _around(text: str, sentence: Span, span: Span) -> Span:
    """Return whole clauses around a span, at most as long as a quotation may be."""
    start, end = span
    while True:
        earlier = max(text.rfind(mark, sentence[0], max(sentence[0], start - 1)) + 1 for mark in _CLAUSE_ENDS)
        earlier = max(sentence[0], earlier)
        later = min(
            (at + 1 for mark in _CLAUSE_ENDS if (at := text.find(mark, end, sentence[1])) >= 0), default=sentence[1]
        )
        grown = [(earlier, end), (start, later)]
        fitting = [one for one in grown if one != (start, end) and one[1] - one[0] <= LONGEST_SENTENCE]
        if not fitting:
            return start, end
        start, end = fitting[0]
