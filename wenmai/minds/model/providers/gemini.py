"""The Gemini API through `langchain-google-genai`: calls, errors, and the usage that the library does not report."""

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import lru_cache
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any, Literal, get_args

import httpx
from langchain_core.messages import AIMessage
from langchain_core.messages.ai import UsageMetadata
from langchain_core.runnables import Runnable
from pydantic import BaseModel, SecretStr

from nodes.roles import Listener
from nodes.usage import meters
from tools.formatting import dump
from tools.holding import holding
from wenmai.minds.model.caller import BadThinking, Reported, Service, cut_off, failure_of, too_slow, unreachable
from wenmai.minds.model.client import (
    Messages,
    MissingCapability,
    ModelEndpoint,
    ModelSettings,
    ProviderName,
    Thinking,
    Tools,
)
from wenmai.minds.model.providers.exchange import finished, streamed, told_apart, whole
from wenmai.minds.model.schemas import declared

if TYPE_CHECKING:
    from google.genai.types import Tool
    from langchain_google_genai import ChatGoogleGenerativeAI

# 1 is the first request alone; 0 would mean the SDK's own five retries.
REQUESTS = 1
ThinkingWay = Literal["level", "budget", "none"]
THINKING_WAYS: tuple[ThinkingWay, ...] = get_args(ThinkingWay)
"""How a model is told how long to think: models up to 2.5 know a budget of tokens, others nothing of both."""
BUDGETS: dict[Thinking, int] = {"minimal": 512, "low": 1_024, "medium": 8_192, "high": 24_576}
"""Tokens for a level; Google maps the levels of OpenAI's protocol to these, minimal as low."""
LIBRARIES = ("google_genai", "langchain_google_genai")
KEPT_TOOLS = 64  # sets of tools: of each choice of toolkits in each language


@dataclass(slots=True)
class GeminiProvider:
    """The chat models of one endpoint: they share one HTTP client, and with it its open connections."""

    endpoint: ModelEndpoint
    name: ProviderName = "gemini"
    _base: "ChatGoogleGenerativeAI | None" = field(default=None, repr=False)
    _models: dict[tuple[ModelSettings, bool, ThinkingWay], "ChatGoogleGenerativeAI"] = field(
        default_factory=dict, repr=False
    )
    _ways: dict[tuple[str, Thinking], ThinkingWay] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def turn(
        self,
        settings: ModelSettings,
        messages: Messages,
        tools: Tools = (),
        stream: Listener | None = None,
        *,
        may_call: bool = True,
    ) -> AIMessage:
        async def ask(model: "ChatGoogleGenerativeAI") -> AIMessage:
            choice = {} if may_call else {"tool_choice": "none"}
            bound = model.bind(tools=sdk_tools(dump(tools)), **choice) if tools else model
            return await (metered(bound, messages) if stream is None else streamed(bound, messages, stream))

        return await self._asked(settings, ask, streaming=stream is not None)

    async def structured(self, settings: ModelSettings, messages: Messages, schema: type[BaseModel]) -> AIMessage:
        """Return a reply in JSON mode with a schema. Raises ModelError."""
        return await self._asked(settings, lambda model: metered(in_json(model, schema), messages))

    async def count(self, settings: ModelSettings, text: str) -> int:
        """Return the tokens of a text as the service counts them. Raises ModelError."""
        client: Any = (await self.model(settings)).client
        with mapped_errors(settings):
            counted = await client.aio.models.count_tokens(model=settings.id, contents=text)
        return int(counted.total_tokens or 0)

    async def context(self, settings: ModelSettings) -> int | None:
        """Return None: every model of the API has a context that is far larger than a question."""
        return None

    def lacks(self, settings: ModelSettings) -> frozenset[MissingCapability]:
        """Return nothing: the API has function calls and JSON schemas."""
        return frozenset()

    async def model(self, settings: ModelSettings, *, streaming: bool = False) -> "ChatGoogleGenerativeAI":
        """Return the model of these settings; the first use loads the library in a thread.

        Without `streaming` it never streams by itself: LangGraph's `messages` mode would turn each call into a stream.
        """
        way = self._way(settings)
        key = (settings, streaming, way)
        if key not in self._models:
            async with self._lock:
                if self._base is None:
                    self._base = await asyncio.to_thread(build, self.endpoint, settings)
                base = self._base
            self._models[key] = base.model_copy(update=varied(settings, way) | {"disable_streaming": not streaming})
        return self._models[key]

    async def close(self) -> None:
        """Close the connections; to be called on the loop that used them."""
        base, self._base = self._base, None
        self._models.clear()
        if base is not None:
            await base.aclose()

    def _way(self, settings: ModelSettings) -> ThinkingWay:
        """Return how the model takes the settings' thinking level, as far as is known."""
        return self._ways.get((settings.id, settings.thinking), "level") if settings.thinking else "none"

    async def _asked(
        self,
        settings: ModelSettings,
        ask: "Callable[[ChatGoogleGenerativeAI], Awaitable[AIMessage]]",
        *,
        streaming: bool = False,
    ) -> AIMessage:
        """Return a reply; a thinking level that the model refuses is put in another way, which is remembered.

        Raises ModelError.
        """
        way = self._way(settings)
        try:
            model = await self.model(settings, streaming=streaming)
            with mapped_errors(settings):
                reply = await ask(model)
        except BadThinking:
            if settings.thinking is None or way == THINKING_WAYS[-1]:
                raise
            self._ways[settings.id, settings.thinking] = THINKING_WAYS[THINKING_WAYS.index(way) + 1]
            return await self._asked(settings, ask, streaming=streaming)
        # Its thoughts as blocks, and the reason for which the prompt itself was refused, if it was.
        feedback = reply.response_metadata.get("prompt_feedback") or {}
        reason = feedback.get("block_reason")
        refusal = str(getattr(reason, "name", reason) or "") if reason else ""
        reply = reply.model_copy(update={"content": told_apart(reply.content)})
        return finished(reply, str(reply.response_metadata.get("finish_reason") or refusal), refusal)


