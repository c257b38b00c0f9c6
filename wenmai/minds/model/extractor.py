"""Extraction from pieces of chapters by a model: structured output, retries, a report of blocked pieces."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_core.rate_limiters import BaseRateLimiter

from wenmai.ingestion.model.pieces import Piece
from wenmai.ingestion.model.prompts import READER, asked, prompt_version
from wenmai.ingestion.model.reader import TooLong, Unread
from wenmai.ingestion.model.schema import Answer, Findings, summed
from wenmai.ingestion.passages.layout import digest
from wenmai.minds.model.caller import finish_of, parsed
from wenmai.minds.model.client import ModelSettings, Provider, ProviderName
from wenmai.minds.model.failures import Unusable
from wenmai.minds.model.patience import PATIENCE, Patience, retrying

BLOCKED = frozenset({"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "LANGUAGE"})
TOO_LONG = "MAX_TOKENS"
COUNTED = 100_000  # characters in one request that counts tokens

log = logging.getLogger("wenmai.model")


@dataclass(frozen=True, slots=True)
class ModelExtractor:
    """The extractor's model. It has no circuit breaker: an ingest retries, then stops."""

    provider: Provider
    settings: ModelSettings
    patience: Patience = PATIENCE
    limiter: BaseRateLimiter | None = None

    @property
    def mark(self) -> str:
        """Identity of model, settings and prompt."""
        return mark_of(self.provider.name, self.settings)

    async def read(self, piece: Piece) -> Answer:
        """Return the findings in a piece. Raises ModelError, TooLong, Unread.

        An unusable reply is requested once more.
        """
        reply = await self._reply(piece)
        try:
            return answered(reply, self.settings)
        except Unusable as error:
            log.warning("extractor: %s", error)
        return await self._again(piece, cost_of(reply, self.settings))

    async def _again(self, piece: Piece, spent: Answer) -> Answer:
        """Ask once more. Raises Unread after a second unusable answer."""
        reply = await self._reply(piece)
        try:
            return summed(answered(reply, self.settings), spent)
        except TooLong as error:
            raise TooLong(str(error), summed(error.cost, spent)) from error
        except Unusable as error:
            raise Unread(str(error), summed(cost_of(reply, self.settings), spent)) from error

    async def count(self, texts: Sequence[str]) -> int:
        """Return the tokens of texts as the service counts them. Raises ModelError."""
        joined, total = "", 0
        for text in (*texts, ""):
            if joined and (not text or len(joined) + len(text) > COUNTED):
                total += await self._counted(joined)
                joined = ""
            joined += text
        return total

    async def _reply(self, piece: Piece) -> AIMessage:
        """Ask once, or more often while the service is down or busy."""
        messages = [
            SystemMessage(READER[piece.language]),
            HumanMessage(asked(piece.title, piece.text, piece.language)),
        ]

        async def once() -> AIMessage:
            if self.limiter:
                await self.limiter.aacquire()
            return await self.provider.structured(self.settings, messages, Findings)

        return await retrying(self.patience)(once)

    async def _counted(self, text: str) -> int:
        return await retrying(self.patience)(self.provider.count, self.settings, text)


def mark_of(provider: ProviderName, settings: ModelSettings) -> str:
    """Return the identity of a model, its settings and the prompt."""
    return digest(provider, settings.id, settings.temperature, settings.thinking, prompt_version())


def answered(reply: AIMessage, settings: ModelSettings) -> Answer:
    """Return the answer in a reply. Raises Unusable, TooLong."""
    cost = cost_of(reply, settings)
    finish = finish_of(reply)
    reason = finish if finish in BLOCKED else str(reply.response_metadata.get("refusal") or "")
    if reason:
        return cost.model_copy(update={"reason": reason})
    if finish == TOO_LONG:
        raise TooLong("模型的回答超出长度上限，文字已不能再分", cost)
    return cost.model_copy(update={"found": parsed(reply, Findings, settings)})


def cost_of(reply: AIMessage, settings: ModelSettings) -> Answer:
    """Return what a reply cost, as an answer without findings."""
    usage = reply.usage_metadata
    return Answer(
        model=str(reply.response_metadata.get("model_name") or settings.id),
        calls=1,
        input_tokens=usage["input_tokens"] if usage else 0,
        output_tokens=usage["output_tokens"] if usage else 0,
        cached_tokens=usage.get("input_token_details", {}).get("cache_read", 0) if usage else 0,
    )
