"""What clients of OpenAI's protocol get: completions, chunks of a stream, footnotes, errors."""

import json
import logging
import re
import time
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from http import HTTPStatus
from types import MappingProxyType
from typing import Any
from urllib.parse import quote, urlencode
from uuid import uuid4

from nodes.notices import check_text
from nodes.streaming import annotations
from tools.dispatch import STOP
from tools.errors import LibraryNotFound, StoreError, WenmaiError
from tools.messages import Message, Text
from tools.text.sentences import on_one_line
from wenmai.answer import TurnEvent
from wenmai.application.transcripts import split_whole, without_active_parts
from wenmai.inputs import FieldError
from wenmai.web.problems import problem_from, problem_of

log = logging.getLogger("wenmai.web")
KINDS = {
    HTTPStatus.UNAUTHORIZED: ("authentication_error", "invalid_api_key"),
    HTTPStatus.FORBIDDEN: ("permission_error", "forbidden"),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("invalid_request_error", "request_too_large"),
    HTTPStatus.TOO_MANY_REQUESTS: ("rate_limit_error", "rate_limit_exceeded"),
}
RULE = "\n\n---\n\n"
NOTE = re.compile(r"\[\d+\] |（截至|\(as of |核对：|Checked: ")
READ = re.compile(r"（截至(?:第 (\d+) 部)?第 (\d+) 章）|\(as of (?:part (\d+), )?chapter (\d+)\)")
URN = "urn:wenmai:evidence:{evidence}"
PLACE = ("source", "part", "chapter", "start", "end")
Chunk = dict[str, Any]
EMPTY: Mapping[str, Any] = MappingProxyType({})
# Fields of the result record that the protocol has no place for.
RECORD_FIELDS = ("status", "confidence", "passed", "resolved_question", "as_of", "notes", "warning", "mind", "trace_id")


class UnsupportedRequest(FieldError):
    """A request that is understood and not carried out; `code` is what programs read."""

    def __init__(self, param: str, message: Text, code: str = "unsupported_value") -> None:
        super().__init__(param, message, HTTPStatus.BAD_REQUEST)
        self.code = code


def error_object(status: int, message: str, param: str | None = None, code: str | None = None) -> dict[str, Any]:
    kind, usual = KINDS.get(HTTPStatus(status), ("invalid_request_error" if status < 500 else "server_error", None))
    return {"error": {"message": message, "type": kind, "param": param, "code": code or usual}}


def error_of(error: Exception) -> tuple[int, dict[str, Any]]:
    """Return status and object for an error; of one that is none of ours only that it happened."""
    found = problem_of(error)
    status = HTTPStatus.BAD_REQUEST if found.status == HTTPStatus.UNPROCESSABLE_ENTITY else found.status
    param, code = None, None
    if isinstance(error, FieldError):
        param, code = error.field.removeprefix("context."), getattr(error, "code", None)
    if isinstance(error, LibraryNotFound) or param == "library":
        return HTTPStatus.NOT_FOUND, error_object(HTTPStatus.NOT_FOUND, found.detail, "model", "model_not_found")
    return status, error_object(status, found.detail, param, code)


def error_from(status: int, body: bytes) -> bytes | None:
    """Return what a guard in front refuses in this form; None for what has it already."""
    found = problem_from(status, body)
    if found is None:
        return None
    field = found.errors[0].field if found.errors else None
    return json.dumps(error_object(status, found.detail, field), ensure_ascii=False).encode()


def footnotes(record: Mapping[str, Any]) -> str:
    """Return what follows the text of an answer, '' where there is nothing to say."""
    is_english, guard = record["language"] == "en", record["as_of"]
    sign = ": " if is_english else "："
    lines = [f"[{one['n']}] {one['label']}{sign}“{on_one_line(one['quote'])}”" for one in record["citations"]]
    told = [note for note in record.get("notes") or () if note["action"] != "moved"]  # a moved mark needs no word
    lines += [doubts] if (doubts := check_text(told, record["language"])) else []
    if guard and is_english:
        part = f"part {guard['part']}, " if guard["part"] > 1 else ""
        lines.append(f"(as of {part}chapter {guard['chapter']})")
    elif guard:
        part = f"第 {guard['part']} 部" if guard["part"] > 1 else ""
        lines.append(f"（截至{part}第 {guard['chapter']} 章）")
    return RULE + "\n\n".join(lines) if lines else ""


