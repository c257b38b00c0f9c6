"""Close a recall: its result, from a handoff or from the memories that were found, and its trace."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from langgraph.runtime import Runtime

from nodes.answer import TraceSink
from nodes.policy import Policy
from nodes.recall.plan_recall import error_record
from nodes.roles import Mind, Minds
from nodes.scope import Clock, context_of, zone_of
from nodes.usage import usage_record
from state.context import Context
from state.recall import HandedOff, RecallState
from state.result import Usage
from tools.dispatch import safe_error
from tools.errors import StoreError
from tools.memory.days import told_text
from tools.messages import say, speaking
from tools.recall.context import MemoryReader
from tools.recall.schemas import ErrorCode
from tools.recall.tools import automatic, handoff_message

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
        trace = None
        if self.traces:  # else it is part of the question's trace
            usage, mind = usage_record(state["usage"], self.policy.prices), self.minds.of(state)
            record = recall_trace(state, recalled, context.user_id, self.clock(), mind, usage)
            trace = await self.traces.write(record)
        return {"recalled": recalled, "trace": trace, "transcript": [], "pending": []}

    async def recalled(self, state: RecallState, context: Context) -> dict[str, Any]:
        searches = [call for call in state["calls"] if call["tool"] == "search_memories" and call["executed"]]
        failed = [call for call in searches if call["error_code"] in FAILED_CODES]
        if failed and len(failed) == len(searches) and not state["seen"]:  # a dead store is not "nothing found"
            last = failed[-1]  # its message has the remedy already
            return {"error": str(json.loads(last["result"])["message"]), "error_code": last["error_code"]}
        scores = {key: one["score"] for key, one in state["seen"].items()}
        ended = state["handed_off"] or automatic(scores, state["text"])
        try:
            memories = [row for key in ended["keys"] if (row := await self.row(key, state, context))]
        except StoreError as error:
            return error_record("database_error", safe_error("recall_memories", error))
        return result(ended, memories)

    async def row(self, key: str, state: RecallState, context: Context) -> dict[str, Any] | None:
        memory = await self.reader.get(context.user_id or "", key, past=True)  # one that a search has found
        known = state["seen"].get(key) or state["leads"][key]
        if memory is None:
            return None
        is_hidden = not memory.readable(context.permissions)
        return {
            "memory_key": memory.memory_key,
            "summary": say("memory.hidden_text") if is_hidden else memory.summary or "",
            "content": "" if is_hidden else told_text(memory, zone_of(context)),
            "memory_type": memory.memory_type,
            "created_at": memory.created_at.isoformat(),
            "relevance_score": known["score"],
            "is_context": key not in state["seen"],
            "is_past": not memory.is_active,
        }


def result(ended: HandedOff, memories: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
