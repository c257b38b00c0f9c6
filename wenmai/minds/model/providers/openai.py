"""OpenAI's protocol through `langchain-openai`: hosted services, gateways, local servers, whatever each can do."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.ai import add_usage
from langchain_core.runnables import Runnable
from pydantic import BaseModel, SecretStr

from nodes.roles import Listener
from tools.errors import ModelError
from wenmai.minds.model.client import Endpoint, Lack, ModelSettings, ProviderName
from wenmai.minds.model.messages import Service
from wenmai.minds.model.probing import CALL_IT, PING_TOOL
from wenmai.minds.model.providers import openai_errors as errors
from wenmai.minds.model.providers.abilities import Abilities
from wenmai.minds.model.providers.exchange import streamed, whole
from wenmai.minds.model.providers.json_answers import WAYS, Way, as_json, asked_by, flaw, mending, with_shape
from wenmai.minds.model.providers.openai_messages import adapted, functions, received
from wenmai.minds.model.providers.text_protocol import WithoutCalls, as_text, only_calls, with_calls

if TYPE_CHECKING:
    from wenmai.minds.model.providers.openai_chat import OpenAIChat

NO_KEY = "none"  # servers on one's own machine want none; the library wants one
PATIENT = 2  # answers against a declared schema after which it is taken for ignored

log = logging.getLogger("wenmai.model")


@dataclass(slots=True)
class OpenAIProvider:
    """The chat models of one endpoint, over one HTTP client."""

    endpoint: Endpoint
    name: ProviderName = "openai"
    abilities: dict[str, Abilities] = field(default_factory=dict, repr=False)
    _base: "OpenAIChat | None" = field(default=None, repr=False)
    _models: dict[Any, "OpenAIChat"] = field(default_factory=dict, repr=False)
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock, repr=False)

    async def turn(
        self,
        settings: ModelSettings,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]] = (),
        stream: Listener | None = None,
        *,
        may_call: bool = True,
    ) -> AIMessage:
        """Return one model turn, its calls by text where the server has no tools. Raises ModelError."""
        able = self.able(settings)
        if able.tools is False:
            return await self._by_text(settings, messages, tools, stream)
        if not tools:
            return await self._sent(settings, adapted(messages), {}, stream)
        shown = WithoutCalls(stream) if stream else None
        try:
            reply = await self._sent(settings, adapted(messages), functions(tools, may_call=may_call), shown)
        except ModelError as failure:
            if not errors.is_about(failure, errors.ABOUT_TOOLS):
                raise
            able.tools = False
        else:
            reply = reply if reply.tool_calls else only_calls(reply, tools)
            able.tools = await self._has_tools(settings, reply) if may_call or reply.tool_calls else able.tools
            if able.tools is not False:
                if shown:
                    shown.end(reply)
                return reply
        if shown:
            shown.restart()
        log.warning("%s: no tools at %s, they are described in text", settings.id, self.service.name)
        return await self._by_text(settings, messages, tools, stream)

    async def structured(
        self, settings: ModelSettings, messages: Sequence[BaseMessage], schema: type[BaseModel]
    ) -> AIMessage:
        """Return a reply whose text is JSON, in the best way that the server has, mended once. Raises ModelError."""
        able = self.able(settings)
        reply, able.way = await self._shaped(settings, messages, schema, able.way)
        why = flaw(reply, schema)
        able.ignored = able.ignored + 1 if why else 0
        if not why or not reply.text.strip() or reply.response_metadata.get("finish_reason") != "STOP":
            return reply
        if able.way == WAYS[0]:
            second, way = await self._shaped(settings, messages, schema, WAYS[1])
            able.way = way if able.ignored >= PATIENT else able.way
        else:
            second, _ = await self._shaped(settings, [*messages, *mending(reply, why)], schema, able.way)
        return second.model_copy(update={"usage_metadata": add_usage(reply.usage_metadata, second.usage_metadata)})

    async def count(self, settings: ModelSettings, text: str) -> int:
        """Raise ModelError: the protocol has no way to count."""
        raise ModelError(f"{self.service.name} does not count tokens")

    def lacks(self, settings: ModelSettings) -> frozenset[Lack]:
        """Return what the model's server was found not to do."""
        able = self.able(settings)
        found: list[tuple[Lack, bool]] = [
            ("tools", able.tools is False),
            ("schema", able.way != WAYS[0] or able.ignored > 0),
        ]
        return frozenset(name for name, lacking in found if lacking)

    async def close(self) -> None:
        """Close the connections; to be called on the loop that used them."""
        base, self._base = self._base, None
        self._models.clear()
        if base is not None:
            await base.root_async_client.close()

    @property
    def service(self) -> Service:
        """What messages call the service."""
        return errors.service_of(self.endpoint)

    def able(self, settings: ModelSettings) -> Abilities:
        """Return what is known of a model."""
        return self.abilities.setdefault(settings.id, Abilities())

    async def _has_tools(self, settings: ModelSettings, reply: AIMessage) -> bool | None:
        """Return True if the server passes tools on; a model that only wrote text is asked for a call, once."""
        able = self.able(settings)
        if able.tools or reply.tool_calls:
            return True
        if not reply.text.strip():
            return None
        try:
            answer = await self._sent(settings, [HumanMessage(CALL_IT)], functions([PING_TOOL]))
        except ModelError:
            return None
        return bool(answer.tool_calls or only_calls(answer, [PING_TOOL]).tool_calls)

    async def _by_text(
        self,
        settings: ModelSettings,
        messages: Sequence[BaseMessage],
        tools: Sequence[dict[str, Any]],
        stream: Listener | None,
    ) -> AIMessage:
        """Return a turn of a model without tools."""
        written = adapted(as_text(messages, tools))
        shown = WithoutCalls(stream) if stream else None
        reply = with_calls(await self._sent(settings, written, {}, shown), tools)
        if shown:
            shown.end(reply)
        return reply

    async def _shaped(
        self, settings: ModelSettings, messages: Sequence[BaseMessage], schema: type[BaseModel], way: Way
    ) -> tuple[AIMessage, Way]:
        """Return a structured answer and the way it came, the next one wherever the server refuses the last."""
        for tried in WAYS[WAYS.index(way) :]:
            asked = adapted(with_shape(messages, tried, schema))
            try:
                return as_json(await self._sent(settings, asked, asked_by(tried, schema))), tried
            except ModelError as failure:
                if tried == WAYS[-1] or not errors.is_about(failure, errors.ABOUT_SCHEMA):
                    raise
                log.info("%s: no %s at %s", settings.id, tried, self.service.name)
        raise AssertionError("the last way returns or raises")

    async def _sent(
        self,
        settings: ModelSettings,
        messages: Sequence[BaseMessage],
        asked: dict[str, Any],
        stream: Listener | None = None,
    ) -> AIMessage:
        """Ask, again without what the server does not know. Raises ModelError."""
        while True:
            model = await self.model(settings, streaming=stream is not None)
            bound: Runnable[Any, AIMessage] = model.bind(**asked) if asked else model
            try:
                with errors.mapped_errors(self.service, settings):
                    reply = await (whole(bound, messages) if stream is None else streamed(bound, messages, stream))
                return received(reply)
            except ModelError as failure:
                if not self.able(settings).learns(failure, settings):
                    raise

    async def model(self, settings: ModelSettings, *, streaming: bool = False) -> "OpenAIChat":
        """Return the model of these settings; the first use loads the library in a thread."""
        able = self.able(settings)
        effort = able.effort(settings)
        key = (settings, streaming, able.stream_usage, able.takes_thoughts, effort)
        if key not in self._models:
            async with self._lock:
                if self._base is None:
                    self._base = await asyncio.to_thread(build, self.endpoint, settings)
            fields = {"disable_streaming": not streaming, "stream_usage": able.stream_usage}
            varied = {"model_name": settings.id, "temperature": settings.temperature}
            others = {"reasoning_effort": effort, "returns_thoughts": able.takes_thoughts}
            self._models[key] = self._base.model_copy(update=fields | varied | others)
        return self._models[key]


def build(endpoint: Endpoint, settings: ModelSettings) -> "OpenAIChat":
    """Return a chat model that makes one request a call."""
    from openai import DefaultAsyncHttpxClient

    from wenmai.minds.model.providers.openai_chat import OpenAIChat

    return OpenAIChat(
        model=settings.id,
        api_key=SecretStr(endpoint.key or NO_KEY),
        base_url=endpoint.base_url or errors.OWN,
        timeout=endpoint.client_timeout_s,
        max_retries=0,
        use_responses_api=False,
        http_async_client=DefaultAsyncHttpxClient(timeout=endpoint.client_timeout_s),
    )
