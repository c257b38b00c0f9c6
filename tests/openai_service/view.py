"""A request of this protocol, seen as one of the Gemini API, so that one test reads both."""

import json
from dataclasses import dataclass
from typing import Any

from tests.gemini.exchange import Request
from tests.gemini.parts import Json

PING = "ping"  # the tool by which a client finds out whether tools are passed on


@dataclass(slots=True)
class ChatRequest(Request):
    """A request for a chat completion."""

    @property
    def contents(self) -> list[Json]:
        """The conversation, the system message left out."""
        return contents_of(self.messages)

    @property
    def messages(self) -> list[Json]:
        """The messages as they came."""
        return list(self.body.get("messages") or [])

    @property
    def system(self) -> str:
        """The text of the system message."""
        return "".join(text_of(one) for one in self.messages if one.get("role") in ("system", "developer"))

    @property
    def tools(self) -> list[str]:
        """The names of the declared functions."""
        return [one["function"]["name"] for one in self.body.get("tools") or []]

    @property
    def config(self) -> Json:
        """The sampling settings, as the other service has them."""
        effort = self.body.get("reasoning_effort")
        level = {"thinkingConfig": {"thinkingLevel": effort.upper()}} if effort else {}
        return level | {key: self.body[key] for key in ("temperature",) if key in self.body}

    @property
    def schema(self) -> Json | None:
        """The schema of the structured output, as it was before it was put into an object."""
        shape = (self.body.get("response_format") or {}).get("json_schema")
        return None if shape is None else within(shape["schema"])

    @property
    def forced(self) -> str:
        """The name of the function that must be called, '' without one."""
        choice = self.body.get("tool_choice")
        return str(choice["function"]["name"]) if isinstance(choice, dict) else ""

    @property
    def may_call(self) -> bool:
        """Whether the model may call the declared functions."""
        return bool(self.tools) and self.body.get("tool_choice") != "none"

    @property
    def probes(self) -> bool:
        """Whether the client only tries the tools."""
        return self.tools == [PING]


def within(schema: Json) -> Json:
    """Return what an object with one list in it was made for."""
    fields: dict[str, Json] = schema.get("properties") or {}
    only = next(iter(fields.values())) if len(fields) == 1 else {}
    return only if only.get("type") == "array" else schema


def text_of(message: Json) -> str:
    """Return the text of a message."""
    content = message.get("content")
    if isinstance(content, list):
        return "".join(part.get("text", "") for part in content)
    return content or ""


def contents_of(messages: list[Json]) -> list[Json]:
    """Return the turns of a conversation; the results of one turn's calls are one content."""
    names = {call["id"]: call["function"]["name"] for one in messages for call in one.get("tool_calls") or []}
    made: list[Json] = []
    for message in messages:
        if message["role"] == "tool":
            part = {"functionResponse": {"name": names.get(message["tool_call_id"]), "response": result_of(message)}}
            if made and "functionResponse" in made[-1]["parts"][0]:
                made[-1]["parts"].append(part)
            else:
                made.append({"role": "user", "parts": [part]})
        elif message["role"] == "assistant":
            made.append({"role": "model", "parts": parts_of(message)})
        elif message["role"] == "user":
            made.append({"role": "user", "parts": [{"text": text_of(message)}]})
    return made


def parts_of(message: Json) -> list[Json]:
    """Return the parts of a turn of the model."""
    text = text_of(message)
    calls = [one["function"] for one in message.get("tool_calls") or []]
    made = [{"functionCall": {"name": one["name"], "args": json.loads(one["arguments"])}} for one in calls]
    return [{"text": text}, *made] if text else made


def result_of(message: Json) -> Any:
    """Return a tool's result as an object."""
    try:
        found = json.loads(text_of(message))
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"result": text_of(message)}
