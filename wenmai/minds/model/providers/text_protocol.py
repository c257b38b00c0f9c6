"""Tools for a model whose server has none: declarations, calls and results are text."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage

from nodes.roles import Listener
from tools.wording import Words
from wenmai.minds.model.providers.exchange import overlap

RULES = Words(
    """你可以调用下面的工具。需要调用时，只输出一个或多个下面这样的块，不要写别的文字：
<tool_call>{{"name": "工具名", "arguments": {{…}}}}</tool_call>
结果会放在 <tool_result> 里交给你。不需要工具时，直接写出回答。

工具（参数是 JSON Schema）：
{tools}""",
    """You can call the tools below. To call, write one or more blocks like this one and no other text:
<tool_call>{{"name": "tool name", "arguments": {{…}}}}</tool_call>
Results come back in <tool_result>. Where you need no tool, write the answer itself.

Tools (arguments are a JSON Schema):
{tools}""",
)
CALL = re.compile(r"<tool_call>\s*(.*?)\s*(?:</tool_call>|\Z)", re.DOTALL)
FENCED = re.compile(r"\A```(?:json)?\s*(.*?)\s*```\Z", re.DOTALL)

TAG = "<tool_call>"
WHOLE = ("{", "`")
"""What a reply begins with that may be a call and nothing else."""


@dataclass(slots=True)
class WithoutCalls:
    """Passes on text that comes in pieces, until a call may begin in it.

    Attributes:
        listener: takes the text.
        held: what was not passed on.
        begun: something was.
    """

    listener: Listener
    held: str = ""
    begun: bool = False

    def words(self, piece: str) -> None:
        """Take a piece; pass on what is surely no call."""
        self.held += piece
        if not self.begun and self.held.lstrip()[:1] in ("", *WHOLE):
            return
        at = self.held.find(TAG)
        end = at if at >= 0 else len(self.held) - overlap(self.held, TAG)
        words, self.held = self.held[:end], self.held[end:]
        if words:
            self.begun = True
            self.listener.words(words)

    def thought(self, words: str) -> None:
        """Pass on thoughts."""
        self.listener.thought(words)

    def restart(self) -> None:
        """Forget what came."""
        self.held, self.begun = "", False
        self.listener.restart()

    def end(self, reply: AIMessage) -> None:
        """Pass on what was held back of a reply without calls."""
        if self.held and not reply.tool_calls:
            self.listener.words(self.held)


def as_text(messages: Sequence[BaseMessage], tools: Sequence[dict[str, Any]]) -> list[BaseMessage]:
    """Return messages without calls and results, which are text in them; with the tools in the system message."""
    names = {call["id"]: call["name"] for one in messages if isinstance(one, AIMessage) for call in one.tool_calls}
    made = [written(message, names) for message in messages]
    if not tools:
        return made
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    system = "\n\n".join([*(one.text for one in made if isinstance(one, SystemMessage)), RULES.say(tools=listed)])
    return [SystemMessage(system), *(one for one in made if not isinstance(one, SystemMessage))]


def written(message: BaseMessage, names: dict[str | None, str]) -> BaseMessage:
    """Return a message with its calls, or with its result, as text."""
    if isinstance(message, ToolMessage):
        name = names.get(message.tool_call_id, "")
        return HumanMessage(f'<tool_result name="{name}">\n{message.text}\n</tool_result>')
    if not isinstance(message, AIMessage) or not message.tool_calls:
        return message
    calls = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
    blocks = [f"<tool_call>{json.dumps(call, ensure_ascii=False)}</tool_call>" for call in calls]
    return AIMessage("\n".join([message.text, *blocks] if message.text.strip() else blocks))


def only_calls(reply: AIMessage, tools: Sequence[dict[str, Any]]) -> AIMessage:
    """Return a reply with calls if its text is nothing else: servers that do not read a model's calls pass them on.

    A call in the middle of a text may be quoted from the material.
    """
    made = with_calls(reply, tools)
    known = {tool["name"] for tool in tools} >= {call["name"] for call in made.tool_calls}
    return made if known and not made.text.strip() else reply


def with_calls(reply: AIMessage, tools: Sequence[dict[str, Any]]) -> AIMessage:
    """Return a reply with the calls that stand in its text, the same reply without any."""
    text, names = reply.text, {tool["name"] for tool in tools}
    found = [call for match in CALL.finditer(text) if (call := read(match[1]))]
    if not found:
        whole = read(FENCED.sub(r"\1", text.strip()))
        found = [whole] if whole and whole["name"] in names else []
        rest = "" if found else text
    else:
        rest = CALL.sub("", text).strip()
    if not found:
        return reply
    thoughts = [one for one in reply.content if isinstance(one, dict) and one.get("type") == "thinking"]
    content: Any = [*thoughts, rest] if thoughts else rest
    return reply.model_copy(update={"content": content, "tool_calls": found})


def read(text: str) -> ToolCall | None:
    """Return the call in a text, None where there is none."""
    try:
        found = json.loads(text, strict=False)
    except ValueError:
        return None
    if not isinstance(found, dict) or not isinstance(found.get("name"), str):
        return None
    args = found.get("arguments", found.get("parameters", {}))
    if isinstance(args, str):
        return read(json.dumps({"name": found["name"], "arguments": parsed(args)}))
    if not isinstance(args, dict):
        return None
    return ToolCall(name=found["name"], args=args, id=f"call_{uuid4().hex[:16]}", type="tool_call")


def parsed(text: str) -> Any:
    """Return the JSON of a text, None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None
