"""Spans by OpenTelemetry, in its conventions for generative AI: `invoke_agent`, and in it `chat` and `execute_tool`.

A question's spans are made of its trace when that is written, so that all of them say what the trace says; texts are in
them only on request. Loaded only where OTEL_EXPORTER_OTLP_ENDPOINT is set.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from langchain_core.messages import BaseMessage

from nodes.answer import TraceSink
from tools.errors import ConfigError
from tools.wording import Words
from wenmai.observability.chat_calls import CALLS, ChatCall
from wenmai.observability.cleaning import cleaner, secrets_of
from wenmai.observability.logs import calls_of, outcome_of
from wenmai.settings.settings import Settings

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind

NO_OTEL = Words(
    "OTEL_EXPORTER_OTLP_ENDPOINT 需要安装附加组件 otel：pip install 'wenmai[otel]'",
    "OTEL_EXPORTER_OTLP_ENDPOINT needs the extra otel: pip install 'wenmai[otel]'",
)
TRACES = "/v1/traces"
VERSION = version("wenmai")
MILLISECOND = 1_000_000
KEPT_PARENTS = 1_000
SEND_SECONDS = 5.0  # for a collector that does not answer, at the end of a process too
PROVIDERS = {"google_genai": "gcp.gemini"}  # of LangChain's names the one that the conventions spell otherwise
ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "system": "system"}
Attributes = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Spans:
    """Makes spans and sends them from a thread of its own; `close` sends the rest."""

    provider: "TracerProvider"
    clean: Callable[[Any], Any]
    shows_contents: bool
    parents: dict[str, tuple[str | None, "Context"]] = field(default_factory=dict)

    def traced(self, sink: TraceSink) -> TraceSink:
        return SpanTraces(sink, self)

    def question(self, record: Mapping[str, Any]) -> "Context":
        """Make the spans of a question; return the context of its own one."""
        from opentelemetry.trace import set_span_in_context

        start = nanoseconds(record["started_at"])
        texts = self.texts({"gen_ai.input.messages": said("user", record["query"])})
        answer = self.texts({"gen_ai.output.messages": said("assistant", record.get("final_response") or "")})
        attributes = {**agent_attributes(record), **texts, **answer}
        span = self.begin(f"invoke_agent {attributes['gen_ai.agent.name']}", start, attributes)
        if record["status"] == "failed":
            fail(span, "failed")
        inside = set_span_in_context(span)
        for call in calls_of(record):
            self.tool(call, inside)
        for chat in CALLS.of(record["thread_id"]):
            self.chat(chat, inside)
        span.end(start + round(record["total_duration_ms"]) * MILLISECOND)
        return inside

    def tool(self, call: Mapping[str, Any], parent: "Context") -> None:
        start = nanoseconds(call["started_at"])
        texts = {"gen_ai.tool.call.arguments": call["args"], "gen_ai.tool.call.result": call.get("result", "")}
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call["tool"],
            "gen_ai.tool.type": "function",
            "wenmai.items": call["items"],
            **self.texts(texts),
        }
        span = self.begin(f"execute_tool {call['tool']}", start, attributes, parent)
        if not call["ok"]:
            fail(span, "tool_error")
        span.end(start + call["duration_ms"] * MILLISECOND)

    def chat(self, call: ChatCall, parent: "Context | None" = None) -> None:
        from opentelemetry.trace import SpanKind

        replies = [call.reply] if call.reply else []
        texts = {"gen_ai.input.messages": written(call.messages), "gen_ai.output.messages": written(replies)}
        attributes = {**chat_attributes(call), **self.texts(texts)}
        span = self.begin(f"chat {call.model}", call.start, attributes, parent, SpanKind.CLIENT)
        if call.error:
            fail(span, call.error)
        span.end(call.end)

    def keep(self, path: str, thread: str | None, inside: "Context") -> None:
        """Note whose span a trace belongs to, for what is added to it later; of long ago nothing is kept."""
        self.parents[path] = thread, inside
        if len(self.parents) > KEPT_PARENTS:
            del self.parents[next(iter(self.parents))]

    def begin(
        self,
        name: str,
        start: int,
        attributes: Attributes,
        parent: "Context | None" = None,
        kind: "SpanKind | None" = None,
    ) -> "Span":
        """Return a span that began; what is None is left out."""
        from opentelemetry.trace import SpanKind

        kept = {key: value for key, value in self.clean(dict(attributes)).items() if value is not None}
        tracer = self.provider.get_tracer("wenmai", VERSION)
        return tracer.start_span(name, parent, kind or SpanKind.INTERNAL, kept, start_time=start)

    def texts(self, contents: Attributes) -> Attributes:
        """Return contents as attributes, nothing unless they may leave."""
        if not self.shows_contents:
            return {}
        return {k: v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for k, v in contents.items()}

    async def close(self) -> None:
        await asyncio.to_thread(self.provider.shutdown)


@dataclass(frozen=True, slots=True)
class SpanTraces:
    """Makes spans of every question's trace and hands the trace on."""

    sink: TraceSink
    spans: Spans

    async def write(self, record: dict[str, Any]) -> str | None:
        inside, path = self.spans.question(record), await self.sink.write(record)
        if path is not None:
            self.spans.keep(path, record["thread_id"], inside)
        return path

    async def amend(self, path: str, more: dict[str, Any]) -> None:
        """Add keys to a trace, and to its spans the calls of models since then."""
        thread, inside = self.spans.parents.pop(path, (None, None))
        for chat in CALLS.of(thread):
            self.spans.chat(chat, inside)
        await self.sink.amend(path, more)


