"""All rules for a request, in the order in which servers look at them; the messages are those of known servers."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from tests.gemini.parts import Json
from tests.openai_service.dialect import Dialect
from tests.openai_service.refusals import refusal
from tests.openai_service.schema_rules import function_problems, strict_problems
from tests.openai_service.view import text_of

FIELDS: dict[str, type | tuple[type, ...]] = {
    "model": str,
    "messages": list,
    "tools": list,
    "tool_choice": (str, dict),
    "parallel_tool_calls": bool,
    "response_format": dict,
    "reasoning_effort": str,
    "stream": bool,
    "stream_options": dict,
    "temperature": (int, float),
    "top_p": (int, float),
    "max_tokens": int,
    "max_completion_tokens": int,
    "n": int,
    "seed": int,
    "stop": (str, list),
    "user": str,
}
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ROLES = frozenset({"system", "user", "assistant", "tool"})
OF_ROLE = {
    "system": {"role", "content"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "tool_calls"},
    "tool": {"role", "content", "tool_call_id"},
}


def check(body: Json, dialect: Dialect) -> None:
    """Raise Refusal when a strict server would refuse the request."""
    check_fields(body, dialect)
    check_messages(body["messages"], dialect)
    check_tools(body, dialect)
    check_format(body, dialect)


def check_fields(body: Json, dialect: Dialect) -> None:
    """Refuse unknown fields and wrong types."""
    known = {name for name in FIELDS if name != "stream_options" or dialect.stream_options}
    known -= set() if dialect.efforts else {"reasoning_effort"}
    for name, value in body.items():
        if name not in known:
            raise refusal(f"Unrecognized request argument supplied: {name}", param=name)
        if not isinstance(value, FIELDS[name]) or (isinstance(value, bool) and FIELDS[name] is not bool):
            raise refusal(f"Invalid type for '{name}': got {value!r}", param=name)
    for name in ("model", "messages"):
        if not body.get(name):
            raise refusal(f"Missing required parameter: '{name}'.", param=name)
    if "stream_options" in body and not body.get("stream"):
        raise refusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    if not 0 <= body.get("temperature", 1) <= 2:
        raise refusal("Invalid 'temperature': decimal above maximum value.", param="temperature")
    if "reasoning_effort" in body and body["reasoning_effort"] not in dialect.efforts:
        raise refusal(f"Unsupported value: 'reasoning_effort' does not support '{body['reasoning_effort']}'.")


def check_messages(messages: list[Json], dialect: Dialect) -> None:
    """Refuse wrong messages, and a wrong order of them."""
    for place, message in enumerate(messages):
        for said in message_problems(message, place, dialect):
            raise refusal(said, param=f"messages.[{place}]")
    if any(one["role"] == "system" for one in messages[1:]):
        raise refusal("System message must be at the beginning.")
    for before, now in pairwise(messages):
        if before["role"] == now["role"] and now["role"] in ("user", "assistant"):
            raise refusal("Conversation roles must alternate user/assistant/user/assistant/...")
    if messages[-1]["role"] not in ("user", "tool"):
        raise refusal("The last message must be of the user or of a tool.")
    check_answers(messages)


def message_problems(message: Any, place: int, dialect: Dialect) -> Iterator[str]:
    """Yield what is wrong with one message."""
    if not isinstance(message, dict) or message.get("role") not in ROLES:
        yield f"Invalid value for 'messages[{place}].role'."
        return
    known = OF_ROLE[message["role"]]
    back = {"required": "reasoning_content"}.get(dialect.thoughts, dialect.thoughts)
    for name in message.keys() - known - ({back} if message.get("tool_calls") else set()):
        yield f"Unrecognized field 'messages[{place}].{name}'."
    if not isinstance(message.get("content"), str):
        yield f"Invalid value for 'content': expected a string, got {message.get('content')!r}. 'messages[{place}]'"
    elif not text_of(message) and not message.get("tool_calls") and message["role"] != "tool":
        yield f"'messages[{place}].content' must not be empty."
    elif "<think>" in text_of(message) or "</think>" in text_of(message):
        yield f"loopback: thoughts stand in the text of 'messages[{place}]'"
    if "tool_calls" in message:
        yield from call_problems(message["tool_calls"], place)


def call_problems(calls: Any, place: int) -> Iterator[str]:
    """Yield what is wrong with the calls of a turn."""
    where = f"messages[{place}].tool_calls"
    if not calls:
        yield f"[] is too short - '{where}'"
    for number, call in enumerate(calls):
        name, said = call["function"].get("name", ""), call["function"].get("arguments")
        if not call.get("id") or call.get("type") != "function":
            yield f"Missing required parameter: '{where}[{number}].id' or its type."
        if not NAME.fullmatch(name):
            yield f"Invalid '{where}[{number}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
        try:
            whole = isinstance(json.loads(said), dict)
        except (TypeError, ValueError):
            whole = False
        if not whole:
            yield f"Invalid '{where}[{number}].function.arguments': expected the JSON of an object, got {said!r}."


def check_answers(messages: list[Json]) -> None:
    """Refuse calls without their one answer each, behind the turn, and answers without a call."""
    ids = Counter(call["id"] for one in messages for call in one.get("tool_calls") or [])
    if twice := [id for id, count in ids.items() if count > 1]:
        raise refusal(f"Duplicate value for 'tool_call_id': {twice}")
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in waiting:
                raise refusal(
                    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
                    "'tool_calls'."
                )
            waiting.remove(message["tool_call_id"])
            continue
        if waiting:
            raise refusal(
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(waiting)}"
            )
        waiting = [call["id"] for call in message.get("tool_calls") or []]
    if waiting:
        raise refusal("An assistant message with 'tool_calls' must be followed by tool messages.")


def check_tools(body: Json, dialect: Dialect) -> None:
    """Refuse wrong declarations, a choice without them, and all of them where there are none."""
    tools = body.get("tools")
    if "tool_choice" in body and not tools:
        raise refusal("'tool_choice' is only allowed when 'tools' are specified.")
    if tools is None:
        return
    if not tools:
        raise refusal("[] is too short - 'tools'")
    forced = isinstance(body.get("tool_choice"), dict)
    if dialect.tools == "refused" and not (forced and "tool" in dialect.ways):
        raise refusal(f"{body['model']} does not support tools")
    if forced and "tool" not in dialect.ways:
        raise refusal("tool_choice: only 'auto' and 'none' are supported")
    names = [tool.get("function", {}).get("name") for tool in tools]
    if len(set(names)) < len(names):
        raise refusal("Tool names must be unique.")
    for tool in tools:
        for said in function_problems(tool):
            raise refusal(said, param="tools")
    if forced and body["tool_choice"]["function"]["name"] not in names:
        raise refusal("Tool choice names a function that is not declared.")


def check_format(body: Json, dialect: Dialect) -> None:
    """Refuse a format that this server does not have, or a schema outside the strict subset."""
    given = body.get("response_format")
    if given is None:
        return
    kind = given.get("type")
    if kind not in ("text", *dialect.ways):
        raise refusal("This response_format type is unavailable now")
    if kind == "json_object" and "json" not in "".join(map(text_of, body["messages"])).lower():
        raise refusal(
            "'messages' must contain the word 'json' in some form, to use 'response_format' of 'json_object'."
        )
    if kind == "json_schema":
        shape = given.get("json_schema") or {}
        if not NAME.fullmatch(shape.get("name") or ""):
            raise refusal("Missing required parameter: 'response_format.json_schema.name'.")
        for said in strict_problems(shape.get("schema")):
            raise refusal(f"Invalid schema for response_format '{shape['name']}': {said}")
