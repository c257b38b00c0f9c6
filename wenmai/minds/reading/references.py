"""What a follow-up refers to, by the reader: which of its words, and to what of the talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from state.session import Session
from tools.language import HAN
from tools.story.linking import NameTable, fold
from wenmai.language.spans import Span, meet
from wenmai.minds.reading.needs import ReferenceReader
from wenmai.minds.reading.rewriting import Substitution, is_bare, joined, named_next, rewritten
from wenmai.reader.inputs import GAP, Turn

REFERS = 0.0
"""Log odds from which on a question is taken to need its talk."""
SECOND = 0.8
"""Of a plural, how likely another antecedent must be, as a share of the best."""
_PRONOUN = re.compile(
    r"(?<![其吉])[他她它]们?(?!乡)|\b(?:he|him|his|she|her|hers|it|its|they|them|their)\b", re.IGNORECASE
)
PLURALS = ("他们", "她们", "它们", "两人", "二人", "双方", "俩", "they", "them", "their", "both")


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands by itself, and what was put into it."""

    question: str
    substitutions: tuple[Substitution, ...] = ()


def resolve(reader: ReferenceReader, question: str, session: Session, table: NameTable) -> Resolved:
    """Resolve a question against its session; one that needs nothing of it stays character for character."""
    turns = talk_of(session)
    if not turns:
        return Resolved(question)
    if again := _asked_of_another(question, turns, table):
        return again
    need = reader.need(question, turns)
    if need.reference < REFERS:
        return Resolved(question)
    spans = list(dict.fromkeys(_snapped(question, (found.start, found.end)) for found in need.mentions))
    if need.gap > 0 or not spans:
        spans.append(GAP)
    found = [one for span in spans for one in _meant(reader, question, turns, span, table)]
    if not found and not is_bare(question):
        return Resolved(question)
    return Resolved(rewritten(question, found, turns[-1].question), tuple(found))


def _snapped(question: str, span: Span) -> Span:
    """Return the pronoun that a mention touches, else the mention: tokens do not end where words do."""
    touching = [match.span() for match in _PRONOUN.finditer(question) if meet(match.span(), span)]
    return touching[0] if touching and span[1] - span[0] <= touching[0][1] - touching[0][0] + 1 else span


def talk_of(session: Session) -> list[Turn]:
    """Return the turns of a session as the reader reads them; of one that has only names, a turn that says them."""
    turns = [Turn(turn["resolved"], turn["answer"]) for turn in session["turns"]]
    if not turns and session["entities"]:
        names = "、".join(entity["name"] for entity in reversed(session["entities"]))
        return [Turn(session["topic"] or names, names)]
    return turns


def _meant(
    reader: ReferenceReader, question: str, turns: Sequence[Turn], span: Span, table: NameTable
) -> list[Substitution]:
    """Return what stands in the place of a mention: one name, or several of a plural."""
    candidates = reader.antecedents(question, turns, span)
    if not candidates:
        return []
    words = question[slice(*span)].lower()
    taken = [name for name, sure in candidates if sure >= SECOND * candidates[0][1]]
    names = [_spelled(name, table) for name in (taken if words in PLURALS else taken[:1])]
    separator = "和" if HAN.search(names[0]) else " and "
    return [Substitution(*span, separator.join(dict.fromkeys(names)))]


def _spelled(name: str, table: NameTable) -> str:
    """Return a known name that the words hold, in full, else the words."""
    found = table.find(name)
    if len(found) == 1 and found[0].entity and len(found[0].text) * 2 > len(name):
        return found[0].text
    return name.strip(" ，。,.“”\"'")


def _asked_of_another(question: str, turns: Sequence[Turn], table: NameTable) -> Resolved | None:
    """Return the last question, asked of who is named now: 那王五呢 after 张三是怎么死的."""
    name = named_next(question)
    if not name or not (now := table.find(name)) or now[0].text != name:
        return None
    last = turns[-1].question
    kinds = {table.kind(entity) for mention in now if (entity := mention.entity)}
    before = [one for one in table.find(last) if one.entity and table.kind(one.entity) in kinds]
    if not before or fold(before[0].text) == fold(name):
        return Resolved(joined(last, question)) if before else None
    start, end = before[0].start, before[0].end
    return Resolved(last[:start] + name + last[end:], (Substitution(0, 0, name),))
