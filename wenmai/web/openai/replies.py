"""Completions and chunks of a stream, as OpenAI's protocol has them."""

import json
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from wenmai.answer import NO_RESULT, TurnEvent
from wenmai.errors import StoreError, WenmaiError
from wenmai.web.openai.errors import error_of
from wenmai.web.openai.notes import footnotes, url_citations
from wenmai.web.openai.steps import Steps
from wenmai.web.streams import log

DONE = "[DONE]"
Chunk = dict[str, Any]
# Fields of the result record that the protocol has no place for.
RECORD_FIELDS = ("status", "confidence", "passed", "resolved_question", "as_of", "notes", "warning", "mind", "trace_id")


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply that begins now; `base` is the server's address, `thread` the one that the client has named."""

    model: str
    base: str
    thread: str | None = None
    wants_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def completion(self, message: Mapping[str, Any], record: Mapping[str, Any]) -> dict[str, Any]:
        """Return the whole reply."""
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._object("chat.completion", [choice], usage=usage_of(record), **self._own(record))

    def turn_reply(self, record: Mapping[str, Any], reasoning: str) -> dict[str, Any]:
        """Return the whole reply for a turn."""
        text = record["answer"] + footnotes(record)
        message = {
            "role": "assistant",
            "content": text,
            "refusal": None,
            "annotations": url_citations(record, self.base),
        }
        return self.completion(message | ({"reasoning_content": reasoning} if reasoning else {}), record)

    def text_reply(self, text: str) -> dict[str, Any]:
        """Return the whole reply for a text that needed no turn."""
        return self.completion({"role": "assistant", "content": text, "refusal": None}, {})

    async def text_stream(self, text: str) -> AsyncIterator[dict[str, str]]:
        """Yield the same as a stream."""
        for chunk in (self._chunk({"role": "assistant", "content": text}), self._chunk({}, "stop"), *self._usage({})):
            yield sse_data(chunk)
        yield {"data": DONE}

    async def turn_stream(self, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[dict[str, str]]:
        """Yield the chunks of a turn as they are sent; an error ends them as an object of its own."""
        try:
            async for chunk in self._chunks(events):
                yield sse_data(chunk)
            yield {"data": DONE}
        except WenmaiError as error:
            yield sse_data(error_of(error)[1])
        except Exception as error:  # noqa: BLE001 - the status has been sent, so the stream has to say it
            log.exception("a stream of a completion failed")
            yield sse_data(error_of(error)[1])

    async def _chunks(self, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[Chunk]:
        steps, sent, record = Steps(), False, None
        yield self._chunk({"role": "assistant", "content": ""})
        async with aclosing(events) as turn:
            async for event in turn:
                if event.kind == "text":
                    sent = True
                    yield self._chunk({"content": event.data["text"]})
                elif line := steps.line(event):
                    yield self._chunk({"reasoning_content": line})
                record = event.data if event.kind == "answer" else record
        if record is None:
            raise StoreError(NO_RESULT)
        if rest := ("" if sent else record["answer"]) + footnotes(record):
            yield self._chunk({"content": rest})
        yield self._chunk({"annotations": url_citations(record, self.base)}, "stop", **self._own(record))
        for chunk in self._usage(record):
            yield chunk

    def _usage(self, record: Mapping[str, Any]) -> list[Chunk]:
        if not self.wants_usage:
            return []
        return [self._object("chat.completion.chunk", [], usage=usage_of(record))]

    def _chunk(self, delta: Mapping[str, Any], finish: str | None = None, **own: Any) -> Chunk:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        usage = {"usage": None} if self.wants_usage else {}
        return self._object("chat.completion.chunk", [choice], **usage, **own)

    def _object(self, kind: str, choices: list[Any], **more: Any) -> dict[str, Any]:
        return {
            "id": self.id,
            "object": kind,
            "created": self.created,
            "model": self.model,
            "system_fingerprint": None,
            "choices": choices,
            **more,
        }

    def _own(self, record: Mapping[str, Any]) -> dict[str, Any]:
        if not record:
            return {}
        return {"wenmai": {**{name: record.get(name) for name in RECORD_FIELDS}, "thread_id": self.thread}}


def usage_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """Return the tokens of a turn's models; none were used without one."""
    usage = record.get("usage") or {}
    return {
        "prompt_tokens": usage.get("input_tokens", 0),
        "completion_tokens": usage.get("output_tokens", 0),
        "total_tokens": usage.get("total_tokens", 0),
        "prompt_tokens_details": {"cached_tokens": usage.get("cached_tokens", 0)},
        "completion_tokens_details": {"reasoning_tokens": usage.get("thinking_tokens", 0)},
    }


def sse_data(data: Mapping[str, Any]) -> dict[str, str]:
    """Return an object as it is sent."""
    return {"data": json.dumps(data, ensure_ascii=False)}
