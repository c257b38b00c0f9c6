"""Where a turn goes next. Pure: counters live in state."""

from collections.abc import Awaitable, Callable, Mapping
from functools import wraps
from typing import Literal, TypeVar

from nodes.grade import is_ungraded
from state.recall import RecallState
from state.schema import AgentState
from tools.errors import InputError
from tools.messages import Message

StateT = TypeVar("StateT", bound=Mapping[str, object])
NextT = TypeVar("NextT", bound=str)


def run_inline(route: Callable[[StateT], NextT]) -> Callable[[StateT], Awaitable[NextT]]:
    """Return a routing function that LangGraph calls in the loop: a plain one it sends to a thread and waits for.

    It raises InputError for a step of a turn on a thread that has none.
    """

    @wraps(route)
    async def routed(state: StateT) -> NextT:
        try:
            return route(state)
        except KeyError as missing:
            if "trace_id" in state:
                raise
            # A state that no turn wrote, by `update_state`.
            raise InputError(Message("run.no_turn_yet")) from missing

    return routed


def after_resolve(state: AgentState) -> Literal["plan", "tool_call", "remember"]:
    """What asks nothing is remembered; in rag mode the one fixed call is already pending; else the planner begins."""
    if state["status"] == "statement":
        return "remember"
    return "tool_call" if state["pending"] else "plan"


def after_plan(state: AgentState) -> Literal["tool_call", "grade", "answer"]:
    """Calls are run; a draft is graded where the turn is open.

    What the fallback mind wrote from the evidence of a turn out of tokens is graded by it: that costs none.
    """
    if state["pending"]:
        return "tool_call"
    is_open = state["status"] == "open" or (state["status"] == "out_of_tokens" and state["degraded"])
    return "grade" if is_open else "answer"


def after_grade(state: AgentState) -> Literal["refine", "answer"]:
    """Another attempt only after a graded failure, while attempts and tokens are left; rag mode has one."""
    grade = state["grade"]
    is_over = state["status"] != "open" or state["mode"] == "rag"
    if grade is None or grade["passed"] or is_ungraded(grade) or is_over:
        return "answer"
    return "refine" if state["attempt"] < state["limits"]["attempts"] else "answer"


def after_refine(state: AgentState) -> Literal["plan", "answer"]:
    """A fresh attempt has no draft yet; where the old draft is kept, another attempt would see nothing new."""
    return "plan" if state["draft"] is None else "answer"


def after_answer(state: AgentState) -> Literal["remember", "__end__"]:
    """A turn is kept only where the user wants it, and never small talk or a failure: they teach nothing.

    Messages that are written into a new thread as if they had been answered belong to no turn.
    """
    teaches = state.get("status", "ready") not in ("small_talk", "ready", "statement", "failed")
    return "remember" if teaches and state["remember"] else "__end__"


def after_remember(state: AgentState) -> Literal["answer", "__end__"]:
    """What was told is acknowledged once it is known what was done; else the answer was given before."""
    is_told = state.get("status") == "statement" and not state["result"]
    return "answer" if is_told else "__end__"


def after_plan_recall(state: RecallState) -> Literal["run_recall", "end_recall"]:
    """Calls are run; a text, a cap or the deadline ends the recall."""
    return "end_recall" if state["is_over"] else "run_recall"


def before_plan_recall(state: RecallState) -> Literal["plan_recall", "end_recall"]:
    """Only a handoff is the normal end; an expansion goes on with more messages. Without a user nothing is read."""
    return "end_recall" if state["is_over"] else "plan_recall"
