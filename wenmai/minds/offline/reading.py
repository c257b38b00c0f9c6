"""Evidence read with a question: which sentence answers, how surely (docs/reader.md); without the reader by words."""

import asyncio
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from functools import cache
from itertools import pairwise

from nodes.roles import AnswerReader
from state.schema import Evidence
from tools.documents.query_table import ROW
from tools.documents.records import HEADING_JOINT
from tools.language import HAN, characters
from tools.probability import logistic
from tools.text.scripts import bigrams
from tools.text.sentences import CELLS, ENDS, ITEM, STOPS, TIMED, statement_spans, wrapped_at
from wenmai.language.lexicon import patterns
from wenmai.language.spans import Span, covering, meet
from wenmai.minds.offline.documents.asking import said_share, whole
from wenmai.minds.offline.questions.question import ParsedQuestion, QuestionParts, context_of, in_classical, shares


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for an answer.

    Attributes:
        margin: log odds of its span against "no answer here".
        answerable: log odds that its window answers at all.
        sentence: log odds that its sentence answers.
        named: share of the asked names in its sentence and those beside it.
        worded: share of the question's other bigrams there, in English stories of its other words.
        introduced: points of its sentence as one that says who a person is, where that is asked.
        behind: places of its passage behind the first one in the ranking.
    """

    margin: float
    answerable: float
    sentence: float
    named: float
    worded: float
    introduced: float = 0.0
    behind: float = 0.0


WEIGHTS = Signs(margin=0.12, answerable=0.30, sentence=0.29, named=0.8, worded=1.2, introduced=0.6, behind=-0.12)
SLOPE, OFFSET = 0.74, -0.79
SLOPE_OF_PROSE, OFFSET_OF_PROSE = 1.1, -3.1
"""Of the logistic curves (Platt 1999). English prose of files says near things in the words of a question that it does
not answer: its curve is fitted to questions of XQuAD on passages among their neighbours, and on neighbours alone."""
REFUSAL, REFUSAL_OF_STORIES, REFUSAL_OF_FILES, REFUSAL_OF_PROSE = 0.25, 0.21, 0.3, 0.1
"""A best answer that is less probable is none, see `least_chance`; files speak of many things in the same words. 0.21
on the curve of stories is what 0.25 is on the other: below a half none passes, and an unsure one is worth showing."""
EXTRACT = 0.4
"""The most that is claimed without a reader: words that are shared answer nothing by themselves."""
STATED, MET, SUMMED_UP = 0.8, 0.3, 0.5
"""Probabilities of what needs no reading: what a graph, a network or the book's own list says of the very thing that
is asked; that two people spoke with each other, where their relation is asked; a summary made of sentences, which
holds what a reader asked for in half of the cases."""


def answered(signs: Signs) -> float:
    total: float = sum(weight * sign for weight, sign in zip(astuple(WEIGHTS), astuple(signs), strict=True))
    return total


def calibrated(score: float, *, is_prose: bool = False) -> float:
    return logistic(SLOPE_OF_PROSE * score + OFFSET_OF_PROSE if is_prose else SLOPE * score + OFFSET)


STORY_SLOPE, STORY_OFFSET, YES_OR_NO, IN_TIME, IDENTITY = 0.81, -0.97, 1.26, -1.03, -1.4
"""Of the curve of answers from a story: the reader doubts sentences that repeat a question, as those do that yes or no
answers, does not check what comes before or after something, and takes a sentence that names a person for one that
says who that is (docs/reader.md)."""
ASKS = patterns("wenmai.minds.offline.questions", "sayings.toml")


def chance(question: str, read: "Read") -> float:
    """Return the probability that what was read answers a question, of a file or a memory by its signs alone."""
    if read.piece["kind"] != "passage":
        return read.probability
    kind = YES_OR_NO * bool(ASKS["yes_or_no"].search(question)) + IN_TIME * bool(ASKS["in_time"].search(question))
    return logistic(STORY_SLOPE * read.score + STORY_OFFSET + kind)


def claim(question: ParsedQuestion, read: "Read") -> float:
    """Return the probability that is claimed of an answer: less of who a person is, never so little as of none."""
    likely = chance(question.text, read)
    if not (question.asks_identity and read.piece["kind"] == "passage"):
        return likely
    least = least_chance(read.piece, read.sentence)
    return max(min(likely, least), logistic(STORY_SLOPE * read.score + STORY_OFFSET + IDENTITY))


def is_prose(text: str) -> bool:
    """Return True for English prose, if the text is of a file."""
    return not (HAN.search(text) or TIMED.search(text))


def least_chance(piece: Evidence, text: str) -> float:
    """Return the probability from which on a text that a piece bears out is given as an answer."""
    if piece["kind"] != "document":
        return REFUSAL_OF_STORIES if piece["kind"] == "passage" else REFUSAL
    return REFUSAL_OF_PROSE if is_prose(text) else REFUSAL_OF_FILES


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
LONGEST_HEADING = 20
"""Chinese characters of a line that may be a heading which its file does not mark."""
LEAST_MESSAGES = 2
OFFERED = re.compile(r"还是|或者|\bor\b", re.IGNORECASE)
"""Words between the answers that a question offers: the right one of them is a name that it says itself."""
ECHO = 0.6
"""Share of a question's bigrams in a message that asks the same."""
STEEPNESS, HALF = 12.0, 0.45
"""Of the log odds of a sentence by the share of the question that it holds; at `HALF` they are even."""


