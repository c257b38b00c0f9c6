"""One call of a chat model of LangChain, whoever provides it; its thoughts are blocks, never an answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall, message_chunk_to_message
from langchain_core.runnables import Runnable, RunnableConfig
from langgraph.constants import TAG_NOSTREAM

from nodes.drafts import thoughts_in
from nodes.roles import Listener

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

    Args:
        field: The field that the thoughts came in, '' for those that stood in the text.
        thought: The thoughts.
        text: The text, which may hold thoughts too.
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


async def whole(model: Runnable[Any, AIMessage], messages: Sequence[BaseMessage]) -> AIMessage:
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
    message = None if joined is None else message_chunk_to_message(joined)
    if joined is None or not isinstance(message, AIMessage):
        return AIMessage("")
    # Calls whose arguments are whole: LangChain completes those that break off, with half a name as one.
    given = [(chunk["name"], _parsed(chunk["args"]), chunk["id"]) for chunk in joined.tool_call_chunks]
    calls = [ToolCall(name=name, args=args, id=id) for name, args, id in given if name and args is not None]
    return message.model_copy(update={"tool_calls": calls})


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