def agent_attributes(record: Mapping[str, Any]) -> Attributes:
    usage = record["usage"]
    graph = record.get("graph", "wenmai")
    return {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": graph,
        "gen_ai.agent.version": VERSION,
        "gen_ai.conversation.id": record["thread_id"],
        "gen_ai.request.model": record["config"]["agent_model"],
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
        "wenmai.library": record.get("library") or None,
        "wenmai.outcome": outcome_of(record),
        "wenmai.trace": record["trace_id"],
    }


def chat_attributes(call: ChatCall) -> Attributes:
    told = call.reply.response_metadata if call.reply else {}
    usage: Mapping[str, Any] = (call.reply.usage_metadata or {}) if call.reply else {}
    finish = told.get("finish_reason")
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": PROVIDERS.get(call.provider, call.provider),
        "gen_ai.request.model": call.model,
        "gen_ai.response.model": told.get("model_name"),
        "gen_ai.response.finish_reasons": [str(finish)] if finish else None,
        "gen_ai.conversation.id": call.thread,
        "gen_ai.usage.input_tokens": usage.get("input_tokens"),
        "gen_ai.usage.output_tokens": usage.get("output_tokens"),
        "gen_ai.usage.cache_read.input_tokens": usage.get("input_token_details", {}).get("cache_read"),
        "gen_ai.usage.reasoning.output_tokens": usage.get("output_token_details", {}).get("reasoning"),
    }


def written(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    return [row for message in messages for row in said(ROLES.get(message.type, message.type), message.text)]


def said(role: str, text: str) -> list[dict[str, Any]]:
    return [{"role": role, "parts": [{"type": "text", "content": text}]}]


def fail(span: "Span", error: str) -> None:
    from opentelemetry.trace import StatusCode

    span.set_status(StatusCode.ERROR)
    span.set_attribute("error.type", error)


def nanoseconds(moment: str) -> int:
    return round(datetime.fromisoformat(moment).timestamp() * 1_000_000) * 1_000


def spans_of(settings: Settings) -> Spans:
    """Return what sends spans to the collector of these settings. Raises ConfigError without the extra `otel`."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import OTELResourceDetector, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as exc:
        raise ConfigError(NO_OTEL) from exc
    endpoint = f"{str(settings.otel_exporter_otlp_endpoint).rstrip('/')}{TRACES}"
    own = Resource({"service.name": "wenmai", "service.version": VERSION})
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
    provider = TracerProvider(resource=Resource.create().merge(own).merge(OTELResourceDetector().detect()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint, timeout=SEND_SECONDS)))
    shows = settings.otel_instrumentation_genai_capture_message_content
    spans = Spans(provider, cleaner(secrets_of(settings)), shows)
    CALLS.alone = spans.chat
    return spans