def sentences_of(piece: Evidence, text: str) -> list[Span]:
    """Return the spans of a piece's sentences, without the headings of a document; a relation or an event is one."""
    if piece["kind"] == "passage" and not TIMED.search(text):
        return statement_spans(text)
    if piece["kind"] not in ("document", "memory", "passage"):
        return [(0, len(text))]
    # Of each line, a row of a table whole; a line that its layout broke goes on in the next.
    headings = f"{HEADING_JOINT}{piece['location'] or ''}"  # a chunk may begin with what its place names
    wrapped = set(wrapped_at(text))
    cuts = [at for at, sign in enumerate(text) if sign == "\n" and at not in wrapped]
    lines = [(start + 1, end) for start, end in pairwise([-1, *cuts, len(text)])]
    spans: list[Span] = []
    for start, end in lines:
        line = text[start:end]
        if ROW.match(line) or TIMED.search(line):
            spans.append((start, end))
        elif (
            CELLS not in line
            and (spans or f"{HEADING_JOINT}{line.strip()}" not in headings)
            and not is_unmarked_heading(line, text[end + 1 :])
        ):
            spans += [(start + first, start + last) for first, last in statement_spans(line)]
    return spans or [(0, len(text))]


def is_unmarked_heading(line: str, below: str) -> bool:
    """Return True for a short line without an end of a sentence that stands above a longer one with an end."""
    following = below.split("\n", 1)[0].rstrip()
    is_short = len(line) <= characters(line, LONGEST_HEADING) and len(following) > 2 * len(line)
    return is_short and not line.rstrip().endswith(ENDS) and not ITEM.match(line) and following.endswith((*STOPS, "."))


@dataclass(frozen=True, slots=True)
class Read:
    """What the reader found in a piece.

    Attributes:
        piece: the evidence.
        answer: the words that answer.
        sentence: the sentence that holds them; verbatim where the piece is a text.
        score: log odds that it answers, comparable over the pieces of a question.
        start: offset of the answer in the readable text of the piece.
        most: the most that may be claimed of it, 0 to 1.
    """

    piece: Evidence
    answer: str
    sentence: str
    score: float
    start: int = 0
    most: float = 1.0

    @property
    def probability(self) -> float:
        """The calibrated probability that the sentence answers the question, 0 to 1."""
        return min(self.most, calibrated(self.score, is_prose=self.is_prose))

    @property
    def is_prose(self) -> bool:
        """True for English prose of a file."""
        return self.piece["kind"] == "document" and is_prose(self.sentence)

    def answers(self, question: str) -> bool:
        """Return True if it is probable enough to be given as an answer."""
        return chance(question, self) >= least_chance(self.piece, self.sentence)


@dataclass(frozen=True, slots=True)
class EvidencePart:
    """A part of a piece that is read at once: the piece's place in the ranking, and where the part is."""

    rank: int
    piece: Evidence
    text: str
    start: int


async def read(reader: AnswerReader, question: str, asked: QuestionParts, pieces: Sequence[Evidence]) -> list[Read]:
    """Read the likeliest parts of the evidence with a question; what was found comes, the likeliest answer first."""
    texts = [piece for piece in pieces if piece["kind"] in READ_KINDS][:PIECES]
    parts = [part for rank, piece in enumerate(texts) for part in parts_of(rank, piece)]
    # Those that say most of the question, those of the best pieces first where they say as much.
    said = shares(question, [part.text for part in parts])
    best = sorted(range(len(parts)), key=lambda at: BEHIND * parts[at].rank - said[at])
    most = CHINESE_PARTS if any(HAN.search(part.text) for part in parts) else LATIN_PARTS
    chosen = [parts[at] for at in sorted(best[:most])]
    found = await asyncio.to_thread(_all, reader, question, asked, chosen)
    return sorted(found, key=lambda one: -one.score)


