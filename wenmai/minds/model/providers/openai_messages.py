"""Messages as servers of the protocol take them, and replies as the roles take them."""

import re
from collections.abc import Sequence
from typing import Any, cast
from uuid import uuid4

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall

from wenmai.minds.model.providers.exchange import finished
from wenmai.minds.model.providers.thoughts import blocks

FINISHES = {"stop": "STOP", "tool_calls": "STOP", "function_call": "STOP", "length": "MAX_TOKENS"}
BLOCKED = "SAFETY"  # what the content filter ended, or the model declined
BETWEEN = "\n\n"
NAME = re.compile(r"[^A-Za-z0-9_-]")  # what a model invents as a name is refused when it goes back
LONGEST_NAME = 64


def adapted(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return messages with one system message in front and no two of the user in a row, as strict templates want."""
    system = [message.text for message in messages if isinstance(message, SystemMessage)]
    made: list[BaseMessage] = [SystemMessage(BETWEEN.join(system))] if system else []
    for message in messages:
        if isinstance(message, SystemMessage):
            continue
        last = made[-1] if made else None
        if isinstance(message, HumanMessage) and isinstance(last, HumanMessage):
            made[-1] = HumanMessage(f"{last.text}{BETWEEN}{message.text}")
        else:
            made.append(sendable(message) if isinstance(message, AIMessage) else message)
    return made


def sendable(message: AIMessage) -> AIMessage:
    """Return a turn of the model with its text alone as content, its thoughts beside it, and names that are taken."""
    thoughts = [block for block in message.content if isinstance(block, dict) and block.get("type") == "thinking"]
    calls = [
        ToolCall(**{**call, "name": NAME.sub("_", call["name"])[:LONGEST_NAME] or "_"}) for call in message.tool_calls
    ]
    return AIMessage(message.text, tool_calls=calls, additional_kwargs={"thoughts": thoughts} if thoughts else {})


def returned_thoughts(message: AIMessage) -> dict[str, str]:
    """Return the thoughts of a turn by the fields that they came in; those that stood in the text do not go back."""
    thoughts: list[dict[str, Any]] = message.additional_kwargs.get("thoughts") or []
    return {block["field"]: block["thinking"] for block in thoughts if block.get("field")}


def received(reply: AIMessage) -> AIMessage:
    """Return a reply in the form of all providers: calls with ids of their own, a reason for its end."""
    finish = str(reply.response_metadata.get("finish_reason") or "")
    refusal = str(reply.additional_kwargs.get("refusal") or "")
    block = thinking(reply)
    content = blocks(str(block.get("field") or ""), str(block.get("thinking") or ""), reply.text)
    named = reply.model_copy(
        update={
            "content": content,
            "additional_kwargs": {},
            "tool_calls": with_ids(reply.tool_calls),
            "invalid_tool_calls": [],  # sent back they would be calls that nobody answered
        }
    )
    return finished(
        named, BLOCKED if refusal else FINISHES.get(finish, BLOCKED if finish == "content_filter" else finish)
    )


def thinking(reply: AIMessage) -> dict[str, Any]:
    """Return the block of thoughts, {} without one."""
    parts = reply.content if isinstance(reply.content, list) else []
    return next((cast(dict[str, Any], one) for one in parts if isinstance(one, dict) and "thinking" in one), {})


def with_ids(calls: Sequence[ToolCall]) -> list[ToolCall]:
    """Return calls whose ids differ; some servers leave them empty or give one twice."""
    seen: set[str] = set()
    made: list[ToolCall] = []
    for call in calls:
        id = call["id"] if call["id"] and call["id"] not in seen else f"call_{uuid4().hex[:16]}"
        seen.add(id)
        made.append({**call, "id": id})
    return made


def functions(tools: Sequence[dict[str, Any]], *, may_call: bool = True) -> dict[str, Any]:
    """Return declarations as a request holds them."""
    declared = {"tools": [{"type": "function", "function": tool} for tool in tools]}
    return declared if may_call else {**declared, "tool_choice": "none"}
