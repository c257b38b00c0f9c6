"""One call of a chat model of LangChain, whoever provides it; what a server lacks, by other means."""

import ast
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args
from uuid import uuid4

from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
    message_chunk_to_message,
)
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM
from pydantic import BaseModel, ValidationError

from nodes.call_time import heard
from nodes.drafts import thought_blocks, thoughts_in
from nodes.roles import Listener
from tools.messages import say
from wenmai.minds.model.client import Messages, Tools
from wenmai.minds.model.schemas import declared

OPEN, CLOSE = "<think>", "</think>"
FIELDS = ("reasoning_content", "reasoning")  # DeepSeek and most; OpenRouter and newer servers

Content = str | list[str | dict[str, Any]]


def field_of(message: Mapping[str, Any]) -> tuple[str, str]:
    """Return the field with thoughts and what it holds, two empty texts without one."""
    for field in FIELDS:
        if isinstance(message.get(field), str) and message[field]:
            return field, message[field]
    return "", ""


def blocks(field: str, thought: str, text: str) -> Content:
    """Return a message's content: text alone, or a block of thoughts before it.

    `field` is the one that the thoughts came in, '' for those that stood in the text, which may hold thoughts too.
    """
    inner, shown = split(text)
    return beside(field, "\n".join(one for one in (thought, inner) if one) if inner.strip() else thought, shown)


def beside(field: str, thought: str, shown: str) -> Content:
    """Return content as `blocks` does, of a text that holds no thoughts, or only part of a tag."""
    if not thought:
        return shown
    block: dict[str, Any] = {"type": "thinking", "thinking": thought, "index": 0}
    named = {**block, "field": field} if field else block
    return [named, shown] if shown else [named]


def told_apart(content: Content) -> Content:
    """Return a message's content with the thoughts in its texts as blocks of their own."""
    if isinstance(content, str):
        return blocks("", "", content)
    parts: list[str | dict[str, Any]] = []
    for part in content:
        inner, shown = split(part if isinstance(part, str) else str(part.get("text") or ""))
        if not inner:
            parts.append(part)
            continue
        parts.append({"type": "thinking", "thinking": inner})
        parts += [part | {"text": shown} if isinstance(part, dict) else shown] if shown else []
    return parts


def split(text: str) -> tuple[str, str]:
    """Return the thoughts in a text and the rest.

    Templates that open the tag in the prompt leave only its end in the reply; a reply that was cut has no end.
    """
    if CLOSE in text and OPEN not in text.split(CLOSE)[0]:
        text = OPEN + text
    splitter = ThoughtSplitter()
    inner, shown = splitter.take(text)
    rest, more = splitter.end()
    return (inner + rest).strip(), (shown + more).lstrip() if inner or rest else shown + more


@dataclass(slots=True)
class ThoughtSplitter:
    """Splits a text that comes in pieces; a tag may lie across them."""

    inside: bool = False
    held: str = ""

    def take(self, piece: str) -> tuple[str, str]:
        """Return what is now known to be thought, and what is text."""
        found: dict[bool, list[str]] = {True: [], False: []}
        rest = self.held + piece
        while (tag := CLOSE if self.inside else OPEN) in rest:
            before, _, rest = rest.partition(tag)
            found[self.inside].append(before)
            self.inside = not self.inside
        kept = overlap(rest, tag)
        found[self.inside].append(rest[: len(rest) - kept])
        self.held = rest[len(rest) - kept :]
        return "".join(found[True]), "".join(found[False])

    def end(self) -> tuple[str, str]:
        """Return what was held back as the possible beginning of a tag."""
        held, self.held = self.held, ""
        return (held, "") if self.inside else ("", held)


def overlap(text: str, tag: str) -> int:
    """Return the length of the longest end of a text that a tag begins with."""
    return next((size for size in range(min(len(tag) - 1, len(text)), 0, -1) if tag.startswith(text[-size:])), 0)


# The text of a role is no answer yet: LangGraph's `messages` stream must not show it.
UNSEEN = RunnableConfig(tags=[TAG_NOSTREAM])


async def whole(model: Runnable[Any, AIMessage], messages: Messages) -> AIMessage:
    return await model.ainvoke(list(messages), UNSEEN)


