"""What a follow-up refers to, by the reader: which of its words, and to what of the talk."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from state.session import Session
from tools.language import HAN
from tools.story.linking import NameTable
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.antecedents import meant
from wenmai.minds.offline.follow_ups.mentions import OBJECT, POSSESSIVE, PRONOUN, Referent, kind_of, mentions
from wenmai.minds.offline.follow_ups.names import PERSON, Name, names_of
from wenmai.minds.offline.follow_ups.parallels import asked_of_another
from wenmai.minds.offline.follow_ups.rewriting import Substitution, is_bare, rewritten
from wenmai.minds.offline.follow_ups.talk import LONGEST_PART, TalkReader, talk_of
from wenmai.reader.inputs import GAP, Turn, talk_text
from wenmai.reader.reader import Need

REFERS: Final = 0.0
"""Log odds from which on a question is taken to need its talk."""
HARDLY: Final = -1.5
"""The same of one on a story that names nobody, or that has a pronoun which surely refers."""
SURE: Final = 0.8
_OF_THE_WHOLE = re.compile(
    r"[这本全整][本部篇个]?(?:书|小说|故事|作品)|^(?:故事|主角|主人公|作者)|第.{1,5}[章回节]|(?<![要需备交供带])(?:哪些|什么|几[份个])(?:文件|文档|资料)"
    r"|\b(?:the|this) (?:book|story|novel|author)\b|\bmain characters?\b|\bprotagonist\b|\bchapters?\b"
    r"|\b(?:which|what|list) (?:all )?(?:the )?(?:files|documents)\b",
    re.IGNORECASE,
)
"""What asks of a whole book or of all files, not of what was talked about."""
_OF_THE_USER = re.compile(r"我|\b(?:am|was|do|did) i\b|\bmy\b", re.IGNORECASE)
"""What asks of the user leaves nobody out."""


@dataclass(frozen=True, slots=True)
class Resolved:
    """A question that stands by itself, and what was put into it; `refers`: it needs its talk, understood or not."""

    question: str
    substitutions: tuple[Substitution, ...] = ()
    refers: bool = True


def resolve(reader: TalkReader, question: str, session: Session, table: NameTable) -> Resolved:
    """Resolve a question against its session; one that needs nothing of it stays character for character."""
    if _OF_THE_WHOLE.search(question) and not PRONOUN.search(question):
        return Resolved(question, refers=False)
    turns = talk_of(reader, session)
    if not turns:
        return Resolved(question, refers=False)
    if again := asked_of_another(reader, question, turns[-1].question, table):
        return Resolved(again[0], (Substitution(*GAP, again[1]),))
    need, named = reader.need(question, turns), names_of(reader, question[:LONGEST_PART], table)
    if not _refers(question, need, is_own=bool(named) or not table.entities):
        return Resolved(question, refers=False)
    spans = mentions(
        question, [(one.start, one.end) for one in need.mentions], [one.span for one in named if one.is_known]
    )
    if (need.gap > 0 or not spans) and not _OF_THE_USER.search(question):
        spans.append(GAP)
    taken = _meant(reader, question, turns, spans, (named, names_of(reader, talk_text(turns), table)))
    if not taken and not is_bare(question):
        return Resolved(question)
    return Resolved(rewritten(question, taken, turns[-1].question), tuple(taken))


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
        others = set() if words in POSSESSIVE else named
        if words in OBJECT:
            others = others | {one.name for one in found}
        if meaning := meant(reader.antecedents(question, turns, span), kind_of(words), talked, others):
            found.append(Substitution(*span, _together(meaning, is_gap=span == GAP)))
    return found


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
    if table.find(question):
        return Resolved(question, refers=bool(PRONOUN.search(question)))
    found = []
    for match in PRONOUN.finditer(question):
        fitting = _fitting(kind_of(match[0]), session, table)
        if len(fitting) == 1:
            found.append(Substitution(*match.span(), fitting[0]))
    return Resolved(rewritten(question, found, last), tuple(found), refers=bool(PRONOUN.search(question)))


def _fitting(kind: Referent, session: Session, table: NameTable) -> list[str]:
    """Return the session's entities that a pronoun of a kind can mean."""
    if kind == "several":
        return []
    kinds = {entity["name"]: entity["kind"] or table.kind(entity["name"]) for entity in session["entities"]}
    return [name for name, label in kinds.items() if (label == PERSON) == (kind == "person")]
