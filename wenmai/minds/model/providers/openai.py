"""OpenAI's protocol through `langchain-openai`: hosted services, gateways, local servers, whatever each can do."""

import asyncio
import logging
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall
from langchain_core.messages.ai import add_usage
from langchain_core.runnables import Runnable
from pydantic import BaseModel, SecretStr

from nodes.drafts import thought_blocks
from nodes.roles import Listener
from tools.errors import ModelError
from tools.messages import say
from wenmai.minds.model.caller import LENGTH, BadThinking, Reported, Service, cut_off, failure_of, too_slow, unreachable
from wenmai.minds.model.client import (
    Messages,
    MissingCapability,
    ModelEndpoint,
    ModelSettings,
    ProviderName,
    Thinking,
    Tools,
)
from wenmai.minds.model.probing import PING_TOOL, TOOL_PROBE
from wenmai.minds.model.providers.exchange import (
    WAYS,
    Way,
    WithoutCalls,
    as_json,
    as_text,
    asked_by,
    blocks,
    finished,
    flaw,
    only_calls,
    streamed,
    whole,
    with_calls,
    with_shape,
)
from wenmai.settings.group import is_loopback

if TYPE_CHECKING:
    import openai

    from wenmai.minds.model.providers.openai_chat import OpenAIChat

NO_KEY = "none"  # servers on one's own machine want none; the library wants one
PATIENT = 2  # answers against a declared schema after which it is taken for ignored
log = logging.getLogger("wenmai.model")
NOT_HERE = "unsupported_country"  # in the code of the error
OWN, OWN_NAME = "https://api.openai.com/v1", "OpenAI"
VERSION = re.compile(r"/v\d")  # in the path of an address
# With these a server says that it does not do what was asked; with others, that something else is wrong.
CANNOT = frozenset({400, 404, 405, 415, 422, 500, 501})
ABOUT_TOOLS = re.compile(r"\btools?\b|tool[_ -](choice|use|call)|function", re.IGNORECASE)
ABOUT_SCHEMA = re.compile(r"response_?format|json|schema|structured|grammar|guided|tool|function", re.IGNORECASE)
ABOUT_STREAM_OPTIONS = re.compile(r"stream_options|include_usage", re.IGNORECASE)
ABOUT_STREAMS = re.compile(r"\bstream(?:ing|ed)?\b", re.IGNORECASE)
ABOUT_THOUGHTS = re.compile(r"reasoning_content|\breasoning\b", re.IGNORECASE)
ABOUT_THINKING = re.compile(r"reasoning_effort|thinking", re.IGNORECASE)
FINISHES = {"stop": "STOP", "tool_calls": "STOP", "function_call": "STOP", "length": "MAX_TOKENS"}
BLOCKED = "SAFETY"  # what the content filter ended, or the model declined
BETWEEN = "\n\n"
NAME = re.compile(r"[^A-Za-z0-9_-]")  # what a model invents as a name is refused when it goes back
LONGEST_NAME = 64
CONTEXT_FIELDS = ("n_ctx", "max_model_len", "context_length", "context_window")  # of a listed model
LEAST_OPTIONAL = 3  # optional arguments that are all given a value by a model that fills everything


@dataclass(slots=True)
class Abilities:
    """What a model's server was found to do; a process learns it once.

    Attributes:
        tools: None until a call came, or a refusal.
        way: how a structured answer is asked for.
        ignored: answers in a row that did not follow a declared schema.
        stream_usage: `stream_options` is taken.
        streams: replies come token by token; else they come whole.
        takes_thoughts: thoughts may go back with the calls that they led to.
        no_efforts: thinking levels that it refuses.
        obeys_none: `tool_choice: none` is heeded; else tools are not declared where none may be called.
        fills_all: it gives every argument a value; then it is not offered a choice that nobody asked for.
    """

    tools: bool | None = None
    way: Way = WAYS[0]
    ignored: int = 0
    stream_usage: bool = True
    streams: bool = True
    takes_thoughts: bool = True
    no_efforts: set[Thinking] = field(default_factory=set)
    obeys_none: bool = True
    fills_all: bool = False

    def effort(self, settings: ModelSettings) -> Thinking | None:
        return None if settings.thinking in self.no_efforts else settings.thinking

    def learns(self, failure: ModelError, settings: ModelSettings) -> bool:
        """Return True if a refusal is about something that can be left out, which it is from now on."""
        effort = self.effort(settings)
        if effort and isinstance(failure, BadThinking):
            self.no_efforts.add(effort)
            return True
        if self.stream_usage and is_about(failure, ABOUT_STREAM_OPTIONS):
            self.stream_usage = False
            return True
        if self.streams and is_about(failure, ABOUT_STREAMS):
            self.streams = False
            return True
        if self.takes_thoughts and is_about(failure, ABOUT_THOUGHTS):
            self.takes_thoughts = False
            return True
        return False