async def streamed(model: Runnable[Any, AIMessage], messages: Messages, listener: Listener | None) -> AIMessage:
    """Stream thoughts and text of each chunk; return the chunks joined, with calls and signatures.

    Each chunk gives the call its time anew.
    """
    joined: AIMessageChunk | None = None
    splitter = ThoughtSplitter()
    async for chunk in model.astream(list(messages), UNSEEN):
        if not isinstance(chunk, AIMessageChunk):
            raise TypeError(f"expected chunks of a chat model, got {type(chunk).__name__}")
        if joined is not None and joined.response_metadata.get("finish_reason") and chunk.content:
            continue  # of a second candidate; only the first one counts
        heard()
        joined = chunk if joined is None else joined + chunk
        if listener:
            for thought in thoughts_in(chunk):
                listener.thought(thought)
            _told(splitter.take(chunk.text), listener)
    if listener:
        _told(splitter.end(), listener)
    message = None if joined is None else message_chunk_to_message(joined)
    if joined is None or not isinstance(message, AIMessage):
        return AIMessage("")
    # Calls whose arguments are whole: LangChain completes those that break off, with half a name as one.
    given = [(chunk["name"], _parsed(chunk["args"] or "{}"), chunk["id"]) for chunk in joined.tool_call_chunks]
    calls = [ToolCall(name=name, args=args, id=id) for name, args, id in given if name and isinstance(args, dict)]
    return message.model_copy(update={"tool_calls": calls})


def _parsed(text: str, *, strict: bool = False) -> Any:
    """Return the value of a JSON text, None for what is none."""
    try:
        return json.loads(text, strict=strict)
    except ValueError:
        return None


def _told(parts: tuple[str, str], listener: Listener) -> None:
    """Pass on a thought and words, as far as there are any."""
    thought, words = parts
    if thought:
        listener.thought(thought)
    if words:
        listener.words(words)


def finished(reply: AIMessage, finish: str, refusal: str = "") -> AIMessage:
    """Return a reply that says why it ended, and whether the prompt itself was refused."""
    named = {**reply.response_metadata, "finish_reason": finish, "refusal": refusal}
    return reply.model_copy(update={"response_metadata": {key: value for key, value in named.items() if value}})


Way = Literal["json_schema", "json_object", "tool", "text"]
WAYS: tuple[Way, ...] = get_args(Way)  # from the best to the last resort

