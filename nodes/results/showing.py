"""What clients that stream messages see of a running turn: tool calls, their results, the answer with its citations.

None of it enters the state: the session's messages hold what the user said and what was answered.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, ToolMessage
from langchain_core.messages.content import Citation as Annotation
from langgraph.graph.message import push_message

from state.schema import PendingCall


def show_call(call: PendingCall) -> None:
    made = ToolCall(name=call["name"], args=call["args"], id=call["id"])
    shown(AIMessage("", id=str(uuid4()), tool_calls=[made]))


def show_result(call: PendingCall, result: str, *, ok: bool) -> None:
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


KEY = "annotations"  # in a message's additional_kwargs
MARK = re.compile(r"\[(\d+)\]")
# Where a quotation stands is in the result, and found by its evidence: each checkpoint holds every message.
NAMES = ("n", "evidence")


def cited_message(text: str, citations: Sequence[Mapping[str, Any]], id: str) -> AIMessage:
    found = annotations(text, citations)
    return AIMessage(text, id=id, additional_kwargs={KEY: found} if found else {})


def annotations(text: str, citations: Sequence[Mapping[str, Any]]) -> list[Annotation]:
    """Return one of LangChain's annotations for each mark `[n]` that has a citation: what rests on which quotation.

    `extras` names the citation in the turn's result.
    """
    known = {one["n"]: one for one in citations}
    return [
        Annotation(
            type="citation",
            title=one["label"],
            cited_text=one["quote"],
            start_index=mark.start(),
            end_index=mark.end(),
            extras={name: one[name] for name in NAMES},
        )
        for mark in MARK.finditer(text)
        if (one := known.get(int(mark[1])))
    ]
