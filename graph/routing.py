"""Where a turn goes next. Pure: counters live in state."""

from typing import Literal

from nodes.grade import UNGRADED
from state.schema import AgentState


def after_resolve(state: AgentState) -> Literal["plan", "tool_call"]:
    """In rag mode the one fixed call is already pending; else the planner begins."""
    return "tool_call" if state["pending"] else "plan"


def after_plan(state: AgentState) -> Literal["tool_call", "grade", "answer"]:
    """Calls are run; a draft is graded, but for small talk, rag mode and a spent deadline (LOP-01, LOP-07)."""
    if state["pending"]:
        return "tool_call"
    return "answer" if state["small_talk"] or state["mode"] == "rag" or state["timed_out"] else "grade"


def after_grade(state: AgentState) -> Literal["refine", "answer"]:
    """Another attempt only after a graded failure, while attempts and time are left."""
    grade = state["grade"]
    if grade is None or grade["passed"] or grade["fail_reason"] == UNGRADED:
        return "answer"
    return "refine" if state["attempt"] < state["limits"]["attempts"] else "answer"
