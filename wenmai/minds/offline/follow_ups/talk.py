"""The talk before a follow-up, as the reader reads it: each question with the words that answered it."""

import re
from collections.abc import Sequence
from typing import Final, Protocol

from nodes.roles import ReadAnswer
from state.session import Session, SessionTurn
from wenmai.language.spans import Span
from wenmai.reader.inputs import Turn
from wenmai.reader.layout import TaggedSpan
from wenmai.reader.reader import Need

LEAST_MARGIN: Final = -8.0
"""Log odds of an answer below which its turn counts as unanswered."""
SHORT_ANSWER = 40
"""Characters; a shorter answer is read whole."""
LONGEST_PART = 200
"""Characters of a question or an answer that are read."""
_MARK = re.compile(r"\s*\[\d+\]")


class TalkReader(Protocol):
    """Finds what refers to a talk, and to what; names; and the words that answer a question."""

    def answer(self, question: str, passage: str) -> ReadAnswer | None:
        """Return the best answer in a passage; None for an empty one."""
        ...

    def names(self, text: str) -> Sequence[TaggedSpan]:
        """Return the names of a text in order; `kind` is a `NameKind`."""
        ...

    def need(self, question: str, talk: Sequence[Turn]) -> Need:
        """Return what a question needs of the talk before it."""
        ...

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]:
        """Return what words of a question can stand for, the likeliest first."""
        ...


def talk_of(reader: TalkReader, session: Session) -> list[Turn]:
    """Return the turns of a session; of one that has only names, a turn that says them."""
    turns = [_read(reader, turn) for turn in session["turns"]]
    if not turns and session["entities"]:
        names = "、".join(entity["name"] for entity in reversed(session["entities"]))
        return [Turn(session["topic"] or names, names)]
    return turns


def _read(reader: TalkReader, turn: SessionTurn) -> Turn:
    """Return a turn with the words of its answer that answer: a quotation names many who are not meant."""
    question = turn["resolved"][:LONGEST_PART]
    told = _MARK.sub("", turn["answer"])[:LONGEST_PART].strip()
    if len(told) <= SHORT_ANSWER:
        return Turn(question, told)
    found = reader.answer(question, told)
    return Turn(question, told[slice(*found.span)] if found and found.margin >= LEAST_MARGIN else "")
