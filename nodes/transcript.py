"""An attempt's working messages as plain data; the words of a model go back to it unchanged."""

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, messages_from_dict, messages_to_dict

from state.schema import PendingCall

BY_CODE = "by_code"


def pack(messages: Sequence[AnyMessage]) -> list[dict[str, Any]]:
    return messages_to_dict(messages)


def unpack(transcript: Sequence[dict[str, Any]]) -> list[AnyMessage]:
    """Turn plain data back into the same messages."""
    return messages_from_dict(transcript)  # type: ignore[return-value]  # BaseMessage there, always one of AnyMessage


def thoughts_in(message: AIMessage) -> list[str]:
    """Return the thoughts of a model's turn, which are blocks of its content."""
    blocks = message.content if isinstance(message.content, list) else []
    thinking = (block.get("thinking") for block in blocks if isinstance(block, dict) and block["type"] == "thinking")
    return [text for text in thinking if text]


def made(*calls: PendingCall) -> AIMessage:
    """Return the model turn that calls of the code replace."""
    told = [ToolCall(name=call["name"], args=call["args"], id=call["id"]) for call in calls]
    return AIMessage("", tool_calls=told, additional_kwargs={BY_CODE: True})


def by_code(message: AIMessage) -> bool:
    """Return True for a turn whose calls the code made: a model never sees them as its own."""
    return bool(message.additional_kwargs.get(BY_CODE))


def finish_of(reply: AIMessage, unknown: str = "") -> str:
    return str(reply.response_metadata.get("finish_reason") or unknown)
