"""What the service refuses, one by one, by plain HTTP; and what it sends."""

import json
from typing import Any

import httpx
import pytest

from tests.gemini import fault
from tests.gemini.parts import Json, call, text, thought
from tests.gemini.replies import always, turn
from tests.gemini.space import LOOPBACK_MODEL
from tests.openai_service.dialect import DIALECTS
from tests.openai_service.space import OpenAI

QUESTION: Json = {"role": "user", "content": "少女是谁？"}
SYSTEM: Json = {"role": "system", "content": "查"}
SEARCH: Json = {"name": "search_memory", "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}}
TOOLS: Json = {"tools": [{"type": "function", "function": SEARCH}]}


def calling(*ids: str, name: str = "search_memory", arguments: str = '{"query": "少女"}') -> Json:
    calls = [{"id": id, "type": "function", "function": {"name": name, "arguments": arguments}} for id in ids]
    return {"role": "assistant", "content": "", "tool_calls": calls}


def answer(id: str) -> Json:
    return {"role": "tool", "tool_call_id": id, "content": "有"}


def shaped(schema: Any) -> Json:
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}}


def post(openai: OpenAI, *messages: Json, key: str | None = None, **more: Any) -> httpx.Response:
    body = {"model": LOOPBACK_MODEL, "messages": list(messages) or [QUESTION], **more}
    headers = {"authorization": f"Bearer {key or openai.key}"}
    return httpx.post(f"{openai.url}/chat/completions", json=body, headers=headers, timeout=120, verify=False)


