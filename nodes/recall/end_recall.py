"""Close a recall: its result, from a handoff or from the memories that were found, and its trace."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from nodes.answer import TraceSink
from nodes.policy import Policy
from nodes.recall.plan_recall import error_record, mind_of
from nodes.results.usage import usage_record
from nodes.roles import Mind, Minds
from nodes.scope import Clock, context_of
from state.context import Context
from state.recall import HandedOff, RecallState
from state.result import Usage
from tools.dispatch import safe_error
from tools.errors import StoreError
from tools.memory.records import Memory
from tools.recall.context import MemoryReader
from tools.recall.schemas import ErrorCode
from tools.recall.tools import SENSITIVE, automatic, handoff_message
from tools.wording import speaking

# Errors of a store or a model; wrong arguments and unknown keys are not among them.
FAILED_CODES: tuple[ErrorCode, ...] = ("timeout", "permission_denied", "database_error")


@dataclass(frozen=True, slots=True)
class EndRecall:
    """Fetch the memories that were handed off and write the result; a recall without a question writes its trace."""

    minds: Minds
    reader: MemoryReader
    traces: TraceSink | None
    policy: Policy
    clock: Clock

    async def __call__(self, state: RecallState, runtime: Runtime[Context]) -> dict[str, Any]:
        """Return the result, or `{error, error_code}` if nothing could be read."""
        context = context_of(runtime)
        with speaking(state["language"]):
            is_lost = state["failure"] is not None and not state["seen"]
            recalled = (state["failure"] or {}) if is_lost else await self.recalled(state, context)
        trace = await self.traced(state, recalled, context)
        return {"recalled": recalled, "trace": trace, "transcript": [], "pending": []}

    async def traced(self, state: RecallState, recalled: dict[str, Any], context: Context) -> str | None:
        """Write the trace and return its path; a recall within a question is part of the question's trace."""
        if self.traces is None:
            return None
        usage = usage_record(state["usage"], self.policy.prices)
        record = recall_trace(state, recalled, context.user_id, self.clock(), mind_of(self.minds, state), usage)
        return await self.traces.write(record)

    async def recalled(self, state: RecallState, context: Context) -> dict[str, Any]:
        """Return the result of a recall that had a user."""
        if (failure := dead_store(state)) is not None:
            return failure
        scores = {key: one["score"] for key, one in state["seen"].items()}
        ended = state["handed_off"] or automatic(scores, state["text"])
        try:
            memories = [row for key in ended["keys"] if (row := await self.row(key, state, context))]
        except StoreError as error:
            return error_record("database_error", safe_error("recall_memories", error))
        return result(ended, memories)

    async def row(self, key: str, state: RecallState, context: Context) -> dict[str, Any] | None:
        """Return a memory of the result; None where it was deleted meanwhile."""
        memory = await self.reader.get(context.user_id or "", key)
        known = state["seen"].get(key) or state["leads"][key]
        return None if memory is None else memory_row(memory, known["score"], context.permissions)


def result(ended: HandedOff, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the record of a recall as callers read it."""
    kept = HandedOff({**ended, "keys": [row["memory_key"] for row in memories]})
    found = "RECALL_SUCCESS" if memories else "NO_RELEVANT_MEMORY"
    return {
        "action": "NEED_MORE_INFO" if ended["needs_more_info"] else found,
        "search_summary": ended["search_summary"],
        "confidence": ended["confidence"],
        "memories": list(memories),
        "needs_more_info": ended["needs_more_info"],
        "follow_up_question": ended["follow_up_question"],
        "message": handoff_message(kept),
    }


def memory_row(memory: Memory, score: float, permissions: Sequence[str]) -> dict[str, Any]:
    """Return a memory with its content; a sensitive one without."""
    hidden = not memory.readable(permissions)
    return {
        "memory_key": memory.memory_key,
        "summary": SENSITIVE.say() if hidden else memory.summary or "",
        "content": "" if hidden else memory.content,
        "memory_type": memory.memory_type,
        "created_at": memory.created_at.isoformat(),
        "relevance_score": score,
    }


def dead_store(state: RecallState) -> dict[str, Any] | None:
    """Return the error of a recall whose searches all failed, which is not "nothing found"; None otherwise."""
    searches = [call for call in state["calls"] if call["tool"] == "search_memories" and call["executed"]]
    failed = [call for call in searches if call["error_code"] in FAILED_CODES]
    if not failed or len(failed) < len(searches) or state["seen"]:
        return None
    last = failed[-1]  # its message has the remedy already
    return {"error": str(json.loads(last["result"])["message"]), "error_code": last["error_code"]}


GRAPH = "memory_recall"


def recall_trace(
    state: RecallState, recalled: dict[str, Any], user_id: str | None, now: datetime, mind: Mind, usage: Usage
) -> dict[str, Any]:
    """Return the trace; it names its user, so that memories that the user deletes are removed from it."""
    calls = [{"result_cut" if key == "cut" else key: value for key, value in call.items()} for call in state["calls"]]
    return {
        "trace_id": state["trace_id"],
        "graph": GRAPH,
        "query": state["query"],
        "user_id": user_id,
        "config": {"agent_model": mind.agent_model or mind.name},
        "tool_calls": calls,
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
