"""Makes a question self-contained; the model is called only where the rules see that a question needs its talk."""

import logging
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.resolver import RESOLVER, resolving
from nodes.roles import Resolution, Resolver, ResolveRequest
from state.schema import ResolvedMention
from state.session import TOPIC_CHARACTERS
from tools.story.linking import EntityLinker
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.failures import Unusable
from wenmai.minds.model.schemas import Resolved

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelResolver:
    """Calls the model only for references and gaps; `rules` is the resolver that needs no model, and finds them."""

    caller: Caller
    linker: EntityLinker
    rules: Resolver

    async def resolve(self, request: ResolveRequest) -> Resolution:
        """Replace references to the session; return the question unchanged if there are none. Raises ModelError."""
        by_rules = await self.rules.resolve(request)
        session = request.session
        has_context = bool(session["entities"] or session["turns"] or session["topic"])
        needs_talk = has_context and (by_rules.refers or by_rules.question != request.question)
        if by_rules.small_talk or not needs_talk or request.mode == "rag":
            return by_rules
        answer = await self.asked(request)
        rewritten = answer.question.strip()
        if not answer.refers_back or rewritten in ("", request.question.strip()):
            return await self.resolution(request, request.question, [], answer.topic, by_rules)
        mentions = [ResolvedMention(mention=one.mention, entity=one.entity) for one in answer.mentions]
        return await self.resolution(request, rewritten, mentions, answer.topic, by_rules)

    async def asked(self, request: ResolveRequest) -> Resolved:
        """Ask the model; an unusable reply is requested once more."""
        messages = [SystemMessage(RESOLVER[request.language]), HumanMessage(resolving(request))]
        try:
            return await self.caller.structured(messages, Resolved)
        except Unusable as error:
            log.warning("resolver: %s", error)
            return await self.caller.structured(messages, Resolved)

    async def resolution(
        self,
        request: ResolveRequest,
        question: str,
        mentions: list[ResolvedMention],
        topic: str,
        by_rules: Resolution,
    ) -> Resolution:
        """Return the question with the names in it, those that the rules know among them."""
        table = await self.linker.table(request.library, request.horizon)
        names = [found.entity for found in table.find(question) if found.entity]
        names += [*(one["entity"] for one in mentions), *(name for name in by_rules.entities if name in question)]
        return Resolution(
            question=question,
            mentions=mentions,
            entities=list(dict.fromkeys(name for name in names if name)),
            topic=topic.strip()[:TOPIC_CHARACTERS] or None,
            refers=True,
        )
