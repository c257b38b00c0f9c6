"""Extraction from pieces of chapters by a model: structured output, retries, a report of blocked pieces."""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.rate_limiters import BaseRateLimiter
from pydantic import BaseModel

from nodes.drafts import finish_of
from tools.language import tokens
from tools.messages import say
from wenmai.ingestion.model.pieces import (
    PASSED_OVER,
    Answer,
    CallCost,
    Declined,
    People,
    Piece,
    Reading,
    TooLong,
    Unread,
    shared_costs,
    shared_findings,
    summed,
)
from wenmai.ingestion.model.prompts import PEOPLE, READER, asked, people_prompt_version, prompt_version
from wenmai.ingestion.model.summary_requests import (
    SUMMARISER,
    SummaryRequest,
    Written,
    WrittenAnswer,
    summary_prompt_version,
)
from wenmai.ingestion.model.tokens import request_tokens
from wenmai.ingestion.passages import digest
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.minds.model.caller import RefusedRequest, Unusable, parsed
from wenmai.minds.model.client import Messages, ModelSettings, Provider, ProviderName
from wenmai.minds.model.patience import PATIENCE, Patience, retrying
from wenmai.minds.model.schemas import declared

BLOCKED = frozenset({"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"})
TOO_LONG = "MAX_TOKENS"
ANSWER_FACTOR, ANSWER_STEP, LEAST_ANSWER = 2, 256, 512
"""Tokens of an answer for one of the text that it is about, in steps, and at least so many."""
COUNTED = 100_000  # characters in one request that counts tokens

log = logging.getLogger("wenmai.model")
Parsed = TypeVar("Parsed")


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """The extractor's model. It has no circuit breaker: an ingest retries, then stops.

    `names_only`: it is asked for people alone, the rest is left to patterns and the reader. `is_bounded`: an answer has
    twice the tokens of its text at most, as a small model may find no end.
    """

    provider: Provider
    settings: ModelSettings
    patience: Patience = PATIENCE
    limiter: BaseRateLimiter | None = None
    names_only: bool = False
    is_bounded: bool = False

    @property
    def mark(self) -> str:
        return mark_of(self.provider.name, self.settings, people_prompt_version() if self.names_only else "")

    @property
    def summary_mark(self) -> str:
        """The identity under which answers to requests for summaries are kept."""
        return mark_of(self.provider.name, self.settings, summary_prompt_version())

    async def read(self, pieces: Sequence[Piece], known: Sequence[KnownName]) -> list[Answer]:
        """Return the findings in each piece. Raises ModelError, TooLong, Unread, Declined.

        An unusable reply is requested once more.
        """
        prompts, schema = (PEOPLE, People) if self.names_only else (READER, Reading)
        messages = [SystemMessage(prompts[pieces[0].language]), HumanMessage(asked(pieces, known))]
        return await self._usable(
            messages, schema, lambda reply, spent: answered(reply, pieces, self.settings, spent, schema)
        )

    async def write(self, request: SummaryRequest) -> WrittenAnswer:
        """Return what the model writes. Raises ModelError, TooLong, Unread, Declined, as `read` does."""
        messages = [SystemMessage(SUMMARISER[request.language]), HumanMessage(request.message)]
        _, most = request_tokens(request)
        return await self._usable(
            messages, Written, lambda reply, spent: written_answer(reply, self.settings, spent), least=most
        )

    async def _usable(
        self,
        messages: Messages,
        schema: type[BaseModel],
        parse: Callable[[AIMessage, CallCost], Parsed],
        least: int = LEAST_ANSWER,
    ) -> Parsed:
        """Return what can be read from a reply, of two at most, for which `least` tokens are left.

        Raises ModelError, TooLong, Unread, Declined.
        """
        reply = await self._reply(messages, schema, least)
        spent = cost_of(reply, self.settings)
        try:
            return parse(reply, spent)
        except Unusable as error:
            log.warning("extractor: %s", error)
        again = await self._reply(messages, schema, least)
        spent = summed(cost_of(again, self.settings), spent)
        try:
            return parse(again, spent)
        except Unusable as error:
            raise Unread(str(error), spent) from error

    async def count(self, texts: Sequence[str]) -> int:
        """Return the tokens of texts as the service counts them. Raises ModelError."""
        joined, total = "", 0
        for text in (*texts, ""):
            if joined and (not text or len(joined) + len(text) > COUNTED):
                total += await retrying(self.patience)(self.provider.count, self.settings, joined)
                joined = ""
            joined += text
        return total

    async def _reply(self, messages: Messages, schema: type[BaseModel], least: int) -> AIMessage:
        """Ask once, or more often while the service is down or busy."""
        settings = bounded(self.settings, messages[-1].text, least) if self.is_bounded else self.settings

        async def once() -> AIMessage:
            if self.limiter:
                await self.limiter.aacquire()
            return await self.provider.structured(settings, messages, schema)

        try:
            return await retrying(self.patience)(once)
        except RefusedRequest as error:
            raise Declined(str(error), CallCost(model=self.settings.id)) from error


