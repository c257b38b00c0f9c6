"""The result record: what a caller reads of a turn, as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nodes.policy import ATTEMPT_ANSWER
from nodes.results.notices import warning_of
from nodes.results.verdict import TurnVerdict
from nodes.scope import horizon_of
from state.schema import AgentState, Attempt, CallRecord, Citation, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """Everything that a result record is made from.

    Attributes:
        attempts: every attempt, the oldest first; `attempt` is the one whose answer is returned.
        verdict: on that attempt.
        text: the answer with numbered citations.
        evidence: that of the returned attempt, best first.
        mind: name of the mind that answered.
        trace: path of the trace, None if it could not be written.
        usage: tokens and cost of all model calls.
    """

    state: AgentState
    attempts: Sequence[Attempt]
    attempt: Attempt
    verdict: TurnVerdict
    text: str
    citations: Sequence[Citation]
    evidence: Sequence[Evidence]
    mind: str
    trace: str | None
    usage: dict[str, Any]


def result_record(turn: FinishedTurn) -> dict[str, Any]:
    """Return the record of a turn; its keys are documented in docs/reference."""
    state = turn.state
    return {
        "question": state["question"],
        "resolved_question": state["resolved_question"],
        "resolutions": state["resolutions"],
        "answer": turn.text,
        "status": turn.verdict.status,
        "confidence": turn.verdict.confidence,
        "passed": turn.verdict.passed,
        "grade": turn.verdict.grade,
        "graded_by": turn.verdict.grade.get("by") if turn.verdict.grade else None,
        "notes": list(turn.attempt["notes"]),
        "attempt": turn.attempt["attempt"],
        "attempts": [summary(one) for one in turn.attempts],
        "citations": list(turn.citations),
        "evidence": list(turn.evidence),
        "tool_calls": [call_summary(call) for call in state["tool_calls"]],
        "library": state["library"],
        "as_of": guard_record(state),
        "language": state["language"],
        "mode": state["mode"],
        "mind": turn.mind,
        "degraded": state["degraded"],
        "warning": warning_of(state),
        "thread_id": state["thread_id"],
        "trace_id": state["trace_id"],
        "trace": turn.trace,
        "usage": turn.usage,
        "remembered": [],
    }


def guard_record(state: AgentState) -> dict[str, int] | None:
    """Return the spoiler guard of a turn as results and traces name it, None without one."""
    horizon = horizon_of(state)
    return {"part": horizon.part, "chapter": horizon.chapter} if horizon else None


def passed(attempt: Attempt) -> bool | None:
    """Return the verdict, None for a draft that was not graded."""
    return attempt["grade"]["passed"] if attempt["grade"] else None


def score(attempt: Attempt) -> int:
    """Return the total, -1 without a grade."""
    return attempt["grade"]["score"] if attempt["grade"] else -1


def summary(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt as the result lists it."""
    grade = attempt["grade"]
    return {
        "attempt": attempt["attempt"],
        "limit": attempt["limit"],
        "answer": attempt["draft"][:ATTEMPT_ANSWER],
        "stop_reason": attempt["stop_reason"],
        "grade": grade,
        "passed": passed(attempt),
        "fail_reason": grade["fail_reason"] if grade else None,
        "tool_calls": len(attempt["calls"]),
    }


def call_summary(call: CallRecord) -> dict[str, Any]:
    """Return a call as the result lists it."""
    return {key: call[key] for key in ("call", "attempt", "round", "tool", "args", "ok", "items")}
