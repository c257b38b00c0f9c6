"""The reader that the package ships: with a trained encoder it finds answers, names in texts, references in talks."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from tools.errors import ConfigError
from tools.messages import Message
from wenmai.embedders.e5.model import converted
from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.embedders.e5.weights import TokenVectors, Weights, open_weights
from wenmai.embedders.runtime import RuntimeUnavailableError, open_session
from wenmai.language.spans import Span
from wenmai.reader import decoding
from wenmai.reader.decoding import AnswerSpan, Logits
from wenmai.reader.inputs import Input, Inputs, Piece, Turn, talk_text
from wenmai.reader.layout import PASSAGE_ROOM, TEXT_ROOM, Column, TaggedSpan

if TYPE_CHECKING:
    from onnxruntime import InferenceSession  # type: ignore[import-untyped]  # pyright: ignore[reportAttributeAccessIssue]

GRAPH = "reader.onnx"
WORDS, SEGMENTS, LOGITS = "embedded", "segments", "logits"


KEPT_INPUTS: int | None = 256
"""Inputs whose logits are kept, 16 kB each: a talk reads its earlier turns again and again, users ask the same."""


class ReaderModel:
    """Several threads may ask it at once; what it says of an input depends on that input alone."""

    def __init__(self, weights: Weights, session: "InferenceSession") -> None:
        self._session = session
        self._embedded = TokenVectors.of(weights)
        self._kept = lru_cache(KEPT_INPUTS)(self._run)

    @classmethod
    def open(cls, weights: Weights, graph: Path) -> Self:
        """Load the graph. Raises RuntimeUnavailableError."""
        return cls(weights, open_session(graph))

    def logits(self, made: Input) -> Logits:
        return self._run(tuple(made.ids), tuple(made.segments))

    def kept_logits(self, made: Input) -> Logits:
        """Return the logits of an input that may come again soon, such as a question with a passage."""
        return self._kept(tuple(made.ids), tuple(made.segments))

    def _run(self, ids: tuple[int, ...], segments: tuple[int, ...]) -> Logits:
        words = {WORDS: self._embedded(list(ids))[None], SEGMENTS: np.array([segments], np.int64)}
        [found] = self._session.run([LOGITS], words)
        logits = np.asarray(np.asarray(found)[0], np.float32)
        logits.flags.writeable = False  # others get the same array
        return logits


OVERLAP = 48  # tokens that two windows of a long passage share, so that an answer is whole in one of them
NAME_OVERLAP = 16
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Need:
    """What a follow-up needs of its talk.

    Attributes:
        reference: log odds that it needs anything.
        gap: log odds that something is left out.
        mentions: words that stand for something said before.
    """

    reference: float
    gap: float
    mentions: list[TaggedSpan]


@dataclass(frozen=True, slots=True)
class Reader:
    """The encoder with its tokenizer; `graph` is the file that it was read from."""

    model: ReaderModel
    inputs: Inputs
    graph: Path

    @property
    def name(self) -> str:
        """What tells this reader from others: a digest of its file."""
        with self.graph.open("rb") as file:
            return f"{self.graph.stem}-{hashlib.file_digest(file, 'sha256').hexdigest()[:DIGITS]}"

    def answers(self, question: str, passage: str) -> list[AnswerSpan]:
        """Return the best answer of each window of a passage; [] for an empty one."""
        asked, pieces = self.inputs.asked(question), self.inputs.tokenizer.locate(passage)
        found: list[AnswerSpan] = []
        for part in _windows(pieces, PASSAGE_ROOM - len(asked), OVERLAP):
            made = self.inputs.question(asked, part)
            if best := decoding.answer(made, self.model.kept_logits(made)):
                found.append(best)
        return found

    def answer(self, question: str, passage: str) -> AnswerSpan | None:
        return max(self.answers(question, passage), key=lambda one: one.margin + one.answerable, default=None)

    def names(self, text: str) -> list[TaggedSpan]:
        """Return the names of a text in order; `kind` is a `NameKind`."""
        found: list[TaggedSpan] = []
        for part in _windows(self.inputs.tokenizer.locate(text), TEXT_ROOM, NAME_OVERLAP):
            made = self.inputs.text(part)
            fresh = decoding.names(made, self.model.logits(made))
            edge = part[min(len(part), NAME_OVERLAP // 2) - 1][2] if found else -1
            before = [name for name in found if name.end <= edge or edge < 0]
            found = before + [name for name in fresh if name.end > edge]
        return found

    def need(self, question: str, talk: Sequence[Turn]) -> Need:
        made = self.inputs.follow_up(question, talk_text(talk))
        logits = self.model.kept_logits(made)
        first = logits[0]
        return Need(float(first[Column.ANY_REFERENCE]), float(first[Column.ANY_GAP]), decoding.mentions(made, logits))

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]:
        """Return what words of a question, or `GAP`, can stand for: pieces of the talk, the likeliest first."""
        said = talk_text(talk)
        made = self.inputs.follow_up(question, said, mention)
        sums: dict[str, float] = {}
        for found in decoding.antecedents(made, self.model.kept_logits(made)):
            words = said[found.start : found.end].strip()
            sums[words] = max(sums.get(words, 0.0), found.probability)
        return sorted(sums.items(), key=lambda item: -item[1])


def _windows(pieces: Sequence[Piece], room: int, overlap: int) -> Iterator[Sequence[Piece]]:
    """Cut pieces into windows that overlap; the last is as long as the others."""
    for at in range(0, max(1, len(pieces) - overlap), room - overlap):
        yield pieces[max(0, min(at, len(pieces) - room)) :][:room]


def open_reader(cache: Path | None, graph: Path | None = None) -> Reader:
    """Load the reader from a file, by default that of the package; `cache` is where models are kept (None: the user's).

    Raises ConfigError where ONNX Runtime, the file or the word vectors are missing, or do not run here.
    """
    path = graph or Path(str(files("wenmai.reader").joinpath(GRAPH)))
    if not path.is_file():
        raise ConfigError(Message("reader.missing", path=path))
    weights = open_weights()
    try:
        model = ReaderModel.open(weights, path)
    except RuntimeUnavailableError as error:
        raise ConfigError(Message("reader.does_not_run", reason=error)) from error
    return Reader(model, open_inputs(weights, cache), path)


def open_inputs(weights: Weights, cache: Path | None) -> Inputs:
    """Return what makes inputs of texts, with the tokenizer of the encoder. Raises ConfigError."""
    pieces = weights.pieces
    return Inputs(Tokenizer(pieces, converted(weights, cache).pieces), pieces.begin, pieces.end)
