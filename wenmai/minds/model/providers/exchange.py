"""One call of a chat model of LangChain, whoever provides it."""

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, message_chunk_to_message
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from nodes.roles import Listener
from nodes.transcript import thoughts_in
from wenmai.minds.model.providers.thoughts import ThoughtSplitter

# The text of a role is no answer yet: LangGraph's `messages` stream must not show it.
UNSEEN = RunnableConfig(tags=[TAG_NOSTREAM])


async def whole(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage]) -> AIMessage:
    """Ask and wait for the whole reply."""
    return await model.ainvoke(list(messages), UNSEEN)


async def streamed(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage], listener: Listener) -> AIMessage:
    """Stream thoughts and text of each chunk; return the chunks joined, with calls and signatures."""
    joined: AIMessageChunk | None = None
    splitter = ThoughtSplitter()
    async for chunk in model.astream(list(messages), UNSEEN):
        if not isinstance(chunk, AIMessageChunk):
            raise TypeError(f"expected chunks of a chat model, got {type(chunk).__name__}")
        if joined is not None and joined.response_metadata.get("finish_reason") and chunk.content:
            continue  # of a second candidate; only the first one counts
        joined = chunk if joined is None else joined + chunk
        for thought in thoughts_in(chunk):
            listener.thought(thought)
        _told(splitter.take(chunk.text), listener)
    _told(splitter.end(), listener)
    if joined is None:
        return AIMessage("")
    message = message_chunk_to_message(joined)
    return (
        message.model_copy(update={"tool_calls": _whole_calls(joined)})
        if isinstance(message, AIMessage)
        else AIMessage("")
    )


def _whole_calls(reply: AIMessageChunk) -> list[ToolCall]:
    """Return the calls whose arguments are whole: LangChain completes those that break off, with half a name as one."""
    given = [(chunk["name"], _parsed(chunk["args"]), chunk["id"]) for chunk in reply.tool_call_chunks]
    return [ToolCall(name=name, args=args, id=id) for name, args, id in given if name and args is not None]


def _parsed(arguments: str | None) -> dict[str, Any] | None:
    """Return arguments, {} for none, None for what is no object in JSON."""
    try:
        parsed = json.loads(arguments or "{}", strict=False)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


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
