"""From a scripted turn to a chat completion: what the model says, in the words of one kind of server."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tests.gemini.parts import Json, calls, texts
from tests.openai_service.dialect import Dialect
from tests.openai_service.view import ChatRequest

FINISHES = {"STOP": "stop", "MAX_TOKENS": "length"}
MALFORMED = "MALFORMED_FUNCTION_CALL"
SAID_NOTHING = "想一想"
NO_TOOLS = "我没有可以调用的工具。"
CALL_TAG = "<tool_call>"


@dataclass(slots=True)
class Issued:
    """Calls of one space, with the thoughts that led to them."""

    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))
    thoughts: dict[str, str] = field(default_factory=dict)

    def id(self, thought: str) -> str:
        """Return the id of a new call."""
        made = f"call_{next(self.numbers):06}"
        self.thoughts[made] = thought
        return made


def thoughts_of(candidate: Json) -> str:
    """Return the thoughts of a scripted turn."""
    return "".join(part["text"] for part in candidate.get("content", {}).get("parts") or [] if part.get("thought"))


def message_of(candidate: Json, request: ChatRequest, dialect: Dialect, issued: Issued) -> Json:
    """Return the message of one choice."""
    content = candidate.get("content") or {}
    text, thought, asked = texts(content), thoughts_of(candidate), calls(content)
    if dialect.thoughts == "required" and (text or asked):
        thought = thought or SAID_NOTHING
    if asked and CALL_TAG in request.system:
        text, asked = "\n".join([text, *map(written, asked)]).strip(), []
    if request.schema is not None or request.forced:
        text = shaped(text, request)
    made: Json = {"role": "assistant", "content": text, "refusal": None}
    if request.forced and text:
        made |= {"content": None, "tool_calls": [forced(request, text, issued)]}
    elif asked or candidate.get("finishReason") == MALFORMED:
        listed = [called(one, dialect, issued, thought) for one in asked] or [malformed(issued)]
        made |= {"content": text or None, "tool_calls": listed}
    return made | placed(thought, made["content"], dialect)


def placed(thought: str, text: str | None, dialect: Dialect) -> Json:
    """Return where the thoughts of a message stand."""
    if not thought or dialect.thoughts == "none":
        return {}
    if dialect.thoughts == "think":
        return {"content": f"<think>\n{thought}\n</think>\n\n{text or ''}"}
    return {"reasoning" if dialect.thoughts == "reasoning" else "reasoning_content": thought}


def called(one: Json, dialect: Dialect, issued: Issued, thought: str) -> Json:
    """Return one call."""
    arguments = json.dumps(one.get("args") or {}, ensure_ascii=False)
    id = issued.id(thought) if dialect.ids else ""
    return {"id": id, "type": "function", "function": {"name": one["name"], "arguments": arguments}}


def malformed(issued: Issued) -> Json:
    """Return a call that breaks off."""
    function = {"name": "search_memory", "arguments": '{"query": "'}
    return {"id": issued.id(""), "type": "function", "function": function}


def forced(request: ChatRequest, text: str, issued: Issued) -> Json:
    """Return an answer as the call that the client forces."""
    return {"id": issued.id(""), "type": "function", "function": {"name": request.forced, "arguments": text}}


def written(one: Json) -> str:
    """Return a call as a model writes it that knows tools from its instructions alone."""
    call = {"name": one["name"], "arguments": one.get("args") or {}}
    return f"{CALL_TAG}\n{json.dumps(call, ensure_ascii=False)}\n</tool_call>"


def shaped(text: str, request: ChatRequest) -> str:
    """Return a list as the object that the schema wants around it."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    fields = list(schema_of(request).get("properties") or {})
    return json.dumps({fields[0]: value}, ensure_ascii=False) if isinstance(value, list) and len(fields) == 1 else text


def schema_of(request: ChatRequest) -> Json:
    """Return the schema as it was sent."""
    if request.forced:
        found: Json = request.body["tools"][0]["function"]["parameters"]
        return found
    return dict(request.body["response_format"]["json_schema"]["schema"])


def finish_of(candidate: Json, message: Json) -> str:
    """Return why a choice ended."""
    reason = candidate.get("finishReason") or "STOP"
    if reason == MALFORMED or (reason == "STOP" and message.get("tool_calls")):
        return "tool_calls"
    return FINISHES.get(reason, "content_filter")


def completion(body: Json, request: ChatRequest, dialect: Dialect, issued: Issued) -> Json:
    """Return a whole completion."""
    choices = []
    for index, candidate in enumerate(body.get("candidates") or []):
        message = message_of(candidate, request, dialect, issued)
        choices.append({"index": index, "message": message, "finish_reason": finish_of(candidate, message)})
    if "promptFeedback" in body:
        refused = {"role": "assistant", "content": None, "refusal": "I'm sorry, I can't help with that."}
        choices = [{"index": 0, "message": refused, "finish_reason": "stop"}]
    frame = {"id": f"chatcmpl-{request.number}", "object": "chat.completion", "created": int(request.at)}
    return {**frame, "model": request.model, "choices": choices, "usage": usage_of(body["usageMetadata"])}


def usage_of(counts: Json) -> Json:
    """Return token counts; thoughts are part of the completion."""
    thoughts = counts.get("thoughtsTokenCount", 0)
    prompt, answer = counts.get("promptTokenCount", 0), counts.get("candidatesTokenCount", 0) + thoughts
    return {
        "prompt_tokens": prompt,
        "completion_tokens": answer,
        "total_tokens": prompt + answer,
        "prompt_tokens_details": {"cached_tokens": counts.get("cachedContentTokenCount", 0)},
        "completion_tokens_details": {"reasoning_tokens": thoughts},
    }


def chunks(whole: Json, piece: int, *, with_usage: bool) -> list[Json]:
    """Return a completion as a stream: deltas, the reason to finish, the usage last and in a chunk of its own."""
    frame = {key: whole[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    more = {"usage": None} if with_usage else {}
    made: list[Json] = []
    for choice in whole["choices"]:
        for delta in deltas(choice["message"], piece):
            made.append({**frame, **more, "choices": [placed_in(choice, delta)]})
        made.append({**frame, **more, "choices": [{**placed_in(choice, {}), "finish_reason": choice["finish_reason"]}]})
    last = [{**frame, "choices": [], "usage": whole["usage"]}] if with_usage else []
    return made + last


def placed_in(choice: Json, delta: Json) -> Json:
    """Return one choice of a chunk."""
    return {"index": choice["index"], "delta": delta, "finish_reason": None}


def deltas(message: Json, piece: int) -> Iterator[Json]:
    """Cut one message into deltas; the arguments of a call come in pieces too."""
    yield {"role": "assistant", "content": ""}
    for name in ("reasoning_content", "reasoning", "refusal", "content"):
        for part in cut(message.get(name) or "", piece):
            yield {name: part}
    for index, call in enumerate(message.get("tool_calls") or []):
        function = call["function"]
        yield {"tool_calls": [{**call, "index": index, "function": {**function, "arguments": ""}}]}
        for part in cut(function["arguments"], piece):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}


def cut(text: str, piece: int) -> Iterator[str]:
    """Cut a text."""
    for start in range(0, len(text), piece):
        yield text[start : start + piece]


def probed(request: ChatRequest, dialect: Dialect) -> Json:
    """Return what a model answers to a client that only tries the tools."""
    called = {"functionCall": {"name": request.tools[0], "args": {"word": "pong"}}}
    part: Any = {"text": NO_TOOLS} if dialect.tools == "ignored" else called
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
