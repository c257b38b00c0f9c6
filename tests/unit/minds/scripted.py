"""A reader that says what a test tells it, as a stand-in for the trained one, and a talk to read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.names import NameTable
from wenmai.language.spans import Span, meet
from wenmai.reader.inputs import Turn
from wenmai.reader.layout import TaggedSpan
from wenmai.reader.reader import Need

SURELY, NOT = 4.0, -4.0
UNANSWERED = -9.0
"""Log odds of the answer that the reader gives where nothing answers: it gives one for every window."""


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
        return self.sure if meet(span, self.span) else -abs(self.sure)


@dataclass
class ScriptedReader:
    """Finds the words of its script, each with its log odds; in other passages their first character, hardly.

    Attributes:
        words: what answers; what answers only questions with certain words stands under those words.
        mentions: words of a question that refer to its talk.
        antecedents_of: what they stand for; '' is something left out.
        reference: log odds that a question needs its talk.
        gap: log odds that it leaves something out; those of one without a mention are high, if none are given.
        people: names.
        sure: how likely the mentions refer.
        asked: the talks that it was asked about.
    """

    words: Mapping[str, float | Mapping[str, float]] = field(default_factory=dict)
    mentions: Sequence[str] = ()
    antecedents_of: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    reference: float = SURELY
    gap: float | None = None
    people: Sequence[str] = ()
    sure: float = 0.9
    asked: list[list[Turn]] = field(default_factory=list)

    def answers(self, question: str, passage: str) -> Sequence[Scripted]:
        found = [
            Scripted((passage.index(word), passage.index(word) + len(word)), sure)
            for word, sure in self._script(question)
            if word in passage
        ]
        return found or [Scripted((0, 1), UNANSWERED)][: len(passage)]

    def answer(self, question: str, passage: str) -> Scripted | None:
        return max(self.answers(question, passage), key=lambda one: one.sure, default=None)

    def names(self, text: str) -> list[TaggedSpan]:
        found = [(text.find(name), name) for name in self.people]
        return [TaggedSpan(at, at + len(name), 0, 0.9) for at, name in sorted(found) if at >= 0]

    def need(self, question: str, talk: Sequence[Turn]) -> Need:
        self.asked.append(list(talk))
        spans = [re.search(rf"(?<![a-z]){words}(?![a-z])", question) for words in self.mentions]
        found = [TaggedSpan(*span.span(), 0, self.sure) for span in spans if span]
        gap = (NOT if found else SURELY) if self.gap is None else self.gap
        return Need(self.reference, gap, found)

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]:
        return list(self.antecedents_of.get(question[slice(*mention)], ()))

    def _script(self, question: str) -> list[tuple[str, float]]:
        script: list[tuple[str, float]] = []
        for words, sure in self.words.items():
            if not isinstance(sure, Mapping):
                script.append((words, sure))
            elif words in question:
                script += sure.items()
        return script


def talk(*turns: tuple[str, str]) -> Session:
    """Return a session of questions, as they were resolved, with their answers."""
    said = [SessionTurn(question=asked, resolved=asked, answer=told, entities=[]) for asked, told in turns]
    return Session(entities=[], topic=None, turns=said)


def people(*names: str) -> NameTable:
    """Return a library's names of persons."""
    return NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in names])
