"""The calls of a model turn: how they are made, and which of them are left to make."""

from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage

from nodes.roles import PlanRequest
from tools.documents.search import SEMANTIC_SEARCH
from tools.recall.recall_memories import NAME as RECALL

Call = tuple[str, dict[str, Any]]
"""A tool and its arguments."""
NARRATIVE, STORY = "narrative", "story"
SEARCH: Mapping[str, str] = {NARRATIVE: "search_memory", STORY: "vector_search"}
"""The search for passages of each toolkit of stories."""
EMBEDDED = frozenset({*SEARCH.values(), "graph_search", SEMANTIC_SEARCH, RECALL})
"""Tools that compare their query by meaning."""


def turn(number: int, calls: Sequence[Call]) -> AIMessage:
    numbered = enumerate(calls, number + 1)
    made = [{"id": f"call-{n}", "name": name, "args": args, "type": "tool_call"} for n, (name, args) in numbered]
    return AIMessage("", tool_calls=made)


def next_calls(request: PlanRequest, turns: Sequence[Sequence[Call]]) -> list[Call]:
    """Return the calls of the first turn that this attempt has not made all of, [] when all were made.

    Calls of earlier attempts are made again: they are answered from the record.
    """
    done = [(call["tool"], call["args"]) for call in request.calls if call["attempt"] == request.attempt]
    offered = {declaration["name"] for declaration in request.declarations}
    for one in turns:
        if left := [call for call in one if call[0] in offered and call not in done]:
            return left
    return []
