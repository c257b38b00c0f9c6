"""What a model's service can do, found by two short questions."""

from dataclasses import dataclass
from typing import Any

from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ValidationError

from tools.errors import ModelError
from wenmai.minds.model.client import ModelSettings, Provider

PING_TOOL: dict[str, Any] = {
    "name": "ping",
    "description": "Answers a ping.",
    "parameters": {
        "type": "object",
        "properties": {"word": {"type": "string", "description": "Any word."}},
        "required": ["word"],
    },
}
TOOL_PROBE = "Call the tool ping with the word pong. Do not answer in text."
JSON_PROBE = "Answer in JSON: the field word is pong."


class Pong(BaseModel):
    """What the second question is answered with."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    tools: bool
    schema: bool
    streaming: bool
    usage: bool


@dataclass(frozen=True, slots=True)
class IgnoredStream:
    """Takes a stream that nobody reads."""

    def words(self, piece: str) -> None: ...

    def thought(self, words: str) -> None: ...

    def restart(self) -> None: ...


async def probe_capabilities(provider: Provider, settings: ModelSettings) -> ModelCapabilities:
    """Ask for a call, streamed, and for JSON; say what worked. Raises ModelError if neither way is answered."""
    question, streaming = [HumanMessage(TOOL_PROBE)], True
    try:
        reply = await provider.turn(settings, question, [PING_TOOL], IgnoredStream())
    except ModelError as error:
        if not error.transient:
            raise
        reply, streaming = await provider.turn(settings, question, [PING_TOOL]), False
    schema = True
    try:
        answer = await provider.structured(settings, [HumanMessage(JSON_PROBE)], Pong)
        Pong.model_validate_json(answer.text)
    except (ModelError, ValidationError) as error:
        if isinstance(error, ModelError) and error.transient:
            raise
        schema = False
    lacks = provider.lacks(settings)
    return ModelCapabilities(
        tools=bool(reply.tool_calls) and "tools" not in lacks,
        schema=schema and "schema" not in lacks,
        streaming=streaming,
        usage=reply.usage_metadata is not None,
    )
