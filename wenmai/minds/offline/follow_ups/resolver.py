"""Resolver without a model: makes a follow-up question stand by itself."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nodes.roles import Resolution, ResolveRequest
from state.schema import ResolvedMention
from state.session import TOPIC_CHARACTERS
from tools.networks.lexicons import Lexicons
from tools.story.linking import EntityLinker, NameTable
from wenmai.minds.offline.conversation.replies import is_small_talk
from wenmai.minds.offline.follow_ups.references import Resolved, resolve, resolve_simply
from wenmai.minds.offline.follow_ups.talk import TalkReader
from wenmai.minds.offline.networks.resolving import joined
from wenmai.minds.offline.networks.resolving import resolved as network_resolved
from wenmai.minds.offline.questions.question import WITHOUT_SEARCH, understood

LONGEST_QUESTION = 500
"""Characters; nothing is put into a longer one."""


@dataclass(frozen=True, slots=True)
class OfflineResolver:
    """The reader decides what refers and to what; a question that needs nothing of its talk stays as it is."""

    linker: EntityLinker
    lexicons: Lexicons | None
    reader: Callable[[], TalkReader | None]

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Rewrite what refers back; return the question unchanged when nothing does."""
        table = await self.linker.table(request.library, request.horizon)
        if is_small_talk(request.question) or understood(request.question, table).kind in WITHOUT_SEARCH:
            return Resolution(question=request.question, mentions=[], entities=[], topic=None, small_talk=True)
        if self.lexicons is None or request.networks is None:
            return await self._by_talk(request, table)
        lexicon = await self.lexicons(request.networks)
        network = await asyncio.to_thread(network_resolved, request.question, request.session, lexicon)
        story = await self._by_talk(request, table) if request.library else None
        return joined(request, network, story, lexicon)

    async def _by_talk(self, request: ResolveRequest, table: NameTable) -> Resolution:
        """Resolve against the session, with the names of the library; there are none without one."""
        found = await asyncio.to_thread(self._resolved, request, table)
        mentions = [
            ResolvedMention(mention=request.question[one.start : one.end], entity=one.name)
            for one in found.substitutions
        ]
        names = table.find(found.question[:LONGEST_QUESTION])
        entities = list(dict.fromkeys(one.entity for one in names if one.entity))
        return Resolution(
            question=found.question,
            mentions=mentions,
            entities=entities,
            topic=topic(found.question, entities),
            refers=found.refers,
        )

    def _resolved(self, request: ResolveRequest, table: NameTable) -> Resolved:
        if len(request.question) > LONGEST_QUESTION:
            return Resolved(request.question, refers=False)
        if reader := self.reader():
            return resolve(reader, request.question, request.session, table)
        return resolve_simply(request.question, request.session, table)


def topic(question: str, entities: Sequence[str]) -> str | None:
    """Return what a question is about: its names, else its beginning, in at most 20 characters."""
    return ("、".join(entities) or question.strip("？?。！! "))[:TOPIC_CHARACTERS].strip() or None