@dataclass(slots=True)
class OpenAIProvider:
    """The chat models of one endpoint, over one HTTP client."""

    endpoint: ModelEndpoint
    name: ProviderName = "openai"
    abilities: dict[str, Abilities] = field(default_factory=dict, repr=False)
    _base: "OpenAIChat | None" = field(default=None, repr=False)
    _models: dict[Any, "OpenAIChat"] = field(default_factory=dict, repr=False)
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
        """Return one model turn, its calls by text where the server has no tools. Raises ModelError."""
        able = self.able(settings)
        if able.tools is False:
            return await self._by_text(settings, messages, tools, stream)
        if not tools or not (may_call or able.obeys_none):
            return await self._sent(settings, adapted(messages), {}, stream)
        shown = WithoutCalls(stream) if stream else None
        try:
            offered = [without_choices(tool) for tool in tools] if able.fills_all else tools
            reply = await self._sent(settings, adapted(messages), functions(offered, may_call=may_call), shown)
        except ModelError as failure:
            if not is_about(failure, ABOUT_TOOLS):
                raise
            able.tools = False
        else:
            reply = reply if reply.tool_calls else only_calls(reply, tools)
            able.obeys_none = able.obeys_none and (may_call or not reply.tool_calls)
            able.tools = await self._has_tools(settings, reply) if may_call or reply.tool_calls else able.tools
            able.fills_all = able.fills_all or fills_all(reply, tools)
            if able.tools is not False:
                if shown:
                    shown.end(reply)
                return reply
        if shown:
            shown.restart()
        log.warning("%s: no tools at %s, they are described in text", settings.id, self.service.name)
        return await self._by_text(settings, messages, tools, stream)

    async def structured(self, settings: ModelSettings, messages: Messages, schema: type[BaseModel]) -> AIMessage:
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
            mended = [*messages, AIMessage(reply.text), HumanMessage(say("model.prompt.json_again", why=why))]
            second, _ = await self._shaped(settings, mended, schema, able.way)
        return second.model_copy(update={"usage_metadata": add_usage(reply.usage_metadata, second.usage_metadata)})

    async def count(self, settings: ModelSettings, text: str) -> int:
        """Raise ModelError: the protocol has no way to count."""
        raise ModelError(f"{self.service.name} does not count tokens")

    async def context(self, settings: ModelSettings) -> int | None:
        """Return the tokens that the model takes, as its server lists it: vLLM, llama.cpp, OpenRouter do."""
        import openai

        model = await self.model(settings)
        try:
            listed = await model.root_async_client.models.list()
        except openai.OpenAIError:
            return None
        found = next((one for one in listed.data if one.id == settings.id), None)
        fields: dict[str, Any] = (found.model_extra or {}) if found else {}
        known = fields | (fields["meta"] if isinstance(fields.get("meta"), dict) else {})
        return next((known[name] for name in CONTEXT_FIELDS if isinstance(known.get(name), int)), None)

    def lacks(self, settings: ModelSettings) -> frozenset[MissingCapability]:
        """Return what the model's server was found not to do."""
        able = self.able(settings)
        found: list[tuple[MissingCapability, bool]] = [
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
        return service_of(self.endpoint)

    def able(self, settings: ModelSettings) -> Abilities:
        return self.abilities.setdefault(settings.id, Abilities())

    async def _has_tools(self, settings: ModelSettings, reply: AIMessage) -> bool | None:
        """Return True if the server passes tools on; a model that only wrote text is asked for a call, once."""
        able = self.able(settings)
        if able.tools or reply.tool_calls:
            return True
        if not reply.text.strip():
            return None
        try:
            answer = await self._sent(settings, [HumanMessage(TOOL_PROBE)], functions([PING_TOOL]))
        except ModelError:
            return None
        return bool(answer.tool_calls or only_calls(answer, [PING_TOOL]).tool_calls)

    async def _by_text(
        self, settings: ModelSettings, messages: Messages, tools: Tools, stream: Listener | None
    ) -> AIMessage:
        written = adapted(as_text(messages, tools))
        shown = WithoutCalls(stream) if stream else None
        reply = with_calls(await self._sent(settings, written, {}, shown), tools)
        if shown:
            shown.end(reply)
        return reply

    async def _shaped(
        self, settings: ModelSettings, messages: Messages, schema: type[BaseModel], way: Way
    ) -> tuple[AIMessage, Way]:
        """Return a structured answer and the way it came, the next one wherever the server refuses the last."""
        for tried in WAYS[WAYS.index(way) :]:
            asked = adapted(with_shape(messages, tried, schema))
            try:
                return as_json(await self._sent(settings, asked, asked_by(tried, schema))), tried
            except ModelError as failure:
                if tried == WAYS[-1] or not is_about(failure, ABOUT_SCHEMA):
                    raise
                log.info("%s: no %s at %s", settings.id, tried, self.service.name)
        raise AssertionError("the last way returns or raises")

    async def _sent(
        self, settings: ModelSettings, messages: Messages, asked: dict[str, Any], stream: Listener | None = None
    ) -> AIMessage:
        """Ask, again without what the server does not know. Raises ModelError.

        Every reply is streamed, so that a slow model is known from a dead one; one that nobody watches comes whole
        where the server counts no tokens of a stream.
        """
        able = self.able(settings)
        while True:
            is_streamed = able.streams and (stream is not None or able.stream_usage)
            model = await self.model(settings, streaming=is_streamed)
            if "extra_body" in asked:  # it would take the place of the model's own
                asked = {**asked, "extra_body": {**self.endpoint.extra_body, **asked["extra_body"]}}
            bound: Runnable[Any, AIMessage] = model.bind(**asked) if asked else model
            try:
                with mapped_errors(self.service, settings):
                    reply = await (streamed(bound, messages, stream) if is_streamed else whole(bound, messages))
                if stream and not is_streamed and reply.text:
                    stream.words(reply.text)
                return received(reply)
            except ModelError as failure:
                if not able.learns(failure, settings):
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
            varied |= {"max_tokens": settings.output_tokens}
            others = {"reasoning_effort": effort, "returns_thoughts": able.takes_thoughts}
            self._models[key] = self._base.model_copy(update=fields | varied | others)
        return self._models[key]


def build(endpoint: ModelEndpoint, settings: ModelSettings) -> "OpenAIChat":
    from openai import DefaultAsyncHttpxClient

    from wenmai.minds.model.providers.openai_chat import OpenAIChat

    return OpenAIChat(
        model=settings.id,
        api_key=SecretStr(endpoint.key or NO_KEY),
        base_url=endpoint.base_url or OWN,
        has_old_limit=service_of(endpoint).name != OWN_NAME,
        extra_body=dict(endpoint.extra_body) or None,
        timeout=endpoint.client_timeout_s,
        stream_chunk_timeout=endpoint.client_timeout_s,  # the library's own is two minutes
        max_retries=0,
        use_responses_api=False,
        http_async_client=DefaultAsyncHttpxClient(timeout=endpoint.client_timeout_s),
    )


def service_of(endpoint: ModelEndpoint) -> Service:
    """Return the service by the host of its address."""
    address = urlsplit(endpoint.base_url or OWN)
    name = OWN_NAME if address.netloc == urlsplit(OWN).netloc else address.netloc
    lacks_version, is_local = VERSION.search(address.path) is None, is_loopback(address.hostname or "")
    return Service(
        name,
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        lacks_version=lacks_version,
        is_local=is_local,
        secret=endpoint.key,
    )


@contextmanager
def mapped_errors(service: Service, settings: ModelSettings) -> Iterator[None]:
    # Loaded already: only a model that was built can raise.
    import httpx2
    import openai

    from wenmai.minds.model.providers.openai_chat import BrokenReply

    try:
        yield
    except openai.APIStatusError as error:
        raise failure_of(reported(error), service, settings) from error
    except (openai.APITimeoutError, httpx2.TimeoutException, TimeoutError) as error:
        raise too_slow(service, settings) from error
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        raise unreachable(service, error) from error
    except openai.APIError as error:  # an error within a stream, which has begun with 200
        code = str(error.body.get("code") if isinstance(error.body, Mapping) else "")
        status = int(code) if code.isdigit() else 0
        raise failure_of(Reported(code=status, said=error.message), service, settings) from error
    except (BrokenReply, JSONDecodeError, UnicodeDecodeError) as error:
        raise cut_off(service) from error


def reported(error: "openai.APIStatusError") -> Reported:
    own = error.body.get("message") if isinstance(error.body, Mapping) else None
    said = own if isinstance(own, str) and own else error.message  # before which the library puts its own words
    wait = error.response.headers.get("retry-after") or ""  # it may be a date
    return Reported(
        code=error.status_code,
        said=said,
        retry_after_s=float(wait) if re.fullmatch(r"\d+(\.\d+)?", wait) else 0.0,
        not_here=NOT_HERE in str(error.body),
        bad_thinking=bool(ABOUT_THINKING.search(said)),
    )


def is_about(failure: ModelError, words: re.Pattern[str]) -> bool:
    """Return True if a server refuses a request because of what these words name."""
    cause: Any = failure.__cause__
    text = f"{getattr(cause, 'message', '')} {getattr(cause, 'body', '')}"
    return getattr(cause, "status_code", 0) in CANNOT and not LENGTH.search(text) and bool(words.search(text))


def adapted(messages: Messages) -> list[BaseMessage]:
    """Return messages with one system message in front and no two of the user in a row, as strict templates want."""
    system = [message.text for message in messages if isinstance(message, SystemMessage)]
    made: list[BaseMessage] = [SystemMessage(BETWEEN.join(system))] if system else []
    for message in messages:
        if isinstance(message, SystemMessage):
            continue
        last = made[-1] if made else None
        if isinstance(message, HumanMessage) and isinstance(last, HumanMessage):
            made[-1] = HumanMessage(f"{last.text}{BETWEEN}{message.text}")
        elif isinstance(message, AIMessage):  # its text alone as content, thoughts beside it, names that are taken
            thoughts = thought_blocks(message)
            calls = [
                ToolCall({**call, "name": NAME.sub("_", call["name"])[:LONGEST_NAME] or "_"})
                for call in message.tool_calls
            ]
            beside = {"thoughts": thoughts} if thoughts else {}
            made.append(AIMessage(message.text, tool_calls=calls, additional_kwargs=beside))
        else:
            made.append(message)
    return made


def received(reply: AIMessage) -> AIMessage:
    """Return a reply in the form of all providers: calls with ids of their own, a reason for its end."""
    finish = str(reply.response_metadata.get("finish_reason") or "")
    refusal = str(reply.additional_kwargs.get("refusal") or "")
    block: Mapping[str, Any] = next(iter(thought_blocks(reply)), {})
    content = blocks(str(block.get("field") or ""), str(block.get("thinking") or ""), reply.text)
    seen, calls = set[str](), list[ToolCall]()
    for call in reply.tool_calls:  # some servers leave ids empty or give one twice
        id = call["id"] if call["id"] and call["id"] not in seen else f"call_{uuid4().hex[:16]}"
        seen.add(id)
        calls.append({**call, "id": id})
    named = reply.model_copy(
        update={
            "content": content,
            "additional_kwargs": {},
            "tool_calls": calls,
            "invalid_tool_calls": [],  # sent back they would be calls that nobody answered
        }
    )
    is_blocked = refusal or finish == "content_filter"
    return finished(named, BLOCKED if is_blocked else FINISHES.get(finish, finish))


def fills_all(reply: AIMessage, tools: Tools) -> bool:
    """Return True if a call of a reply has every optional argument of its tool, choices among them."""
    return any(
        len(optional := optional_of(tool)) >= LEAST_OPTIONAL
        and optional <= call["args"].keys()
        and any(map(is_choice, tool["parameters"]["properties"].values()))
        for call in reply.tool_calls
        for tool in tools
        if tool["name"] == call["name"]
    )


def optional_of(tool: Mapping[str, Any]) -> set[str]:
    parameters = tool["parameters"]
    return {*parameters.get("properties", {})} - {*parameters.get("required", ())}


def is_choice(schema: Mapping[str, Any]) -> bool:
    return any("enum" in one for one in (schema, *schema.get("anyOf", ())))


def without_choices(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool without its optional arguments that choose from a list."""
    parameters, optional = tool["parameters"], optional_of(tool)
    kept = {
        name: one
        for name, one in parameters.get("properties", {}).items()
        if name not in optional or not is_choice(one)
    }
    return {**tool, "parameters": {**parameters, "properties": kept}}


def functions(tools: Tools, *, may_call: bool = True) -> dict[str, Any]:
    declared = {"tools": [{"type": "function", "function": tool} for tool in tools]}
    return declared if may_call else {**declared, "tool_choice": "none"}