def without_notes(answer: str) -> tuple[str, list[int] | None]:
    """Return an answer of a history without what was added to it, and the guard that it was given under."""
    text, rule, notes = answer.rpartition(RULE)
    if not rule or not NOTE.match(notes):
        return answer.strip(), None
    guard = READ.search(notes)
    if guard is None:
        return text.strip(), None
    part, chapter = guard[1] or guard[3], guard[2] or guard[4]
    return text.strip(), [int(part or 1), int(chapter)]


def url_citations(record: Mapping[str, Any], base: str) -> list[dict[str, Any]]:
    """Return the annotations of an answer; `citation` beside the protocol's own has what it has no field for."""
    known = {one["n"]: dict(one) for one in record["citations"]}
    rows: list[dict[str, Any]] = []
    for found in annotations(without_active_parts(record["answer"]), record["citations"]):
        citation = known[found.get("extras", {})["n"]]
        place = {name: found.get(name) for name in ("start_index", "end_index")}
        told = {**place, "title": citation["label"], "url": address(citation, record["library"], base)}
        rows.append({"type": "url_citation", "url_citation": told, "citation": citation})
    return rows


def address(citation: Mapping[str, Any], library: str, base: str) -> str:
    """Return where a quotation is shown in its chapter; a name for what stands in none."""
    if not library or any(citation[name] is None for name in PLACE):
        return URN.format(evidence=citation["evidence"])
    query = urlencode({name: citation[name] for name in PLACE})
    return f"{base}api/v1/libraries/{quote(library)}/quotes?{query}"


@dataclass(slots=True)
class Steps:
    """Turns the events of calls into lines: `vector_search {"query": "…"} → 8`."""

    _arguments: dict[int, dict[str, Any]] = field(default_factory=dict)

    def line(self, event: TurnEvent) -> str | None:
        """Return the line for an event, None for one that ends no call."""
        if event.kind != "tool" or event.data["tool"] == STOP:
            return None
        call = event.data
        if call["event"] == "tool_start":
            self._arguments[call["call"]] = call["args"]
            return None
        arguments = json.dumps(self._arguments.pop(call["call"], {}), ensure_ascii=False)
        return without_active_parts(f"{call['tool']} {arguments} → {call['items'] if call['ok'] else '✗'}\n")


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A reply that begins now; `base` is the server's address, `thread` the one that the client has named.

    Clients render Markdown: what answers quote is text in it, without HTML, links and images.
    """

    model: str
    base: str
    thread: str | None = None
    wants_usage: bool = False
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def turn_reply(self, record: Mapping[str, Any], reasoning: str) -> dict[str, Any]:
        more = {"annotations": url_citations(record, self.base)} | (
            {"reasoning_content": reasoning} if reasoning else {}
        )
        return self.text_reply(record["answer"] + footnotes(record), record, more)

    def text_reply(
        self, text: str, record: Mapping[str, Any] = EMPTY, more: Mapping[str, Any] = EMPTY
    ) -> dict[str, Any]:
        """Return a whole reply; without a record for a text that needed no turn."""
        message = {"role": "assistant", "content": without_active_parts(text), "refusal": None, **more}
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return self._object("chat.completion", [choice], usage=usage_of(record), **self._own(record))

    async def text_stream(self, text: str) -> AsyncIterator[dict[str, str]]:
        text = without_active_parts(text)
        for chunk in (self._chunk({"role": "assistant", "content": text}), self._chunk({}, "stop"), *self._usage({})):
            yield sse_data(chunk)
        yield {"data": "[DONE]"}

    async def turn_stream(self, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[dict[str, str]]:
        """Yield the chunks of a turn as they are sent; an error ends them as an object of its own."""
        try:
            async for chunk in self._chunks(events):
                yield sse_data(chunk)
            yield {"data": "[DONE]"}
        except WenmaiError as error:
            yield sse_data(error_of(error)[1])
        except Exception as error:
            log.exception("a stream of a completion failed")
            yield sse_data(error_of(error)[1])

    async def _chunks(self, events: AsyncGenerator[TurnEvent]) -> AsyncIterator[Chunk]:
        steps, sent, held, record = Steps(), False, "", None
        yield self._chunk({"role": "assistant", "content": ""})
        async with aclosing(events) as turn:
            async for event in turn:
                if event.kind == "text":
                    sent = True
                    text, held = split_whole(held + event.data["text"])
                    yield self._chunk({"content": without_active_parts(text)})
                elif line := steps.line(event):
                    yield self._chunk({"reasoning_content": line})
                record = event.data if event.kind == "answer" else record
        if record is None:
            raise StoreError(Message("conversation.no_result"))
        if rest := (held if sent else record["answer"]) + footnotes(record):
            yield self._chunk({"content": without_active_parts(rest)})
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
    return {"data": json.dumps(data, ensure_ascii=False)}
