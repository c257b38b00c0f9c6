"""Evidence read with a question: which sentence of which piece answers, and how surely; without the reader by words."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from nodes.results.citations import bigrams
from nodes.roles import AnswerReader, ReadAnswer
from state.schema import Evidence
from tools.documents.query_table import ROW
from tools.documents.records import HEADING_JOINT
from tools.language import HAN, characters
from tools.text.sentences import CELLS, statement_spans, wrapped_at
from wenmai.language.spans import Span, covering, meet
from wenmai.minds.offline.calibration import Signs, answered, calibrated
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.questions.asked import Asked, context_of, shares

READ_KINDS = ("passage", "document", "memory", "relation", "event")
PIECES, CHINESE_PARTS, LATIN_PARTS = 10, 10, 13
"""Pieces whose parts may be read, and parts that are: English words tell less of where the answer is."""
CHINESE_PART, LATIN_PART = 280, 840
"""Characters of a part: what the encoder takes at once."""
BEHIND = 0.06
"""Share of a question's words that a piece one place higher in the ranking is worth."""
_CLAUSE_ENDS = "。！？!?\n；;，,"
_TAG_BEHIND = '”」』"’'
LONGEST_SENTENCE, LONGEST_TAG = 160, 14
"""Chinese characters of a quotation, and of words like 老周问。 behind a speech, which say nothing without it."""
STEEPNESS, HALF = 12.0, 0.45
"""Of the log odds of a sentence by the share of the question that it holds; at `HALF` they are even."""


def sentences_of(piece: Evidence, text: str) -> list[Span]:
    """Return the spans of a piece's sentences, without the headings of a document; a relation or an event is one."""
    if piece["kind"] == "passage":
        return statement_spans(text)
    if piece["kind"] in ("document", "memory"):
        place = (piece["location"] or "").split(HEADING_JOINT)  # a chunk may begin with what its place names
        return _of_lines(text, place)
    return [(0, len(text))]


def _of_lines(text: str, headings: Sequence[str]) -> list[Span]:
    """Return the sentences of each line, a row of a table whole; a line that its layout broke goes on in the next."""
    wrapped = set(wrapped_at(text))
    cuts = [at for at, sign in enumerate(text) if sign == "\n" and at not in wrapped]
    lines = [(start + 1, end) for start, end in pairwise([-1, *cuts, len(text)])]
    spans: list[Span] = []
    for start, end in lines:
        line = text[start:end]
        if ROW.match(line):
            spans.append((start, end))
        elif CELLS not in line and (spans or line.strip() not in headings):
            spans += [(start + first, start + last) for first, last in statement_spans(line)]
    return spans or [(0, len(text))]


@dataclass(frozen=True, slots=True)
class Read:
    """What the reader found in a piece.

    Attributes:
        piece: the evidence.
        answer: the words that answer.
        sentence: the sentence that holds them; verbatim where the piece is a text.
        score: log odds that it answers, comparable over the pieces of a question.
        start: offset of the answer in the readable text of the piece.
    """

    piece: Evidence
    answer: str
    sentence: str
    score: float
    start: int = 0

    @property
    def probability(self) -> float:
        """The calibrated probability that the sentence answers the question, 0 to 1."""
        return calibrated(self.score)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a piece that is read at once: the piece's place in the ranking, and where the part is."""

    rank: int
    piece: Evidence
    text: str
    start: int


async def read(reader: AnswerReader, question: str, asked: Asked, pieces: Sequence[Evidence]) -> list[Read]:
    """Read the likeliest parts of the evidence with a question; what was found comes with the likeliest answer first.

    Args:
        reader: the encoder.
        question: the resolved question, or a part of it.
        asked: its names and words.
        pieces: the evidence, the best first.
    """
    texts = [piece for piece in pieces if piece["kind"] in READ_KINDS][:PIECES]
    parts = [part for rank, piece in enumerate(texts) for part in parts_of(rank, piece)]
    found = await asyncio.to_thread(_all, reader, question, asked, chosen(question, parts))
    return sorted(found, key=lambda one: -one.score)


def parts_of(rank: int, piece: Evidence) -> list[Part]:
    """Cut a passage into parts of whole sentences; anything else is one part."""
    text = readable(piece)
    if piece["kind"] != "passage":
        return [Part(rank, piece, text, 0)]
    longest = CHINESE_PART if HAN.search(text) else LATIN_PART
    spans: list[Span] = []
    for start, end in sentences_of(piece, text):
        if spans and end - spans[-1][0] <= longest:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [Part(rank, piece, text[start:end], start) for start, end in spans]


