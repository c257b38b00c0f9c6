"""Calls of the service: each passes the breaker, and each failure becomes a ModelError."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, message_chunk_to_message
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from nodes.results.usage import asking
from wenmai.minds.model.breaker import Breaker
from wenmai.minds.model.client import Clients, ModelSettings
from wenmai.minds.model.failures import mapped_errors, unusable
from wenmai.minds.model.messages import AGAINST_SCHEMA, EMPTY
from wenmai.minds.model.response_hooks import collecting_usage, with_usage
from wenmai.minds.model.schemas import declared

if TYPE_CHECKING:
    from langchain_google_genai import ChatGoogleGenerativeAI

# The text of a role is no answer yet: LangGraph's `messages` stream must not show it.
UNSEEN = RunnableConfig(tags=[TAG_NOSTREAM])
# The rest of a response's metadata (safety ratings with enums) is not plain data.
KEPT_METADATA = ("model_provider", "model_name", "finish_reason")

Parsed = TypeVar("Parsed", bound=BaseModel)
Words = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """A role's model."""

    clients: Clients
    breaker: Breaker
    settings: ModelSettings

    async def turn(
        self, messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]] = (), on_text: Words | None = None
    ) -> AIMessage:
        """Return one model turn as the service sent it; with `on_text` its text comes as it is written.

        Raises ModelError.
        """
        with self.breaker.watch(), asking(self.settings.id):
            model = await self.clients.model(self.settings, streaming=on_text is not None)
            with mapped_errors(self.settings):
                bound = model.bind_tools(tools) if tools else model
                reply = await (whole(bound, messages) if on_text is None else streamed(bound, messages, on_text))
        return plain(reply)

    async def structured(self, messages: Sequence[BaseMessage], schema: type[Parsed]) -> Parsed:
        """Return the answer in a schema. Raises ModelError, also for an answer against the schema."""
        with self.breaker.watch(), asking(self.settings.id):
            model = await self.clients.model(self.settings)
            with mapped_errors(self.settings):
                reply = await whole(in_json(model, schema), messages)
        return parsed(reply, schema, self.settings)

    async def json_text(self, messages: Sequence[BaseMessage], schema: type[BaseModel]) -> str:
        """Return the text of an answer in JSON mode as it came, for a reader that cleans it. Raises ModelError."""
        with self.breaker.watch(), asking(self.settings.id):
            model = await self.clients.model(self.settings)
            with mapped_errors(self.settings):
                reply = await whole(in_json(model, schema), messages)
        if not reply.text.strip():
            raise unusable(reply.response_metadata.get("finish_reason") or refusal(reply), "回答是空的", self.settings)
        return reply.text


def in_json(model: "ChatGoogleGenerativeAI", schema: type[BaseModel]) -> Runnable[Any, AIMessage]:
    """Bind a schema. `with_structured_output` would add a parser that repairs truncated JSON into a wrong answer."""
    return model.bind(response_mime_type="application/json", response_json_schema=declared(schema))


async def whole(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage]) -> AIMessage:
    """Ask and wait for the whole reply."""
    with collecting_usage() as replies:
        reply = await model.ainvoke(list(messages), UNSEEN)
    return with_usage(reply, replies)


async def streamed(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage], on_text: Words) -> AIMessage:
    """Stream the text of each chunk; return the chunks joined, with calls and signatures."""
    joined: AIMessageChunk | None = None
    async for chunk in model.astream(list(messages)):
        if not isinstance(chunk, AIMessageChunk):
            raise TypeError(f"expected chunks of a chat model, got {type(chunk).__name__}")
        if joined is not None and joined.response_metadata.get("finish_reason") and chunk.content:
            continue  # of a second candidate; only the first one counts
        joined = chunk if joined is None else joined + chunk
        if text := chunk.text:
            on_text(text)
    if joined is None:
        return AIMessage("")
    message = message_chunk_to_message(joined)
    return message if isinstance(message, AIMessage) else AIMessage("")


def plain(reply: AIMessage) -> AIMessage:
    """Return a reply whose metadata a checkpoint can hold; the parts for the service are unchanged."""
    kept = {key: reply.response_metadata[key] for key in KEPT_METADATA if key in reply.response_metadata}
    if not kept.get("finish_reason") and (reason := refusal(reply)):
        kept["finish_reason"] = reason
    return reply.model_copy(update={"response_metadata": kept})


def refusal(reply: AIMessage) -> str:
    """Return why the service refused the prompt itself, '' if it did not."""
    feedback = reply.response_metadata.get("prompt_feedback") or {}
    reason = feedback.get("block_reason")
    return str(getattr(reason, "name", reason) or "") if reason else ""


def parsed(reply: AIMessage, schema: type[Parsed], settings: ModelSettings) -> Parsed:
    """Validate a structured answer. Raises ModelError."""
    finish = reply.response_metadata.get("finish_reason") or refusal(reply)
    if not reply.text.strip():
        raise unusable(finish, EMPTY.say(), settings)
    try:
        return schema.model_validate_json(reply.text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise unusable(finish, AGAINST_SCHEMA.say(where=where, said=first["msg"]), settings) from error
