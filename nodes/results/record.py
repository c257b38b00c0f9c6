"""The result of a turn, made from its state and the attempt that is returned."""

from collections.abc import Sequence

from nodes.policy import ATTEMPT_ANSWER
from nodes.results.notices import warning_of
from nodes.results.verdict import TurnVerdict
from nodes.scope import horizon_of
from state.result import AsOf, AttemptSummary, CallSummary, Citation, TurnResult, Usage
from state.schema import AgentState, Attempt, CallRecord, Evidence


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
    verdict: TurnVerdict,
    attempts: Sequence[Attempt],
    attempt: Attempt,
    answer: tuple[str, Sequence[Citation]],
    evidence: Sequence[Evidence],
) -> TurnResult:
    """Return the result of a turn.

    Args:
        open_turn: what is known without the answer.
        verdict: on the attempt that is returned.
        attempts: every attempt, the oldest first.
        attempt: the one that is returned.
        answer: the text with numbered citations, and these.
        evidence: that of the returned attempt, best first.
    """
    told = {
        "answer": answer[0],
        "status": verdict.status,
        "confidence": verdict.confidence,
        "passed": verdict.passed,
        "grade": verdict.grade,
        "graded_by": verdict.grade.get("by") if verdict.grade else None,
        "notes": attempt["notes"],
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
        answer=attempt["draft"][:ATTEMPT_ANSWER],
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
