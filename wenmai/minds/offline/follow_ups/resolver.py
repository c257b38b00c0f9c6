"""Resolver without a model: makes a follow-up question stand by itself."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from nodes.roles import Resolution, ResolveRequest
from state.schema import Candidate, ResolvedMention
from state.session import TOPIC_CHARACTERS, Session
from tools.networks.lexicon import Lexicons
from tools.records import PERSON
from tools.story.names import EntityLinker, NameTable
from tools.text.scripts import simplified
from wenmai.language.spans import Span
from wenmai.minds.offline.follow_ups.fragments import is_fragment, lacks_subject, named_next, spoken_of, whole_question
from wenmai.minds.offline.follow_ups.names import LONGEST_PART, PATTERNS, TalkReader, names_of, talk_of
from wenmai.minds.offline.follow_ups.references import Substitution, Talk, mentions, pronouns, substitute, with_genders
from wenmai.minds.offline.networks.resolving import joint_resolution
from wenmai.minds.offline.networks.resolving import resolved as network_resolved
from wenmai.minds.offline.questions.question import WITHOUT_SEARCH, understood
from wenmai.minds.offline.replies import is_small_talk
from wenmai.reader.inputs import GAP, talk_text
from wenmai.reader.reader import Need

LONGEST_QUESTION = 500  # characters; nothing is put into a longer one
REFERS: Final = -1.5  # log odds from which on words that point are taken to refer to the talk
OMITS: Final = 0.0  # log odds from which on a question without a subject is taken to leave it out


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question that stands by itself, and what was put into it.

    `refers`: it needs its talk, understood or not; `candidates`: what else its words may mean.
    """

    question: str
    substitutions: Sequence[Substitution] = ()
    refers: bool = True
    candidates: Sequence[Candidate] = ()


