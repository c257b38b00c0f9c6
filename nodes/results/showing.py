"""What clients that stream messages see of a running turn: tool calls, their results, the answer in pieces.

None of it enters the state: the session's messages hold what the user said and what was answered.
"""

from collections.abc import Sequence
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, ToolMessage
from langgraph.graph.message import push_message

from state.schema import PendingCall


def show_call(call: PendingCall) -> None:
    """Show that a call begins."""
    made = ToolCall(name=call["name"], args=call["args"], id=call["id"])
    shown(AIMessage("", id=str(uuid4()), tool_calls=[made]))


def show_result(call: PendingCall, result: str, *, ok: bool) -> None:
    """Show what came of a call."""
    status = "success" if ok else "error"
    shown(ToolMessage(result, id=str(uuid4()), tool_call_id=call["id"], name=call["name"], status=status))


def show_answer(answer: AIMessage, pieces: Sequence[str]) -> None:
    """Show an answer piece by piece, under the id of its message; the last piece has what else the message has."""
    for piece in pieces:
        shown(AIMessageChunk(content=piece, id=answer.id))
    shown(AIMessageChunk(content="", id=answer.id, additional_kwargs=answer.additional_kwargs, chunk_position="last"))


def shown(message: BaseMessage) -> None:
    """Send a message to the streams of messages alone."""
    push_message(message, state_key=None)
