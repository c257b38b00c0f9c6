"""The window of a recall: which messages an iteration shows, and the prompt that it begins with."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import HumanMessage

from nodes.policy import Policy
from nodes.prompts.recall import recall_prompt
from nodes.transcript import pack
from state.recall import HistoryMessage, RecallState, SeenMemory
from tools.recall.context import Iteration


def iteration_of(state: RecallState, policy: Policy) -> Iteration:
    """Return the iteration of a recall: its number, window and number of messages."""
    available = len(state.get("history") or [])
    return Iteration(
        number=state["iteration"], most=policy.recall_iterations, window=state["window"], available=available
    )


def shown_messages(history: Sequence[HistoryMessage], window: int) -> list[HistoryMessage]:
    """Return the newest messages that a window holds."""
    return list(history[-window:])


def opened_window(
    query: str,
    history: Sequence[HistoryMessage],
    at: Iteration,
    seen: Mapping[str, SeenMemory],
    language: Literal["zh", "en"],
) -> dict[str, Any]:
    """Return the keys of a fresh iteration."""
    prompt = recall_prompt(query, shown_messages(history, at.window), at, seen, language)
    return {
        "iteration": at.number,
        "window": at.window,
        "rounds": 0,
        "searches_in_row": 0,
        "transcript": pack([HumanMessage(prompt)]),
        "pending": [],
    }