@dataclass(frozen=True, slots=True)
class OfflineResolver:
    """The reader decides what refers and to what; a question that needs nothing of its talk stays as it is."""

    linker: EntityLinker
    lexicons: Lexicons | None
    reader: Callable[[], TalkReader | None]

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Rewrite what refers back, as simplified Chinese; a question that needs nothing stays as it was written."""
        plain = replace(request, question=simplified(request.question))
        found = await self._resolved(plain)
        return replace(found, question=request.question) if found.question == plain.question else found

    async def _resolved(self, request: ResolveRequest) -> Resolution:
        table = await self.linker.table(request.library, request.horizon)
        if is_small_talk(request.question) or understood(request.question, table).kind in WITHOUT_SEARCH:
            return Resolution(question=request.question, mentions=[], entities=[], topic=None, small_talk=True)
        if self.lexicons is None or request.networks is None:
            return await self._by_talk(request, table)
        talk = [one["name"] for one in request.session["entities"]]
        lexicon = await self.lexicons(request.networks, request.question, talk)
        network = await asyncio.to_thread(network_resolved, request.question, request.session, lexicon)
        story = await self._by_talk(request, table) if request.library else None
        return joint_resolution(request, network, story, lexicon)

    async def _by_talk(self, request: ResolveRequest, table: NameTable) -> Resolution:
        """Resolve against the session, with the names of the library; there are none without one."""

        def resolve() -> ResolvedQuestion:  # in a thread: the reader may have to be loaded
            if len(request.question) > LONGEST_QUESTION:
                return ResolvedQuestion(request.question, refers=False)
            if reader := self.reader():
                return _resolve_by_reader(reader, request.question, request.session, table)
            return _resolve_simply(request.question, request.session, table)

        found = await asyncio.to_thread(resolve)
        mentioned = [
            ResolvedMention(mention=request.question[one.start : one.end], entity=one.name)
            for one in found.substitutions
        ]
        names = table.find(found.question[:LONGEST_QUESTION])
        entities = list(dict.fromkeys(one.entity for one in names if one.entity))
        topic = "、".join(entities) or found.question.strip("？?。！! ")
        return Resolution(
            question=found.question,
            mentions=mentioned,
            entities=entities,
            topic=topic[:TOPIC_CHARACTERS].strip() or None,
            refers=found.refers,
            candidates=found.candidates,
        )


def _resolve_by_reader(reader: TalkReader, question: str, session: Session, table: NameTable) -> ResolvedQuestion:
    """Return a question with names in the place of what refers, or as the whole question that it is a part of."""
    turns = talk_of(reader, session)
    if not turns:
        return ResolvedQuestion(question, refers=False)
    last, is_part, has_pronoun = turns[-1].question, is_fragment(question), bool(pronouns(question))
    if is_part and not has_pronoun and (whole := whole_question(reader, question, last, table)):
        return ResolvedQuestion(whole[0], [Substitution(*GAP, whole[1])])
    need, named = reader.need(question, turns), names_of(reader, question[:LONGEST_PART], table)
    own = [one.span for one in named if one.is_known or one.is_person]
    is_story = bool(table.entities)
    spans = mentions(question, need, own, is_story=is_story) if need.reference >= REFERS else []
    if not own and _omits(question, spans, need, is_story=is_story):
        spans.append(GAP)
    talk = Talk(reader, turns, with_genders(names_of(reader, talk_text(turns), table), session["turns"]))
    meant = talk.meanings(question, spans, [one.text for one in named])
    found = [one.substitution for one in meant if one.names]
    refers = has_pronoun or is_part or bool(spans) or need.gap > 0
    if spans == [GAP] and not is_part and found:
        found = [Substitution(*GAP, spoken_of(turns[-1], found[0].name))]
    shown = substitute(question, found)
    candidates = [
        Candidate(entity=name, question=_with(question, found, Substitution(*one.span, name)))
        for one in meant
        for name in one.candidates
    ]
    whole = whole_question(reader, shown, last, table) if found and is_part and named_next(question) else None
    return ResolvedQuestion(whole[0] if whole else shown, found, refers=refers, candidates=candidates)


def _with(question: str, found: Sequence[Substitution], other: Substitution) -> str:
    """Return a question with what was put into it, but for another name in one place."""
    kept = [one for one in found if (one.start, one.end) != (other.start, other.end)]
    return substitute(question, [*kept, other])


def _omits(question: str, mentions: Sequence[Span], need: Need, *, is_story: bool) -> bool:
    """Return True if a question that names nobody leaves out who or what it asks about.

    Of a document one asks 怎么付款？ without a subject, so there only what has no word of its own leaves one out, or
    what asks for the doer, the beginning or the end of something: 由谁审批？
    """
    if mentions:
        (start, end), is_place = mentions[0], PATTERNS["place"].fullmatch(question[slice(*mentions[0])])
        return is_story and bool(is_place) and lacks_subject(question[:start] + question[end:])
    elides = is_story or any(PATTERNS[kind].match(question) for kind in ("bare", "of_another"))
    return elides and (named_next(question) is not None or need.gap >= OMITS) and lacks_subject(question)


def _resolve_simply(question: str, session: Session, table: NameTable) -> ResolvedQuestion:
    """Resolve without a reader: a bare why by the last question, pronouns by the only person."""
    if session["turns"] and (whole := whole_question(None, question, session["turns"][-1]["resolved"], table)):
        return ResolvedQuestion(whole[0], [Substitution(*GAP, whole[1])])
    refers = bool(pronouns(question)) or is_fragment(question)
    if table.find(question):
        return ResolvedQuestion(question, refers=refers)
    people = [one["name"] for one in session["entities"] if (one["kind"] or table.kind(one["name"])) == PERSON]
    spans = [span for span in pronouns(question) if PATTERNS["person"].fullmatch(question[slice(*span)])]
    found = [Substitution(*span, people[0]) for span in spans if len(people) == 1]
    return ResolvedQuestion(substitute(question, found), found, refers=refers)
