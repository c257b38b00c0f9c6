"""What was said on a thread: the messages of its turns, each once, whatever clients send again."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, RemoveMessage, convert_to_messages
from langgraph.graph.message import Messages, add_messages


def merge_said(left: Messages, right: Messages) -> list[Any]:
    """Merge messages as LangGraph does, and keep what was said, once.

    Pages send results of calls along that they saw not end. Clients that keep a conversation themselves send all of it
    each time, before their question: turns that the thread has, wherever they stand in it, are no new messages.
    """
    sent = convert_to_messages(right if isinstance(right, list) else [right])
    if sent and isinstance(sent[-1], HumanMessage):
        known = convert_to_messages(left if isinstance(left, list) else [left])
        sent = [*new_to(without_calls(known), sent[:-1]), sent[-1]]
    merged = add_messages(left, list[Any](sent))
    return without_calls(merged if isinstance(merged, list) else [merged])


def without_calls(messages: Iterable[object]) -> list[AnyMessage]:
    """Return what was said: questions and answers, not the calls and results of tools."""
    return [
        one for one in messages if isinstance(one, HumanMessage) or (isinstance(one, AIMessage) and not one.tool_calls)
    ]


def new_to(known: Sequence[AnyMessage], sent: Sequence[BaseMessage]) -> list[BaseMessage]:
    """Return what a client sends that a thread has not: turns are known by their question, messages by their id.

    Of a turn that the thread has, its answer stands there in the thread's words. Only the last may lack one.
    """
    places = {one.id: one for one in known}  # each has an id
    turns = Counter(said(turn[0]) for turn in turns_in(known))
    is_unanswered = bool(known) and isinstance(known[-1], HumanMessage)
    new: list[BaseMessage] = [one for one in sent if isinstance(one, RemoveMessage)]
    for turn in turns_in(without_calls(sent)):
        key = said(places.get(turn[0].id, turn[0]))
        if turns[key] <= 0:
            new += turn
            continue
        turns[key] -= 1
        answers = turn[1:] if is_unanswered and key == said(known[-1]) else []
        new += [one for one in turn if one.id in places or one in answers]
    return new


def turns_in(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    """Return messages cut before each question."""
    turns: list[list[AnyMessage]] = []
    for one in messages:
        if isinstance(one, HumanMessage) or not turns:
            turns.append([])
        turns[-1].append(one)
    return turns


NOT_SAID = re.compile(r"\[E?\d+\]|[\W_]")
"""Marks of citations, punctuation and blanks, which clients change in what they keep."""


def said(message: AnyMessage) -> tuple[str, str]:
    """Return who said what, as a text to compare."""
    text = unicodedata.normalize("NFKC", str(message.text))
    return message.type, NOT_SAID.sub("", text) or text