CONVERSATIONS: dict[str, tuple[list[Json], str]] = {
    "a late system message": ([QUESTION, SYSTEM], "System message must be at the beginning"),
    "two of the user": ([QUESTION, QUESTION], "roles must alternate"),
    "the model last": ([QUESTION, {"role": "assistant", "content": "她"}], "last message must be of the user"),
    "an unknown role": ([{"role": "model", "content": "她"}], "Invalid value for 'messages[0].role'"),
    "no content": ([{"role": "user", "content": None}], "expected a string"),
    "an empty question": ([{"role": "user", "content": ""}], "must not be empty"),
    "an unknown field": ([{**QUESTION, "id": "1"}], "Unrecognized field 'messages[0].id'"),
    "an open call": ([QUESTION, calling("a")], "last message"),
    "a call without its answer": ([QUESTION, calling("a"), QUESTION], "did not have response messages: a"),
    "one answer of two": ([QUESTION, calling("a", "b"), answer("a"), QUESTION], "did not have response messages: b"),
    "an answer twice": ([QUESTION, calling("a"), answer("a"), answer("a")], "must be a response to a preceeding"),
    "an answer to nothing": ([QUESTION, answer("a")], "must be a response to a preceeding"),
    "an id twice": ([QUESTION, calling("a"), answer("a"), calling("a"), answer("a")], "Duplicate value"),
    "an empty id": ([QUESTION, calling(""), answer("")], "tool_calls[0].id"),
    "no calls": ([QUESTION, {"role": "assistant", "content": "她", "tool_calls": []}, QUESTION], "[] is too short"),
    "a name that is none": ([QUESTION, calling("a", name="搜索"), answer("a")], "does not match pattern"),
    "arguments that are no JSON": (
        [QUESTION, calling("a", arguments="{"), answer("a")],
        "expected the JSON of an object",
    ),
    "thoughts in a text": (
        [QUESTION, {"role": "assistant", "content": "<think>想</think>"}, QUESTION],
        "thoughts stand",
    ),
}
REQUESTS: dict[str, tuple[Json, str]] = {
    "an unknown argument": ({"top_k": 3}, "Unrecognized request argument supplied: top_k"),
    "a wrong type": ({"stream": "yes"}, "Invalid type for 'stream'"),
    "a temperature": ({"temperature": 3}, "Invalid 'temperature'"),
    "an effort": ({"reasoning_effort": "max"}, "does not support 'max'"),
    "stream options alone": ({"stream_options": {"include_usage": True}}, "only allowed when 'stream'"),
    "a choice alone": ({"tool_choice": "auto"}, "only allowed when 'tools'"),
    "no tools": ({"tools": []}, "[] is too short"),
    "a tool twice": ({"tools": TOOLS["tools"] * 2}, "must be unique"),
    "a tool's name": ({"tools": [{"type": "function", "function": {"name": "搜 索"}}]}, "does not match pattern"),
    "a tool without an object": (
        {"tools": [{"type": "function", "function": {**SEARCH, "parameters": {"type": "string"}}}]},
        "schema must be a JSON Schema of 'type: \"object\"'",
    ),
    "an array without items": (
        {"tools": [{"type": "function", "function": {**SEARCH, "parameters": {
            "type": "object", "properties": {"a": {"type": "array"}}}}}]},
        "array schema missing items",
    ),
    "a tool that is not declared": (
        {**TOOLS, "tool_choice": {"type": "function", "function": {"name": "stop"}}}, "not declared"),
    "JSON without the word": ({"response_format": {"type": "json_object"}}, "must contain the word 'json'"),
    "a list at the root": (shaped({"type": "array", "items": {"type": "string"}}), "schema must be a JSON Schema"),
    "an open object": (shaped({"type": "object", "properties": {}}), "'additionalProperties' is required"),
    "an optional property": (
        shaped({"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": False}),
        "including every key in properties",
    ),
    "a range": (
        shaped({"type": "object", "properties": {"a": {"type": "integer", "minimum": 0}}, "required": ["a"],
                "additionalProperties": False}),
        "'minimum' is not permitted",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("messages", "said"), CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_conversations(openai: OpenAI, messages: list[Json], said: str) -> None:
    """Roles, order, content, calls and their answers."""
    response = post(openai, *messages)
    assert response.status_code == 400 and said in response.json()["error"]["message"]
    assert [one.refusal for one in openai.refused] == [response.json()["error"]["message"]]


@pytest.mark.parametrize(("more", "said"), REQUESTS.values(), ids=REQUESTS)
def test_requests(openai: OpenAI, more: Json, said: str) -> None:
    """Fields, tools and formats."""
    response = post(openai, **more)
    assert response.status_code == 400 and said in response.json()["error"]["message"]


def test_access(openai: OpenAI) -> None:
    """Keys, models, and errors of scripts as this protocol has them."""
    assert post(openai, key="wrong").status_code == 401
    assert httpx.post(f"{openai.url}/chat/completions", json={}, timeout=120, verify=False).status_code == 401
    unknown = post(openai, model="nobody")
    assert (unknown.status_code, unknown.json()["error"]["code"]) == (404, "model_not_found")
    openai.play(fault.quota(2), fault.region(), fault.bad_key(), fault.status(503))
    quota, region, key, down = (post(openai) for _ in range(4))
    assert (quota.status_code, quota.headers["retry-after"]) == (429, "2")
    assert (region.status_code, key.status_code, down.status_code) == (403, 401, 503)


def test_a_turn(openai: OpenAI) -> None:
    """Thoughts, text and calls with ids; the same as a stream, the usage in a chunk of its own at the end."""
    openai.play(always(turn(thought("想"), text("先查"), call("search_memory", {"query": "少女"}))))
    whole = post(openai, **TOOLS).json()
    message = whole["choices"][0]["message"]
    assert (message["reasoning_content"], message["content"]) == ("想", "先查")
    assert whole["choices"][0]["finish_reason"] == "tool_calls" and whole["usage"]["total_tokens"] > 0
    stream = post(openai, **TOOLS, stream=True, stream_options={"include_usage": True}).text
    events = [line.removeprefix("data: ") for line in stream.split("\n\n") if line]
    assert events[-1] == "[DONE]" and json.loads(events[-2])["usage"] and not json.loads(events[-2])["choices"]
    deltas = [json.loads(one)["choices"][0]["delta"] for one in events[:-2]]
    calls = [one["tool_calls"][0] for one in deltas if "tool_calls" in one]
    assert calls[0]["id"] and "".join(one["function"]["arguments"] for one in calls) == '{"query": "少女"}'


def test_thoughts_that_are_missing(openai: OpenAI) -> None:
    """A turn with calls must come back with the thoughts that led to them."""
    openai.dialect = DIALECTS["thoughts required"]
    openai.play(always(turn(thought("想"), call("search_memory", {"query": "少女"}))))
    made = post(openai, **TOOLS).json()["choices"][0]["message"]
    back = {"role": "assistant", "content": "", "tool_calls": made["tool_calls"]}
    response = answer(made["tool_calls"][0]["id"])
    lost = post(openai, QUESTION, back, response)
    assert "Missing `reasoning_content` field" in lost.json()["error"]["message"]
    assert post(openai, QUESTION, {**back, "reasoning_content": "想"}, response).status_code == 200
    assert post(openai, QUESTION, {**back, "reasoning_content": "别的"}, response).status_code == 400