def mark_of(provider: ProviderName, settings: ModelSettings, prompt: str = "") -> str:
    """Return the identity of a model, its settings and a prompt: of `prompt`, or of that which reads."""
    return digest(provider, settings.id, settings.temperature, settings.thinking, prompt or prompt_version())


def schema_size() -> int:
    """Return the characters of the schema that every call declares."""
    return len(json.dumps(declared(Reading), ensure_ascii=False))


def refused_by(reply: AIMessage, spent: CallCost) -> str:
    """Return why a service blocks a text, '' where it does not. Raises TooLong for a reply that is cut off."""
    finish = finish_of(reply)
    reason = finish if finish in BLOCKED else str(reply.response_metadata.get("refusal") or "")
    if not reason and finish == TOO_LONG:
        raise TooLong(say("model.answer_too_long"), spent)
    return reason


def bounded(settings: ModelSettings, text: str, least: int = LEAST_ANSWER) -> ModelSettings:
    """Return the settings of a call whose answer has an end; in steps, as each makes a client's model of its own."""
    most = max(least, ANSWER_FACTOR * tokens(text))
    return replace(settings, output_tokens=-(-most // ANSWER_STEP) * ANSWER_STEP)


def answered(
    reply: AIMessage,
    pieces: Sequence[Piece],
    settings: ModelSettings,
    spent: CallCost,
    schema: type[Reading] | type[People] = Reading,
) -> list[Answer]:
    """Return the answer about each piece, with its share of what was spent. Raises Unusable, TooLong."""
    costs = shared_costs(spent, pieces)
    if reason := refused_by(reply, spent):
        return [cost.model_copy(update={"reason": reason}) for cost in costs]
    read = parsed(reply, schema, settings)
    found = shared_findings(read.reading(pieces) if isinstance(read, People) else read, pieces)
    if schema is People:
        costs = [cost.model_copy(update={"names_only": True}) for cost in costs]
    return [
        cost.model_copy(update={"found": one} if one else {"reason": PASSED_OVER})
        for cost, one in zip(costs, found, strict=True)
    ]


def written_answer(reply: AIMessage, settings: ModelSettings, spent: CallCost) -> WrittenAnswer:
    """Return what was written, or why it was not, with what was spent. Raises Unusable, TooLong."""
    reason = refused_by(reply, spent)
    return WrittenAnswer(
        **spent.model_dump(), reason=reason, written=None if reason else parsed(reply, Written, settings)
    )


def cost_of(reply: AIMessage, settings: ModelSettings) -> CallCost:
    usage = reply.usage_metadata
    return CallCost(
        model=str(reply.response_metadata.get("model_name") or settings.id),
        calls=1,
        input_tokens=usage["input_tokens"] if usage else 0,
        output_tokens=usage["output_tokens"] if usage else 0,
        cached_tokens=usage.get("input_token_details", {}).get("cache_read", 0) if usage else 0,
    )
