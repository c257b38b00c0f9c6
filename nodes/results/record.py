"""Attempts as they end, and the result of a turn: made from its state and the attempt that is returned."""

from collections.abc import Sequence
from datetime import datetime

from nodes.drafts import NOTHING
from nodes.grading.gates import CODE
from nodes.policy import ATTEMPT_ANSWER, limit_of
from nodes.results.citations import marked_text
from nodes.results.notices import warning_of
from nodes.scope import horizon_of
from state.grading import Grade
from state.result import AsOf, AttemptSummary, CallSummary, Citation, TurnResult, Usage
from state.schema import AgentState, Attempt, CallRecord, Evidence


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


def unanswered(state: AgentState, usage: Usage) -> TurnResult:
    """Return what is known of a turn without its answer; `usage` is that of all model calls."""
    horizon = horizon_of(state)
    return TurnResult(
        question=state["question"],
        resolved_question=state["resolved_question"],
        resolutions=state["resolutions"],
        answer="",
        tool_calls=[call_summary(call) for call in state["tool_calls"]],
        library=state["library"],
        as_of=AsOf(part=horizon.part, chapter=horizon.chapter) if horizon else None,
        language=state["language"],
        mode=state["mode"],
        degraded=state["degraded"],
        warning=warning_of(state),
        thread_id=state["thread_id"],
        trace_id=state["trace_id"],
        usage=usage,
    )


def answered(
    open_turn: TurnResult,
    attempts: Sequence[Attempt],
    attempt: Attempt,
    answer: tuple[str, Sequence[Citation]],
    evidence: Sequence[Evidence],
) -> TurnResult:
    """Return the result of a turn.

    Args:
        open_turn: what is known without the answer.
        attempts: every attempt, the oldest first.
        attempt: the one that is returned.
        answer: the text with numbered citations, and these.
        evidence: that of the returned attempt, best first.
    """
    draft, grade = attempt["draft"], attempt["grade"]
    confidence = grade.get("confidence") if grade else None
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
        "attempts": [summary(one) for one in attempts],
        "citations": list(answer[1]),
        "evidence": list(evidence),
    }
    return open_turn.model_copy(update=told)


def passed(attempt: Attempt) -> bool | None:
    """Return the verdict, None for a draft that was not graded."""
    return attempt["grade"]["passed"] if attempt["grade"] else None


def score(attempt: Attempt) -> int:
    """Return the total, -1 without a grade."""
    return attempt["grade"]["score"] if attempt["grade"] else -1


def summary(attempt: Attempt) -> AttemptSummary:
    """Return an attempt as the result lists it."""
    grade = attempt["grade"]
    return AttemptSummary(
        attempt=attempt["attempt"],
        limit=attempt["limit"],
        answer=marked_text(attempt["draft"]["sentences"], attempt["evidence"])[:ATTEMPT_ANSWER],
        stop_reason=attempt["stop_reason"],
        grade=grade,
        passed=passed(attempt),
        fail_reason=grade["fail_reason"] if grade else None,
        tool_calls=len(attempt["calls"]),
    )


def call_summary(call: CallRecord) -> CallSummary:
    """Return a call as the result lists it."""
    return CallSummary(
        call=call["call"],
        attempt=call["attempt"],
        round=call["round"],
        tool=call["tool"],
        args=call["args"],
        ok=call["ok"],
        items=call["items"],
    )
