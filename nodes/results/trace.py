"""The trace of a question, built from state alone, so that a node writes it however the question ended."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from nodes.policy import KEPT_RESULT
from nodes.results.citations import marked_text
from nodes.roles import Mind
from state.grading import Grade
from state.result import TurnResult
from state.schema import AgentState, Attempt, CallRecord, Thought

SHARED = {
    *("trace_id", "thread_id", "resolutions", "library", "as_of", "mode", "citations"),
    *("passed", "confidence", "degraded", "warning", "usage"),
}
"""Fields of a result that a trace has under the same names."""
SHORT = 500  # characters of observations and of the graded answer


def trace_record(
    state: AgentState,
    attempts: Sequence[Attempt],
    result: TurnResult,
    now: datetime,
    mind: Mind,
    status: Literal["finished", "cancelled", "failed"] = "finished",
) -> dict[str, Any]:
    """Return the trace of a question; what its result says too is taken from there."""
    kept = result.model_dump(mode="json", include=SHARED)
    return {
        **kept,
        "query": result.question,
        "resolved_query": result.resolved_question,
        "config": {
            "agent_model": mind.agent_model or mind.name,
            "grader_model": mind.grader_model or mind.name,
            "max_retries": state["limits"]["attempts"],
        },
        "attempts": [attempt_record(attempt, state["resolved_question"]) for attempt in attempts],
        "final_response": result.answer,
        "outcome": result.status,
        "status": status,
        "started_at": state["started_at"],
        "total_duration_ms": round((now - datetime.fromisoformat(state["started_at"])).total_seconds() * 1000),
    }


def attempt_record(attempt: Attempt, question: str) -> dict[str, Any]:
    """Return one attempt."""
    grade = attempt["grade"]
    answer, answer_cut = cut(marked_text(attempt["draft"]["sentences"], attempt["evidence"]), SHORT)
    return {
        "attempt": attempt["attempt"],
        "limit": attempt["limit"],
        "started_at": attempt["started_at"],
        "duration_ms": attempt["duration_ms"],
        "tool_calls": [call_record(call) for call in attempt["calls"]],
        "reasoning": reasoning(attempt["thoughts"], attempt["calls"]),
        "stop_reason": attempt["stop_reason"],
        "refused": attempt["draft"]["status"] == "not_found",
        "notes": attempt["draft"]["notes"],
        "grading": {
            "input": {
                "question": question,
                "answer": answer,
                "answer_cut": answer_cut,
                "tool_outputs": [call["result"] for call in attempt["calls"]],
            },
            "output": grade_record(grade) if grade else None,
        },
        "refiner": {"queries": attempt["queries"]},
    }


def grade_record(grade: Grade) -> dict[str, Any]:
    """Return one verdict."""
    kept = {key: grade[key] for key in ("score", "scores", "passed", "suggestion", "fail_reason")}
    more = {key: grade.get(key) for key in ("confidence", "unsupported", "queries", "by")}
    return {**kept, **more}


def call_record(call: CallRecord) -> dict[str, Any]:
    """Return one call with its output, cut at 2,000 characters, and whether it was cut."""
    result, cut_here = cut(call["result"], KEPT_RESULT)
    kept = {
        key: call[key]
        for key in ("call", "round", "tool", "args", "ok", "executed", "items", "started_at", "duration_ms")
    }
    steps = {"steps": call["steps"]} if "steps" in call else {}
    return {**kept, "result": result, "result_cut": call["cut"] or cut_here, **steps}


def reasoning(thoughts: Sequence[Thought], calls: Sequence[CallRecord]) -> dict[str, Any]:
    """Return thoughts, actions and observations, and all of them in order as raw_stream."""
    actions = [f"{call['tool']}({json.dumps(call['args'], ensure_ascii=False)})" for call in calls]
    observations = [cut(call["result"], SHORT) for call in calls]
    beside = {thought["call"]: thought["text"] for thought in thoughts}
    stream = []
    for call, action, (text, _) in zip(calls, actions, observations, strict=True):
        thought = [f"Thought: {beside[call['call']]}"] if call["call"] in beside else []
        stream += [*thought, f"Action: {action}", f"Observation: {text}"]
    made = {call["call"] for call in calls}
    stream += [f"Thought: {thought['text']}" for thought in thoughts if thought["call"] not in made]
    return {
        "raw_stream": "\n".join(stream),
        "thoughts": [thought["text"] for thought in thoughts],
        "actions": actions,
        "observations": [{"text": text, "cut": was_cut} for text, was_cut in observations],
    }


def cut(text: str, most: int) -> tuple[str, bool]:
    """Return a text's first characters and whether any were left out."""
    return text[:most], len(text) > most
