"""Structured answers from servers that differ in what they can: the ways to ask, and how an answer is read."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ValidationError

from tools.wording import Words
from wenmai.minds.model.schemas import declared

Way = Literal["json_schema", "json_object", "tool", "text"]
WAYS: tuple[Way, ...] = get_args(Way)
"""From the best to the last resort."""

NAME = "answer"
ITEMS = "items"  # the one field of an object that holds an answer which is no object
STRICT = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "$defs", "additionalProperties"}
)
SHAPE = Words(
    "只输出一个 JSON，不要写别的文字。它符合这个 JSON Schema（输出的是数据，不是 schema）：\n{schema}",
    "Write one JSON value and no other text. It follows this JSON Schema (write the data, not the schema):\n{schema}",
)
MEND = Words(
    "这不是符合要求的 JSON（{why}）。请重新输出，只输出符合上述 JSON Schema 的 JSON。",
    "That is not the JSON that was asked for ({why}). Write it again: only JSON that follows the schema above.",
)
FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
DECODER = json.JSONDecoder(strict=False)


def strict(schema: type[BaseModel]) -> dict[str, Any]:
    """Return a schema in the strict subset: an object without further properties, no ranges."""
    root: dict[str, Any] = narrowed(declared(schema))
    if "properties" in root:
        return root
    definitions = {"$defs": root.pop("$defs")} if "$defs" in root else {}
    closed = {"type": "object", "properties": {ITEMS: root}, "required": [ITEMS], "additionalProperties": False}
    return closed | definitions


def narrowed(node: Any) -> Any:
    """Drop keywords outside the strict subset and close every object."""
    if isinstance(node, list):
        return [narrowed(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: value for key, value in node.items() if key in STRICT}
    for group in ("properties", "$defs"):
        if group in kept:
            kept[group] = {name: narrowed(one) for name, one in kept[group].items()}
    for key in ("items", "anyOf"):
        if key in kept:
            kept[key] = narrowed(kept[key])
    return {**kept, "additionalProperties": False} if "properties" in kept else kept


def asked_by(way: Way, schema: type[BaseModel]) -> dict[str, Any]:
    """Return what a request says beside its messages.

    `response_format` goes into the body as it is: as an argument it would make the library raise for a reply that was
    cut or blocked, and lose what the reply cost.
    """
    if way == "json_schema":
        shape = {"name": NAME, "schema": strict(schema), "strict": True}
        return {"extra_body": {"response_format": {"type": "json_schema", "json_schema": shape}}}
    if way == "json_object":
        return {"extra_body": {"response_format": {"type": "json_object"}}}
    if way == "tool":
        function = {"name": NAME, "description": "Takes the answer.", "parameters": strict(schema)}
        chosen = {"type": "function", "function": {"name": NAME}}
        return {"tools": [{"type": "function", "function": function}], "tool_choice": chosen}
    return {}


def with_shape(messages: Sequence[BaseMessage], way: Way, schema: type[BaseModel]) -> list[BaseMessage]:
    """Return messages that say the schema where the request itself does not."""
    if way in ("json_schema", "tool"):
        return list(messages)
    return [*messages, SystemMessage(SHAPE.say(schema=json.dumps(strict(schema), ensure_ascii=False)))]


def mending(reply: AIMessage, why: str) -> list[BaseMessage]:
    """Return the messages that ask for a better answer."""
    return [AIMessage(reply.text), HumanMessage(MEND.say(why=why))] if reply.text.strip() else []


def as_json(reply: AIMessage) -> AIMessage:
    """Return a reply whose text is the JSON in it: of a call, of a fenced block, or of the first value in the text."""
    calls = [call["args"] for call in reply.tool_calls if call["name"] == NAME]
    if calls:
        text = json.dumps(unwrapped(calls[0]), ensure_ascii=False)
    else:
        found = value_in(reply.text)
        text = reply.text if found is None else json.dumps(unwrapped(found), ensure_ascii=False)
    return reply.model_copy(update={"content": text, "tool_calls": []})


def value_in(text: str) -> Any:
    """Return the JSON value in a text, None where there is none."""
    inside = FENCE.search(text)
    for source in (text, inside[1] if inside else ""):
        start = min((at for at in map(source.find, "{[") if at >= 0), default=-1)
        if start < 0:
            continue
        try:
            return DECODER.raw_decode(source, start)[0]
        except ValueError:
            continue
    return None


def unwrapped(value: Any) -> Any:
    """Return what an object with the one field for it holds."""
    return value[ITEMS] if isinstance(value, Mapping) and list(value) == [ITEMS] else value


def flaw(reply: AIMessage, schema: type[BaseModel]) -> str:
    """Return what is wrong with an answer, '' for a good one; a schema that comes back is no answer."""
    try:
        schema.model_validate_json(reply.text)
    except ValidationError as error:
        return error.errors(include_url=False, include_input=False)[0]["msg"]
    value = json.loads(reply.text)
    fields = declared(schema).get("properties", {})
    return "the schema itself" if isinstance(value, dict) and fields and not fields.keys() & value.keys() else ""
