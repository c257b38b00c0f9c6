"""Attempts as they end, the result of a turn, and its trace: made from the state and the attempt that is returned."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal

from nodes.citations import marked_text
from nodes.confidence import confidence_of
from nodes.drafts import NOTHING
from nodes.notices import joined_warning
from nodes.policy import ATTEMPT_ANSWER, KEPT_RESULT, limit_of
from nodes.roles import Mind
from nodes.scope import horizon_of
from state.draft import CODE, Grade
from state.result import AsOf, AttemptSummary, CallSummary, Citation, TurnResult, Usage
from state.schema import AgentState, Attempt, CallRecord, Evidence, Thought

SHARED = {
    *("trace_id", "thread_id", "resolutions", "candidates", "library", "as_of", "mode", "citations"),
    *("passed", "confidence", "degraded", "warning", "usage"),
}
"""Fields of a result that a trace has under the same names."""
GRADED = (
    *("score", "scores", "passed", "suggestion", "hallucination_detected", "fail_reason"),
    *("confidence", "unsupported", "queries", "by"),
)


SHORT = 500  # characters of observations and of the graded answer


def open_attempts(state: AgentState, now: datetime) -> list[Attempt]:
    """Return every attempt of the question; one that is still open is closed without a grade."""
    closed = state["attempts"]
    is_closed = any(attempt["attempt"] == state["attempt"] for attempt in closed)
    return closed if is_closed else [*closed, closed_attempt(state, None, now)]


def closed_attempt(state: AgentState, grade: Grade | None, now: datetime) -> Attempt:
    """Return the attempt as it ended; the refiner's queries are added by refine."""
    started = datetime.fromisoformat(state["attempt_started_at"])
    return Attempt(
        attempt=state["attempt"],
        limit=limit_of(state["attempt"], state["limits"]["search"]),
        draft=state["draft"] or NOTHING,
        stop_reason=state["stop_reason"],
        grade=grade,
        queries=[],
        thoughts=state["thoughts"],
        evidence=state["evidence"],
        calls=[call for call in state["tool_calls"] if call["attempt"] == state["attempt"]],
        started_at=state["attempt_started_at"],
        duration_ms=round((now - started).total_seconds() * 1000),
    )


def open_result(state: AgentState, usage: Usage) -> TurnResult:
    """Return what is known of a turn without its answer; `usage` is that of all model calls."""
    horizon = horizon_of(state)
    noted = next((call["warning"] for call in state["tool_calls"] if call["warning"]), None)
    return TurnResult(
        question=state["question"],
        resolved_question=state["resolved_question"],
        resolutions=state["resolutions"],
        candidates=state["candidates"],
        answer="",
        tool_calls=[
            CallSummary(
                call=call["call"],
                attempt=call["attempt"],
                round=call["round"],
                tool=call["tool"],
                args=call["args"],
                ok=call["ok"],
                items=call["items"],
                evidence=call["evidence"],
            )
            for call in state["tool_calls"]
        ],
        library=state["library"],
        as_of=AsOf(part=horizon.part, chapter=horizon.chapter) if horizon else None,
        language=state["language"],
        mode=state["mode"],
        degraded=state["degraded"],
        warning=joined_warning(state["warning"], noted),
        thread_id=state["thread_id"],
        trace_id=state["trace_id"],
        usage=usage,
        remembered=state["kept"],
    )


def final_result(
    open_turn: TurnResult,
    attempts: Sequence[Attempt],
    attempt: Attempt,
    answer: tuple[str, Sequence[Citation]],
    evidence: Sequence[Evidence],
) -> TurnResult:
    """Return the result of a turn.

    `open_turn` is what is known without the answer; `evidence` that of the returned attempt, best first.
    """
    draft, grade = attempt["draft"], attempt["grade"]
    confidence = confidence_of(draft, grade, is_degraded=open_turn.degraded)
    if grade and draft["status"] == "not_found" and grade.get("by") == CODE:
        grade = None  # its points only tell the loop to search on
    told = {
        "answer": answer[0],
        "status": draft["status"],
        "confidence": confidence,
        "passed": grade["passed"] if grade else None,
        "grade": grade,
        "graded_by": grade.get("by") if grade else None,
        "notes": draft["notes"],
        "extract": any(one["role"] == "notice" for one in draft["sentences"]),
        "attempt": attempt["attempt"],
        "attempts": [
            AttemptSummary(
                attempt=one["attempt"],
                limit=one["limit"],
                answer=marked_text(one["draft"]["sentences"], one["evidence"])[:ATTEMPT_ANSWER],
                stop_reason=one["stop_reason"],
                grade=one["grade"],
                passed=verdict_of(one),
                fail_reason=one["grade"]["fail_reason"] if one["grade"] else None,
                tool_calls=len(one["calls"]),
            )
            for one in attempts
        ],
        "citations": list(answer[1]),
        "evidence": list(evidence),
    }
    return open_turn.model_copy(update=told)


def verdict_of(attempt: Attempt) -> bool | None:
    return attempt["grade"]["passed"] if attempt["grade"] else None


def trace_record(
    state: AgentState,
    attempts: Sequence[Attempt],
    result: TurnResult,
    now: datetime,
    mind: Mind,
    status: Literal["finished", "cancelled", "failed"] = "finished",
) -> dict[str, Any]:
    kept = result.model_dump(mode="json", include=SHARED)
    return {
        **kept,
        "user_id": state.get("owner"),
        "is_kept": state.get("keep_trace", True),
        "query": result.question,
        "resolved_query": result.resolved_question,
        "config": {
            "agent_model": mind.agent_model or mind.name,
            "grader_model": mind.grader_model or ("offline" if mind.agent_model else mind.name),
            "max_retries": state["limits"]["attempts"],
        },
        "attempts": [attempt_record(attempt, state["resolved_question"]) for attempt in attempts],
        "final_response": result.answer,
        "evidence": [
            {"tool": tool, "library": library}  # that of a network is the network's id
            for tool, library in sorted({(e["tool"], e["library"] or "") for one in attempts for e in one["evidence"]})
        ],
        **({"remembered": result.remembered} if result.remembered else {}),
        "outcome": result.status,
        "status": status,
        "started_at": state["started_at"],
        "total_duration_ms": round((now - datetime.fromisoformat(state["started_at"])).total_seconds() * 1000),
    }


def attempt_record(attempt: Attempt, question: str) -> dict[str, Any]:
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
            "output": {key: grade.get(key) for key in GRADED} if grade else None,
        },
        "refiner": {"queries": attempt["queries"]},
    }


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