def build(endpoint: ModelEndpoint, settings: ModelSettings) -> "ChatGoogleGenerativeAI":
    from langchain_google_genai import ChatGoogleGenerativeAI

    quieten()
    return ChatGoogleGenerativeAI(
        **varied(settings),
        api_key=SecretStr(endpoint.key),
        base_url=endpoint.base_url,
        vertexai=False,
        max_retries=REQUESTS,
        timeout=endpoint.client_timeout_s,
        client_args={"event_hooks": {"response": [record_usage]}},
    )


def quieten() -> None:
    """Keep the libraries' warnings on odd replies from the user's terminal; results have their own."""
    for name in LIBRARIES:
        logger = logging.getLogger(name)
        if logger.level == logging.NOTSET:
            logger.setLevel(logging.ERROR)


def varied(settings: ModelSettings, way: ThinkingWay = "level") -> dict[str, Any]:
    return {
        "model": settings.id,
        "temperature": settings.temperature,
        "max_output_tokens": settings.output_tokens,
        "reasoning_effort": settings.thinking if way == "level" else None,
        "thinking_budget": BUDGETS[settings.thinking] if settings.thinking and way == "budget" else None,
        "include_thoughts": True if settings.summaries else None,
    }


@lru_cache(KEPT_TOOLS)
def sdk_tools(declarations: str) -> "list[Tool]":
    """Return declarations, a JSON list, in the SDK's form; `bind_tools` would convert them anew for each request.

    It is cached: callers must not change it.
    """
    from google.genai.types import FunctionDeclaration, Tool

    tools = json.loads(declarations)
    for one in tools:
        one["parameters"] = one["parameters"] if one["parameters"].get("properties") else None  # the service takes none
    return [Tool(function_declarations=[FunctionDeclaration.model_validate(one) for one in tools])]


def in_json(model: "ChatGoogleGenerativeAI", schema: type[BaseModel]) -> Runnable[Any, AIMessage]:
    """Bind a schema. `with_structured_output` would add a parser that repairs truncated JSON into a wrong answer."""
    return model.bind(response_mime_type="application/json", response_json_schema=declared(schema))


