"""Attempts as they end."""

from datetime import datetime

from nodes.drafts import NOTHING
from nodes.policy import limit_of
from state.grading import Grade
from state.schema import AgentState, Attempt


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
