"""What a follow-up refers to, by the reader: which of its words, and to what of the talk."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from state.session import Session
from tools.language import HAN
from tools.story.linking import NameTable
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.antecedents import meant
from wenmai.minds.offline.follow_ups.mentions import OBJECT, PATTERNS, PRONOUN, is_possessive, kind_of, mentions
from wenmai.minds.offline.follow_ups.names import PERSON, Name, names_of
from wenmai.minds.offline.follow_ups.parallels import asked_of_another
from wenmai.minds.offline.follow_ups.rewriting import Substitution, is_bare, joined, rewritten
from wenmai.minds.offline.follow_ups.talk import LONGEST_PART, TalkReader, talk_of
from wenmai.reader.inputs import GAP, Turn, talk_text
from wenmai.reader.reader import Need

REFERS: Final = 0.0
"""Log odds from which on a question is taken to need its talk."""
HARDLY: Final = -1.5
"""The same of one on a story that names nobody, or that has a pronoun which surely refers."""
SURE: Final = 0.8
EARLIER: Final = 0.85
"""How likely what only earlier turns say is to be meant, as a share of what the last one says."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands by itself, and what was put into it; `refers`: it needs its talk, understood or not."""

    question: str
    substitutions: tuple[Substitution, ...] = ()
    refers: bool = True


def resolve(reader: TalkReader, question: str, session: Session, table: NameTable) -> Resolved:
    """Resolve a question against its session; one that needs nothing of it stays character for character."""
    has_pronoun = PRONOUN.search(question) is not None
    turns = talk_of(reader, session) if has_pronoun or not is_whole(question, table) else []
    if not turns:
        return Resolved(question, refers=False)
    last = turns[-1].question
    if not has_pronoun and (again := asked_of_another(reader, question, last, table)):
        return Resolved(again[0], (Substitution(*GAP, again[1]),))
    need, named = reader.need(question, turns), names_of(reader, question[:LONGEST_PART], table)
    if not _refers(question, need, is_own=bool(named) or not table.entities):
        return Resolved(question, refers=False)
    spans = mentions(
        question,
        [(one.start, one.end) for one in need.mentions],
        [one.span for one in named if one.is_known or one.is_person],
    )
    if (need.gap > 0 or not spans) and not PATTERNS["of_the_user"].search(question):
        spans.append(GAP)
    taken = _meant(reader, question, turns, spans, (named, names_of(reader, talk_text(turns), table)))
    if not taken and not is_bare(question):
        return Resolved(question, refers=has_pronoun or need.gap > 0)
    shown = rewritten(question, taken, last)
    if spans == [GAP] and not is_bare(question):
        shown = joined(last, question if all(one.name in last for one in taken) else shown)
    again = asked_of_another(reader, shown, last, table)
    return Resolved(again[0] if again else shown, tuple(taken), refers=has_pronoun)


def is_whole(question: str, table: NameTable) -> bool:
    """Return True if a question brings what it is about: the whole book, a person described, all rows of a table."""
    kinds = ("of_the_whole", "described", *(() if table.entities else ("of_rows",)))
    return any(PATTERNS[kind].search(question) for kind in kinds)


def _refers(question: str, need: Need, *, is_own: bool) -> bool:
    """Return True for a question that needs its talk; `is_own` if it may well have a subject of its own."""
    pronoun = any(one.probability >= SURE and PRONOUN.search(question, one.start, one.end) for one in need.mentions)
    return need.reference >= (REFERS if is_own and not pronoun else HARDLY)


def _meant(
    reader: TalkReader,
    question: str,
    turns: Sequence[Turn],
    spans: Sequence[Span],
    names: tuple[Sequence[Name], Sequence[Name]],
) -> list[Substitution]:
    """Return what stands in the place of the mentions, with the names of the question and of the talk.

    A person who is named in the question is no other person of it, nor is "him" who "he" is.
    """
    named, talked = {name.text for name in names[0]}, names[1]
    found: list[Substitution] = []
    for span in spans:
        words = question[slice(*span)].lower()
        others = set() if is_possessive(question, span) else named
        if others is named and words in OBJECT:
            others = others | {one.name for one in found}
        pieces = _lately(reader.antecedents(question, turns, span), talk_text(turns[-1:]))
        meaning = meant(pieces, words, talked, others)
        if kind_of(words) == "several" and len(meaning) == 1:
            meaning = [*_beside(meaning[0], turns[-1].question, talked, others), *meaning]
        if meaning:
            found.append(Substitution(*span, _together(meaning, is_gap=span == GAP)))
    return found


def _lately(pieces: Sequence[tuple[str, float]], last: str) -> list[tuple[str, float]]:
    """Return pieces of the talk, the likeliest first: what the last turn does not say is less likely."""
    return sorted(((text, sure * (text in last or EARLIER)) for text, sure in pieces), key=lambda row: -row[1])


def _beside(one: str, last: str, names: Sequence[Name], others: set[str]) -> list[str]:
    """Return who makes a pair with one of those that "they" means: the first other person of the last question."""
    people = [name.text for name in names if name.is_person and name.text in last and name.text not in others]
    return [name for name in people if name not in one and one not in name][:1]


def _together(names: Sequence[str], *, is_gap: bool) -> str:
    """Return names as one phrase."""
    if any(map(HAN.search, names)):
        return ("、" if is_gap else "和").join(names)
    return (", " if is_gap else " and ").join(names)


def resolve_simply(question: str, session: Session, table: NameTable) -> Resolved:
    """Resolve without a reader: a bare question by the last one, pronouns by the only entity that fits."""
    last = session["turns"][-1]["resolved"] if session["turns"] else None
    if is_bare(question):
        return Resolved(rewritten(question, (), last))
    has_pronoun = PRONOUN.search(question) is not None
    if table.find(question):
        return Resolved(question, refers=has_pronoun)
    people = {
        entity["name"]: (entity["kind"] or table.kind(entity["name"])) == PERSON for entity in session["entities"]
    }
    found = []
    for match in PRONOUN.finditer(question):
        kind = kind_of(match[0])
        fitting = [name for name, is_person in people.items() if is_person == (kind == "person")]
        if len(fitting) == 1 and kind != "several":
            found.append(Substitution(*match.span(), fitting[0]))
    return Resolved(rewritten(question, found, last), tuple(found), refers=has_pronoun)
