"""What a model's service can do, found by two short questions, and how fast it is, by a third."""

import time
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import HumanMessage
from pydantic import BaseModel, ValidationError

from tools.errors import ModelError
from tools.language import tokens
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


SPEED_PROBE = "Below are the days of a year. Write the numbers from 1 to 40, with blanks between them."
_DAYS, _PROBE_TOKENS = 90, 48
"""Lines of the text that the third question is put with, about 500 tokens, and tokens of its answer."""
USUAL_TOKENS, USUAL_REPLY = 6_000, 600
"""Tokens that a plain question sends and gets where the model plays every role (docs/reports/model_costs.md)."""
SMALL_TOKENS, SMALL_REPLY = 1_000, 60
"""The same with MODEL_PROFILE=small."""
LEAST_CONTEXT = 8_000
"""Tokens of a context that holds the evidence of a question with the rules and the tools."""
LEAST_S = 0.001
PATIENT_S = 60.0
"""Seconds for a question that a person waits for."""


class Pong(BaseModel):
    """What the second question is answered with."""

    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCapabilities:
    tools: bool
    schema: bool
    streaming: bool
    usage: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpeed:
    """Tokens that a model reads and writes in a second, and how many it takes; None where its service does not say."""

    read: float
    written: float
    context: int | None

    def seconds(self, sent: int, replied: int) -> float:
        return sent / self.read + replied / self.written

    @property
    def usual_s(self) -> float:
        return self.seconds(USUAL_TOKENS, USUAL_REPLY)

    @property
    def small_s(self) -> float:
        return self.seconds(SMALL_TOKENS, SMALL_REPLY)

    def wants_small(self, found: ModelCapabilities) -> bool:
        """Return True if the model should word answers alone: too slow, too short of context, or without calls."""
        is_short = self.context is not None and self.context < LEAST_CONTEXT
        return not (found.tools and found.schema) or is_short or self.usual_s > PATIENT_S


@dataclass(frozen=True, slots=True)
class IgnoredStream:
    """Takes a stream that nobody reads."""

    def words(self, piece: str) -> None: ...

    def thought(self, words: str) -> None: ...

    def restart(self) -> None: ...


@dataclass(slots=True)
class Stopwatch:
    """Notes when the first and the last words of a stream came."""

    first: float | None = None
    last: float = 0.0

    def words(self, piece: str) -> None:
        self.last = time.perf_counter()
        self.first = self.first or self.last

    def thought(self, words: str) -> None:
        self.words(words)

    def restart(self) -> None:
        self.first = None


async def measure_speed(provider: Provider, settings: ModelSettings) -> ModelSpeed | None:
    """Time one streamed reply to a text of about 500 tokens; None where it says nothing. Raises ModelError."""
    days = "\n".join(f"Day {day}: tide {day * 7 % 60} minutes past {day % 12}." for day in range(1, _DAYS + 1))
    watch, started = Stopwatch(), time.perf_counter()
    asked = [HumanMessage(f"{SPEED_PROBE}\n\n{days}\n\n{SPEED_PROBE}")]
    reply = await provider.turn(replace(settings, output_tokens=_PROBE_TOKENS), asked, stream=watch)
    if watch.first is None:
        return None
    usage = reply.usage_metadata
    sent = usage["input_tokens"] if usage else tokens(asked[0].text)
    written = (usage["output_tokens"] if usage else tokens(reply.text)) - 1
    seconds = max(watch.last - watch.first, LEAST_S)
    return ModelSpeed(
        read=sent / max(watch.first - started, LEAST_S),
        written=max(written, 1) / seconds,
        context=await provider.context(settings),
    )


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
