"""The trace of a recall outside of a question, built from state alone."""

from datetime import datetime
from typing import Any

from nodes.roles import Mind
from state.recall import RecallCall, RecallState
from state.result import Usage

GRAPH = "memory_recall"


def recall_trace(
    state: RecallState, recalled: dict[str, Any], user_id: str | None, now: datetime, mind: Mind, usage: Usage
) -> dict[str, Any]:
    """Return the trace; it names its user, so that memories that the user deletes are removed from it."""
    return {
        "trace_id": state["trace_id"],
        "graph": GRAPH,
        "query": state["query"],
        "user_id": user_id,
        "config": {"agent_model": mind.agent_model or mind.name},
        "tool_calls": [call_record(call) for call in state["calls"]],
        "recalled": recalled,
        "final_response": recalled.get("message") or recalled["error"],
        "passed": None,  # a recall is not graded
        "status": "failed" if "error" in recalled else "finished",
        "started_at": state["started_at"],
        "total_duration_ms": round((now - datetime.fromisoformat(state["started_at"])).total_seconds() * 1000),
        "thread_id": state["thread_id"],
        "degraded": state["degraded"],
        "usage": usage,
    }


def call_record(call: RecallCall) -> dict[str, Any]:
    """Return one call with its output and whether it was cut, named as in the trace of a question."""
    kept: dict[str, Any] = {key: value for key, value in call.items() if key != "cut"}
    return {**kept, "result_cut": call["cut"]}