async def metered(model: Runnable[Any, AIMessage], messages: Messages) -> AIMessage:
    """Ask and wait for the whole reply, with the usage that the library does not report."""
    replies: list[dict[str, Any]] = []  # those without a candidate, as parsed JSON
    with holding(UNREPORTED, replies):
        reply = await whole(model, messages)
    if reply.usage_metadata or not replies:
        return reply
    usage, name = usage_of(replies[-1]["usageMetadata"]), str(replies[-1].get("modelVersion") or "")
    if meter := meters().get():  # which saw none
        meter.add(name, usage)
    named = {**reply.response_metadata, "model_name": name} if name else reply.response_metadata
    return reply.model_copy(update={"usage_metadata": usage, "response_metadata": named})


GEMINI = Service("Gemini", "GOOGLE_API_KEY / GEMINI_API_KEY", "GEMINI_BASE_URL")


@contextmanager
def mapped_errors(settings: ModelSettings) -> Iterator[None]:
    # Loaded already: only a model that was built can raise.
    from google.genai.errors import APIError, UnknownApiResponseError
    from langchain_google_genai.chat_models import ChatGoogleGenerativeAIError

    try:
        yield
    except (APIError, ChatGoogleGenerativeAIError) as error:
        raise failure_of(reported(error), GEMINI, settings) from error
    except httpx.TimeoutException as error:
        raise too_slow(GEMINI, settings) from error
    except httpx.HTTPError as error:
        raise unreachable(GEMINI, error) from error
    except (UnknownApiResponseError, JSONDecodeError, UnicodeDecodeError) as error:
        raise cut_off(GEMINI) from error


def reported(error: Exception) -> Reported:
    cause = error if hasattr(error, "code") else error.__cause__
    said = str(getattr(cause, "message", None) or error)
    given = getattr(cause, "details", None)
    body = given.get("error", given) if isinstance(given, Mapping) else {}
    body = body if isinstance(body, Mapping) else {}  # gateways send anything
    details = [one for one in body.get("details") or [] if isinstance(one, Mapping)]
    reasons = [body.get("status"), *(one.get("reason") for one in details)]
    delays = [delay.removesuffix("s") for one in details if isinstance(delay := one.get("retryDelay"), str)]
    return Reported(
        code=int(getattr(cause, "code", None) or 0),
        said=said,
        retry_after_s=max((float(one) for one in delays if one.replace(".", "", 1).isdigit()), default=0.0),
        bad_key="API_KEY_INVALID" in reasons,
        not_here="FAILED_PRECONDITION" in reasons,
        bad_thinking="thinking" in said.lower(),
    )


WHOLE = ":generateContent"  # for a stream the library reports every chunk's usage
OK = 200
ANSWERED = re.compile(rb'"candidates":\s*\[\s*\{')
UNREPORTED: ContextVar[list[dict[str, Any]] | None] = ContextVar("wenmai_untold", default=None)


async def record_usage(response: httpx.Response) -> None:
    """Record a reply without a candidate; a response hook of the HTTP client, called before the library reads."""
    replies = UNREPORTED.get()
    if replies is None or response.status_code != OK or not response.request.url.path.endswith(WHOLE):
        return
    if ANSWERED.search(await response.aread()):
        return
    try:
        body = response.json()
    except ValueError:
        return  # the library raises for it
    if isinstance(body, dict) and not body.get("candidates") and isinstance(body.get("usageMetadata"), dict):
        replies.append(body)


def usage_of(counts: dict[str, Any]) -> UsageMetadata:
    """Return the service's counts in LangChain's form; thinking counts as output."""
    thoughts = int(counts.get("thoughtsTokenCount") or 0)
    given = int(counts.get("promptTokenCount") or 0)
    made = int(counts.get("candidatesTokenCount") or 0) + thoughts
    return UsageMetadata(
        input_tokens=given,
        output_tokens=made,
        total_tokens=given + made,
        input_token_details={"cache_read": int(counts.get("cachedContentTokenCount") or 0)},
        output_token_details={"reasoning": thoughts},
    )