NAME = "answer"
ITEMS = "items"  # the one field of an object that holds an answer which is no object
STRICT = frozenset(
    {"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "$defs", "additionalProperties"}
    | {"maxItems"}
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


def with_shape(messages: Messages, way: Way, schema: type[BaseModel]) -> list[BaseMessage]:
    """Return messages that say the schema where the request itself does not."""
    if way in ("json_schema", "tool"):
        return list(messages)
    shape = json.dumps(strict(schema), ensure_ascii=False)
    return [*messages, SystemMessage(say("model.prompt.json_only", schema=shape))]


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


CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
FENCED = re.compile(r"\A```\w*\s*(.*?)\s*```\Z", re.DOTALL)
TEMPLATE = re.compile(r"\A(?:\[TOOL_CALLS\]|<\|(?:python_tag|tool_call)\|>)")
FUNCTION = re.compile(r"<function=([\w.-]+)>\s*(.*?)\s*(?:</function>)?", re.DOTALL)
ARGUMENTS = ("arguments", "parameters", "args", "input")

TAG = "<tool_call>"
WHOLE = (
    "{",
    "`",
    "[{",
    "[TOOL_CALLS]",
    "<function=",
    "<|",
)  # what a reply begins with that may be a call and nothing else


@dataclass(slots=True)
class WithoutCalls:
    """Passes on text that comes in pieces, until a call may begin in it; `begun`: something was passed on."""

    listener: Listener
    held: str = ""
    begun: bool = False

    def words(self, piece: str) -> None:
        """Take a piece; pass on what is surely no call."""
        self.held += piece
        start = self.held.lstrip()
        if not self.begun and any(start.startswith(one) or one.startswith(start) for one in WHOLE):
            return
        at = self.held.find(TAG)
        end = at if at >= 0 else len(self.held) - overlap(self.held, TAG)
        words, self.held = self.held[:end], self.held[end:]
        if words:
            self.begun = True
            self.listener.words(words)

    def thought(self, words: str) -> None:
        self.listener.thought(words)

    def restart(self) -> None:
        self.held, self.begun = "", False
        self.listener.restart()

    def end(self, reply: AIMessage) -> None:
        """Pass on what was held back of a reply without calls."""
        if self.held and not reply.tool_calls:
            self.listener.words(self.held)


def as_text(messages: Messages, tools: Tools) -> list[BaseMessage]:
    """Return messages without calls and results, which are text in them; with the tools in the system message."""
    names, made = dict[str | None, str](), list[BaseMessage]()
    for message in messages:
        if isinstance(message, ToolMessage):
            name = names.get(message.tool_call_id, "")
            message = HumanMessage(f'<tool_result name="{name}">\n{message.text}\n</tool_result>')
        elif isinstance(message, AIMessage) and message.tool_calls:
            names |= {call["id"]: call["name"] for call in message.tool_calls}
            calls = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
            blocks = [f"<tool_call>{json.dumps(call, ensure_ascii=False)}</tool_call>" for call in calls]
            message = AIMessage("\n".join([message.text, *blocks] if message.text.strip() else blocks))
        made.append(message)
    if not tools:
        return made
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    system = "\n\n".join(
        [*(one.text for one in made if isinstance(one, SystemMessage)), say("model.prompt.tool_rules", tools=listed)]
    )
    return [SystemMessage(system), *(one for one in made if not isinstance(one, SystemMessage))]


def only_calls(reply: AIMessage, tools: Tools) -> AIMessage:
    """Return a reply with calls if its text is nothing else: servers that do not read a model's calls pass them on.

    A call in the middle of a text may be quoted from the material.
    """
    made = with_calls(reply, tools)
    known = {tool["name"] for tool in tools} >= {call["name"] for call in made.tool_calls}
    return made if known and not made.text.strip() else reply


def with_calls(reply: AIMessage, tools: Tools) -> AIMessage:
    """Return a reply with the calls that stand in its text, the same reply without any."""
    text, names = reply.text, {tool["name"] for tool in tools}
    found = [call for match in CALL.finditer(text) if (call := read(_call_value(match[1])))]
    rest = CALL.sub("", text).strip()
    if not found:
        found = [call for call in whole_calls(text) if call["name"] in names]
        rest = "" if found else text
    if not found:
        return reply
    thoughts = thought_blocks(reply)
    return reply.model_copy(update={"content": [*thoughts, rest] if thoughts else rest, "tool_calls": found})


def whole_calls(text: str) -> list[ToolCall]:
    """Return the calls of a text that is nothing else: JSON in the forms of several templates, or Python."""
    body = TEMPLATE.sub("", FENCED.sub(r"\1", text.strip())).strip()
    if match := FUNCTION.fullmatch(body):
        value: Any = {"name": match[1], "arguments": match[2]}
    else:
        value = _call_value(body)
    if isinstance(value, dict):
        value = value.get("tool_calls", value)
    items = value if isinstance(value, list) else [value]
    calls = [call for one in items if (call := read(one))] or python_calls(body)
    return calls if len(calls) == len(items) or value is None else []


def _call_value(text: str) -> Any:
    """Return the JSON of a call; models that learned calls from templates write their braces twice."""
    value = _parsed(text)
    if value is None and text.startswith("{{") and text.endswith("}}"):
        value = _parsed(text[1:-1]) or _parsed(text.replace("{{", "{").replace("}}", "}"))
    return value


def read(found: Any) -> ToolCall | None:
    """Return a call as models write it: a name with its arguments, in an object of their own or as text."""
    if isinstance(found, dict) and isinstance(found.get("function"), dict):
        found = found["function"]
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return None
    args: Any = next((found[key] for key in ARGUMENTS if key in found), {})
    while isinstance(args, str):
        args = _parsed(args, strict=True)
    return made_call(found["name"], args) if isinstance(args, dict) else None


def python_calls(text: str) -> list[ToolCall]:
    """Return the calls of a text that is Python: `print(default_api.search_memory(query='…'))`."""
    try:
        lines = ast.parse(text).body
        calls = [one.value for one in lines if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)]
        inner = [one.args[0] if _name_of(one) == "print" and one.args else one for one in calls]
        made = [
            made_call(_name_of(one), {str(part.arg): ast.literal_eval(part.value) for part in one.keywords})
            for one in inner
            if isinstance(one, ast.Call) and not one.args
        ]
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return []
    return made if len(made) == len(lines) else []


def _name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")


def made_call(name: str, args: dict[str, Any]) -> ToolCall:
    return ToolCall(name=name, args=args, id=f"call_{uuid4().hex[:16]}", type="tool_call")
