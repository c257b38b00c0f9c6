"""Calls of the service: each passes the breaker, and each failure is a ModelError."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel, ValidationError

from nodes.results.usage import asking
from nodes.roles import Listener
from wenmai.minds.model.breaker import Breaker
from wenmai.minds.model.client import ModelSettings, Provider
from wenmai.minds.model.failures import unusable
from wenmai.minds.model.messages import AGAINST_SCHEMA, EMPTY

# The rest of a response's metadata (safety ratings with enums) is not plain data.
KEPT_METADATA = ("model_provider", "model_name", "finish_reason")

Parsed = TypeVar("Parsed", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Caller:
    """A role's model."""

    provider: Provider
    breaker: Breaker
    settings: ModelSettings

    async def turn(
        self,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]] = (),
        stream: Listener | None = None,
        *,
        may_call: bool = True,
    ) -> AIMessage:
        """Return one model turn as the service sent it; `stream` takes it as it is written.

        Raises ModelError.
        """
        with self.breaker.watch(), asking(self.settings.id):
            return plain(await self.provider.turn(self.settings, messages, tools, stream, may_call=may_call))

    async def structured(self, messages: Sequence[BaseMessage], schema: type[Parsed]) -> Parsed:
        """Return the answer in a schema. Raises ModelError, also for an answer against the schema."""
        with self.breaker.watch(), asking(self.settings.id):
            reply = await self.provider.structured(self.settings, messages, schema)
        return parsed(reply, schema, self.settings)

    async def json_text(self, messages: Sequence[BaseMessage], schema: type[BaseModel]) -> str:
        """Return the text of an answer in JSON mode as it came, for a reader that cleans it. Raises ModelError."""
        with self.breaker.watch(), asking(self.settings.id):
            reply = await self.provider.structured(self.settings, messages, schema)
        if not reply.text.strip():
            raise unusable(finish_of(reply), EMPTY.say(), self.settings)
        return reply.text


def plain(reply: AIMessage) -> AIMessage:
    """Return a reply whose metadata a checkpoint can hold; the parts for the service are unchanged."""
    kept = {key: reply.response_metadata[key] for key in KEPT_METADATA if key in reply.response_metadata}
    return reply.model_copy(update={"response_metadata": kept})


def finish_of(reply: AIMessage) -> str:
    """Return the service's reason for the end of a reply, '' without one."""
    return str(reply.response_metadata.get("finish_reason") or "")


def parsed(reply: AIMessage, schema: type[Parsed], settings: ModelSettings) -> Parsed:
    """Validate a structured answer. Raises ModelError."""
    if not reply.text.strip():
        raise unusable(finish_of(reply), EMPTY.say(), settings)
    try:
        return schema.model_validate_json(reply.text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise unusable(finish_of(reply), AGAINST_SCHEMA.say(where=where, said=first["msg"]), settings) from error
