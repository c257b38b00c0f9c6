"""A reader that says what a test tells it, and a talk to read."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nodes.roles import ReadAnswer
from state.session import Session, SessionTurn
from tools.records import Name
from tools.story.linking import NameTable
from wenmai.language.spans import Span
from wenmai.reader.decoding import Answer, Found
from wenmai.reader.inputs import Turn
from wenmai.reader.reader import Need

SURELY, NOT = 4.0, -4.0


@dataclass
class ScriptedReader:
    """Finds these mentions and antecedents; `asked` are the talks that it was asked about."""

    mentions: Sequence[str] = ()
    reference: float = SURELY
    antecedents_of: Mapping[str, Sequence[tuple[str, float]]] = field(default_factory=dict)
    people: Sequence[str] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    asked: list[list[Turn]] = field(default_factory=list)

    def answer(self, question: str, passage: str) -> ReadAnswer | None:
        words = self.answers.get(question)
        at = passage.find(words) if words else -1
        return Answer((at, at + len(words)), 2.0, 2.0, []) if words and at >= 0 else None

    def names(self, text: str) -> list[Found]:
        found = [(text.find(name), name) for name in self.people]
        return [Found(at, at + len(name), 0, 0.9) for at, name in sorted(found) if at >= 0]

    def need(self, question: str, talk: Sequence[Turn]) -> Need:
        self.asked.append(list(talk))
        spans = [re.search(rf"(?<![a-z]){words}(?![a-z])", question) for words in self.mentions]
        found = [Found(*span.span(), 0, 0.9) for span in spans if span]
        return Need(self.reference, NOT if found else SURELY, found)

    def antecedents(self, question: str, talk: Sequence[Turn], mention: Span) -> list[tuple[str, float]]:
        return list(self.antecedents_of.get(question[slice(*mention)], ()))


def talk(*turns: tuple[str, str]) -> Session:
    """Return a session of questions, as they were resolved, with their answers."""
    said = [SessionTurn(question=asked, resolved=asked, answer=told, entities=[]) for asked, told in turns]
    return Session(entities=[], topic=None, turns=said)


def people(*names: str) -> NameTable:
    """Return a library's names of persons."""
    return NameTable.build([Name(text=name, entity=name, kind="Character", mentions=9) for name in names])