def chosen(question: str, parts: Sequence[Part]) -> list[Part]:
    """Return the parts that say most of the question, those of the best pieces first where they say as much."""
    said = shares(question, [part.text for part in parts])
    best = sorted(range(len(parts)), key=lambda at: BEHIND * parts[at].rank - said[at])
    most = CHINESE_PARTS if any(HAN.search(part.text) for part in parts) else LATIN_PARTS
    return [parts[at] for at in sorted(best[:most])]


@cache
def reader_threads() -> ThreadPoolExecutor:
    """Return threads that last: each keeps its memory, and new ones would take more every time."""
    return ThreadPoolExecutor(2, thread_name_prefix="reader")


def _all(reader: AnswerReader, question: str, asked: Asked, parts: Sequence[Part]) -> list[Read]:
    rows = reader_threads().map(lambda part: _one(reader, question, asked, part), parts)
    return [one for found in rows for one in found]


def _one(reader: AnswerReader, question: str, asked: Asked, part: Part) -> list[Read]:
    """Return what each window of a part has; what it finds in headings is quoted from the sentences below them."""
    text, piece = part.text, part.piece
    sentences = sentences_of(piece, text)
    found = []
    for answer in reader.answers(question, text):
        is_told = any(meet(one, answer.span) for one in sentences)
        span = covering(sentences, answer.span) if is_told else max(sentences, key=answer.sentence)
        signs = signs_of(answer, span, asked, piece, (text[slice(*span)], context_of(sentences, span, text)))
        is_long = span[1] - span[0] > characters(text, LONGEST_SENTENCE)
        shown = _around(text, span, answer.span) if is_long else _with_speech(text, span)
        start = part.start + answer.span[0]
        found.append(Read(piece, text[slice(*answer.span)], text[slice(*shown)], answered(signs), start))
    return found


def signs_of(answer: ReadAnswer, span: Span, asked: Asked, piece: Evidence, said: tuple[str, str]) -> Signs:
    """Return what speaks for an answer, by its sentence and the context of that.

    A chunk of a document speaks as a whole; where no name is asked, its share of the words stands for names too.
    """
    sentence, context = said
    chunk = said_share(asked.words, whole(piece)) if piece["kind"] == "document" else None
    return Signs(
        margin=answer.margin,
        answerable=answer.answerable,
        sentence=answer.sentence(span),
        named=asked.named(context, piece) if chunk is None or asked.names else chunk,
        worded=asked.worded(context) if chunk is None else chunk,
        introduced=asked.introduced(sentence),
    )


def readable(piece: Evidence) -> str:
    """Return a piece as text: of a relation its ends, what joins them and its quotation."""
    if (edge := piece.get("edge")) is None:
        return piece["text"]
    quote = piece.get("quote", "")
    colon, opened, closed = "：「」" if HAN.search(quote or piece["text"]) else (": ", "“", "”")
    relation = f"{edge['source']} → {edge['target']}{colon}{edge['description'] or edge['type']}"
    return f"{relation} {opened}{quote}{closed}" if quote else relation


def _with_speech(text: str, span: Span) -> Span:
    """Return a sentence with the speech before it, where it only says who spoke."""
    start, end = span
    if end - start > characters(text, LONGEST_TAG) or text[start - 1 : start] not in tuple(_TAG_BEHIND):
        return span
    opened = max(text.rfind(mark, 0, start - 1) for mark in "“「『‘\n")
    is_short = opened >= 0 and end - opened <= characters(text, LONGEST_SENTENCE)
    return (opened + (text[opened] == "\n"), end) if is_short else span


def _around(text: str, sentence: Span, span: Span) -> Span:
    """Return whole clauses around a span, at most as long as a quotation may be."""
    start, end = span
    longest = characters(text, LONGEST_SENTENCE)
    while True:
        earlier = max(text.rfind(mark, sentence[0], max(sentence[0], start - 1)) + 1 for mark in _CLAUSE_ENDS)
        earlier = max(sentence[0], earlier)
        later = min(
            (at + 1 for mark in _CLAUSE_ENDS if (at := text.find(mark, end, sentence[1])) >= 0), default=sentence[1]
        )
        grown = [(earlier, end), (start, later)]
        fitting = [one for one in grown if one != (start, end) and one[1] - one[0] <= longest]
        if not fitting:
            return start, end
        start, end = fitting[0]


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