def is_echo(question: str, sentence: str) -> bool:
    """Return True for a message that asks the question itself: it does not answer it."""
    time = TIMED.search(sentence)
    if not time or not sentence[: time.start()].rstrip().endswith(("?", "？")):
        return False
    wanted = bigrams(question)
    return len(wanted & bigrams(sentence)) >= ECHO * max(1, len(wanted))


def parts_of(rank: int, piece: Evidence) -> list[EvidencePart]:
    """Cut a passage into parts of whole sentences, messages and subtitles into single ones; else it is one part."""
    text = readable(piece)
    if piece["kind"] in ("document", "passage") and (messages := messages_of(text)):
        return [EvidencePart(rank, piece, text[start:end], start) for start, end in messages]
    if piece["kind"] != "passage":
        return [EvidencePart(rank, piece, text, 0)]
    longest = CHINESE_PART if HAN.search(text) else LATIN_PART
    spans: list[Span] = []
    for start, end in sentences_of(piece, text):
        if spans and end - spans[-1][0] <= longest:
            spans[-1] = (spans[-1][0], end)
        else:
            spans.append((start, end))
    return [EvidencePart(rank, piece, text[start:end], start) for start, end in spans]


def messages_of(text: str) -> list[Span]:
    """Return the spans of messages or subtitles, a question with what follows it; [] for any other text."""
    lines = text.split("\n")
    others = [line for line in lines[1:] if line.strip() and not TIMED.search(line)]  # the first may be a heading
    if others or sum(bool(TIMED.search(line)) for line in lines) < LEAST_MESSAGES:
        return []
    spans: list[Span] = []
    is_open, at = False, 0
    for line in lines:
        start, at = at, at + len(line) + 1
        if time := TIMED.search(line):
            spans = [*spans[:-1], (spans[-1][0], at - 1)] if is_open else [*spans, (start, at - 1)]
            is_open = line[: time.start()].rstrip().endswith(("?", "？")) and not is_open
    return spans


@cache
def reader_threads() -> ThreadPoolExecutor:
    """Return threads that last: each keeps its memory, and new ones would take more every time."""
    return ThreadPoolExecutor(2, thread_name_prefix="reader")


def _all(reader: AnswerReader, question: str, asked: QuestionParts, parts: Sequence[EvidencePart]) -> list[Read]:
    rows = reader_threads().map(lambda part: _one(reader, question, asked, part), parts)
    return [one for found in rows for one in found]


def _one(reader: AnswerReader, question: str, asked: QuestionParts, part: EvidencePart) -> list[Read]:
    """Return what each window of a part has; what it finds in headings is quoted from the sentences below them."""
    text, piece = part.text, part.piece
    sentences = [span for span in sentences_of(piece, text) if not is_echo(question, text[slice(*span)])]
    found: list[Read] = []
    if not sentences:
        return found
    for answer in reader.answers(in_classical(asked.to_narrator(question, piece), text), text):
        if ASKS["who"].search(question) and not OFFERED.search(question) and asked.is_about(text[slice(*answer.span)]):
            continue
        told = [one for one in sentences if meet(one, answer.span)]
        span = covering(told, answer.span) if told else max(sentences, key=answer.sentence)
        if piece["kind"] == "document" and "\n" in text[slice(*span)] and len(told) > 1:  # lines apart are no answer
            span = max(told, key=answer.sentence)
        context = context_of(sentences, span, text)
        # A chunk of a document speaks as a whole; where no name is asked, its share of the words stands for names too.
        chunk = said_share(asked.words, whole(piece)) if piece["kind"] == "document" else None
        signs = Signs(
            margin=answer.margin,
            answerable=answer.answerable,
            sentence=answer.sentence(span),
            named=asked.named(context, piece) if chunk is None or asked.names else chunk,
            worded=asked.worded(context, piece) if chunk is None else chunk,
            introduced=asked.introduced(text[slice(*span)]),
            behind=float(part.rank) if piece["kind"] == "passage" else 0.0,
        )
        is_long = span[1] - span[0] > characters(text, LONGEST_SENTENCE)
        shown = _around(text, span, answer.span) if is_long else _with_speech(text, span)
        start = part.start + answer.span[0]
        found.append(Read(piece, text[slice(*answer.span)], text[slice(*shown)], answered(signs), start))
    return found


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
        return self.margin


class SentencePicker:
    """Picks sentences by the share of the question's bigrams that they hold."""

    def answers(self, question: str, passage: str) -> Sequence[Extract]:
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
