"""Resolver without a model: makes a follow-up question stand by itself (story.md §5, LOP-09)."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from nodes.roles import Resolution, ResolveRequest
from state.schema import ResolvedMention
from state.session import Session
from tools.language import is_chinese
from tools.networks.lexicons import Lexicons
from tools.ports import PassageStore
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline import english, rewriting
from wenmai.minds.offline.attested import attested
from wenmai.minds.offline.discourse import Discourse, build
from wenmai.minds.offline.document_guide import asks_for_list
from wenmai.minds.offline.facts import known_of
from wenmai.minds.offline.lore import lore_of
from wenmai.minds.offline.newcomers import with_newcomers
from wenmai.minds.offline.observing import NOBODY, Observer
from wenmai.minds.offline.parallels import asked_again
from wenmai.minds.offline.reading import LONGEST_QUESTION, read
from wenmai.minds.offline.small_talk import is_small_talk
from wenmai.minds.offline.strangers import names_of, person_of, with_person
from wenmai.minds.offline.topics import topic
from wenmai.minds.reading.follow_ups import references
from wenmai.minds.reading.follow_ups.talk import TalkReader
from wenmai.minds.reading.needs import no_reader

NO_SESSION = Session(entities=[], topic=None, turns=[])


@dataclass(frozen=True, slots=True)
class OfflineResolver:
    """Rules for pronouns, demonstratives and dropped subjects; a question that needs none stays as it is."""

    linker: EntityLinker
    lexicons: Lexicons | None = None
    passages: PassageStore | None = None
    observer: Observer = NOBODY
    reader: Callable[[], TalkReader | None] = no_reader

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Rewrite what refers back; return the question unchanged when nothing does."""
        if is_small_talk(request.question):
            return Resolution(question=request.question, mentions=[], entities=[], topic=None, small_talk=True)
        if self.lexicons is None or request.networks is None:
            return await self.of_story(request)
        from wenmai.minds.offline.networks.joining import joined
        from wenmai.minds.offline.networks.resolving import resolved as network_resolved

        lexicon = await self.lexicons(request.networks)
        by_network = await asyncio.to_thread(network_resolved, request.question, request.session, lexicon)
        if not request.library:
            return joined(request, by_network, None, lexicon)
        return joined(request, by_network, await self.of_story(request), lexicon)

    async def of_story(self, request: ResolveRequest) -> Resolution:
        """Resolve against the names of the library; without one, against what the last turn says."""
        if not request.library:
            if asks_for_list(request.question):  # which files there are is asked of nothing that was talked about
                return resolved(replace(request, session=NO_SESSION), NameTable.build(()))
            request = replace(request, session=last_turn(request.session))
            return await asyncio.to_thread(of_talk, request)
        table = await self.linker.table(request.library, request.horizon)
        if reader := self.reader():
            return await asyncio.to_thread(by_reader, reader, request, table)
        known = await known_of(request, self.linker)
        discourse = await asyncio.to_thread(self._talk, request, table, known)
        if discourse:
            discourse.lore, discourse.attested = await asyncio.gather(
                lore_of(request, discourse.table, self.passages), attested(request, discourse, self.passages)
            )
        return await asyncio.to_thread(resolved, request, table, discourse)

    def _talk(self, request: ResolveRequest, table: NameTable, known: Mapping[str, str]) -> Discourse | None:
        return talk_before(request, with_newcomers(request.session, table), known, self.observer)


def by_reader(reader: TalkReader, request: ResolveRequest, table: NameTable) -> Resolution:
    """Resolve by the reader."""
    found = references.resolve(reader, request.question, request.session, table)
    mentions = [
        ResolvedMention(mention=request.question[one.start : one.end], entity=one.name) for one in found.substitutions
    ]
    entities = list(dict.fromkeys(one.entity for one in table.find(found.question) if one.entity))
    return Resolution(question=found.question, mentions=mentions, entities=entities, topic=found.question[:20])


def last_turn(session: Session) -> Session:
    """Return a session as its last turn tells it, for a follow-up on documents or memories.

    No list of names says there what an older name was, and whether the talk has gone on to something without one:
    after 云雀号载客多少人 and 年假有几天, 需要提前多久申请 asks of the leave. English has the newest topic besides.
    """
    if not session["turns"]:
        return session
    last = session["turns"][-1]
    said = f"{last['resolved']}\n{last['answer']}"
    named = [entity for entity in session["entities"] if entity["name"] in said]
    turns = session["turns"] if not is_chinese(last["question"]) else [last]
    return Session(entities=named, topic=session["topic"], turns=turns)


def of_talk(request: ResolveRequest) -> Resolution:
    """Resolve without a list of names: 他 and 她 by the one person of the last turn, the rest by the rules.

    A question that only names another thing asks what the last one asked. Beside a very long one nothing is put in.
    """
    turns = request.session["turns"][-1:]
    if max(map(len, (request.question, *(turn["resolved"] for turn in turns)))) > LONGEST_QUESTION:
        return resolved(replace(request, session=NO_SESSION), NameTable.build(()))
    if (again := asked_again(request.question, request.session)) is not None:
        found = resolved(replace(request, question=again[0], session=NO_SESSION), NameTable.build(()))
        return replace(found, mentions=[ResolvedMention(mention="", entity=again[1])])
    person = person_of(turns[0]) if turns else None
    question, mentions = with_person(request.question, person)
    found = resolved(replace(request, question=question), names_of(person))
    return replace(found, mentions=[*mentions, *found.mentions])


def talk_before(
    request: ResolveRequest, table: NameTable, known: Mapping[str, str] | None = None, observer: Observer = NOBODY
) -> Discourse | None:
    """Return the talk that a Chinese question may go on about; None where there is none, or the question is too long.

    `table` has the names of the talk too, `known` is what the graph says of its people.
    """
    return build(request.session, table, known, observer) if _follows(request) and not _english(request) else None


def _follows(request: ResolveRequest) -> bool:
    talked = request.session["turns"] or request.session["entities"]
    return bool(talked) and len(request.question) <= LONGEST_QUESTION


def _english(request: ResolveRequest) -> bool:
    return request.language == "en" or not is_chinese(request.question)


def resolved(request: ResolveRequest, table: NameTable, discourse: Discourse | None = None) -> Resolution:
    """Resolve against the visible names and the talk before, which without `discourse` has no others."""
    question, mentions = request.question, list[ResolvedMention]()
    discourse = discourse or talk_before(request, table)
    if discourse:
        question, mentions = rewriting.rewrite(question, discourse)
    elif _follows(request):
        question, mentions = english.rewrite(question, request.session, table)
    reading = read(question[:LONGEST_QUESTION], table)
    entities = list(dict.fromkeys(one.name for one in reading.named if one.known))
    return Resolution(question=question, mentions=mentions, entities=entities, topic=topic(question, entities, reading))
