"""Texts as inputs of the encoder, with the character offsets that lead back from its tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from wenmai.embedders.e5.tokenizer import Tokenizer
from wenmai.language.spans import Span, meet
from wenmai.reader.layout import LONGEST_QUESTION, LONGEST_TALK, PASSAGE_ROOM, Segment

QUESTION_LABEL, ANSWER_LABEL = "Q: ", "A: "
Piece = tuple[int, int, int]  # id of a token and its half-open character offsets
GAP: Span = (0, 0)  # the mention that stands for what a question leaves out
NO_SPAN: Span = (0, 0)  # what a mark has in place of an offset


@dataclass(frozen=True, slots=True)
class Turn:
    """A question that was asked before and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Input:
    """One input of the encoder.

    Attributes:
        ids: tokens, with the marks of begin and end.
        segments: the kind of each.
        spans: half-open character offsets of each in the text that it comes from; empty for marks.
    """

    ids: list[int]
    segments: list[int]
    spans: list[Span]


@dataclass(frozen=True, slots=True)
class Inputs:
    tokenizer: Tokenizer
    begin: int
    end: int

    def text(self, pieces: Sequence[Piece]) -> Input:
        return self._joined((Segment.TEXT, pieces))

    def asked(self, question: str) -> list[Piece]:
        return self.tokenizer.locate(question)[:LONGEST_QUESTION]

    def question(self, asked: Sequence[Piece], passage: Sequence[Piece]) -> Input:
        """Return the input that answers are found in: pieces of a question and of a passage, as many as have room."""
        return self._joined((Segment.QUESTION, asked), (Segment.PASSAGE, passage[: PASSAGE_ROOM - len(asked)]))

    def follow_up(self, question: str, talk: str, mention: Span | None = None) -> Input:
        """Return the input that references to a talk, as `talk_text` writes it, are resolved in.

        `mention` is where the words stand whose antecedent is wanted, or `GAP`.
        """
        asked = self.asked(question)
        made = self._joined((Segment.FOLLOW_UP, asked), (Segment.TALK, self.tokenizer.locate(talk)[-LONGEST_TALK:]))
        if mention is None:
            return made
        marked = [0] if mention == GAP else [at for at in range(1, 1 + len(asked)) if meet(made.spans[at], mention)]
        for at in marked:
            made.segments[at] = Segment.MENTION
        return made

    def _joined(self, *parts: tuple[Segment, Sequence[Piece]]) -> Input:
        ids, segments, spans = [self.begin], [int(parts[0][0])], [NO_SPAN]
        for segment, pieces in parts:
            for piece, start, end in pieces:
                ids.append(piece)
                spans.append((start, end))
            ids.append(self.end)
            spans.append(NO_SPAN)
            segments.extend([int(segment)] * (len(pieces) + 1))
        return Input(ids, segments, spans)


def talk_text(turns: Sequence[Turn]) -> str:
    return "\n".join(f"{QUESTION_LABEL}{turn.question}\n{ANSWER_LABEL}{turn.answer}" for turn in turns)
