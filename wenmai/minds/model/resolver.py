"""Makes a question self-contained; the model is called only where the rules see that a question needs its talk."""

import logging
import re
from dataclasses import dataclass

from langchain_core.messages import HumanMessage, SystemMessage

from nodes.prompts.resolver import RESOLVER, resolving
from nodes.results.citations import bigrams, letters
from nodes.roles import Resolution, Resolver, ResolveRequest
from state.schema import ResolvedMention
from state.session import TOPIC_CHARACTERS
from tools.story.names import EntityLinker
from wenmai.minds.model.caller import Caller
from wenmai.minds.model.failures import Unusable
from wenmai.minds.model.schemas import Resolved

ALIKE = 0.7
"""Share of bigrams from which on a part of a rewriting is an earlier question in other words."""
LEAST_LETTERS = 3
"""Letters of an earlier question; a shorter one stands in others by chance."""
_BETWEEN = re.compile(r"[？?。！!；;，,\n]+")
_MARK = re.compile(r"[？?]")
_ASKS = re.compile(
    r"[谁吗呢几]|什么|怎|哪|[如为]何|何[时处人]|多少|多[大长高久远]|是否|"
    r"\b(?:wh\w+|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should)\b",
    re.IGNORECASE,
)

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelResolver:
    """Calls the model only for references and gaps; `rules` is the resolver that needs no model, and finds them.

    A rewriting that asks another question of the session beside the one asked is refused: that one stays as it is.
    """

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
        is_other = rewritten not in ("", request.question.strip())
        if is_other and asks_another(rewritten, request):
            log.warning("resolver: the model put another question of the session beside the one asked: %s", rewritten)
            is_other = False
        if not answer.refers_back or not is_other:
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


def asks_another(rewritten: str, request: ResolveRequest) -> bool:
    """Return True if a rewriting asks more than the question does: an earlier question stands before or behind it.

    One that takes words of an earlier question into itself asks no other.
    """
    if len(_MARK.findall(rewritten)) > max(1, len(_MARK.findall(request.question))):
        return True
    earlier = {said for turn in request.session["turns"] for said in (turn["question"], turn["resolved"])}
    return any(_stands_beside(said, rewritten, request.question) for said in earlier)


def _stands_beside(earlier: str, rewritten: str, question: str) -> bool:
    """Return True if a rewriting has an earlier question, and asks something in what is left of it."""
    if len(letters(earlier)) < LEAST_LETTERS or letters(earlier) in letters(question):
        return False
    before, found, behind = rewritten.casefold().partition(earlier.strip("？?。！!. ").casefold())
    if found and (_ASKS.search(before) or _ASKS.search(behind)):
        return True
    parts = [part for part in _BETWEEN.split(rewritten) if part.strip()]
    said = bigrams(earlier)
    alike = [
        part
        for part in parts
        if part not in question and (own := bigrams(part)) and 2 * len(own & said) >= ALIKE * (len(own) + len(said))
    ]
    return bool(alike) and any(_ASKS.search(part) for part in parts if part not in alike)
