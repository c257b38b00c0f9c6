"""Verdicts that need no grader: nothing was looked up, nothing was found, nothing is left of a draft."""

from nodes.grading.gates import NO_SCORES, graded, of_refusal
from nodes.grading.opinions import Verdict
from nodes.policy import DIMENSION_MAX
from nodes.prompts.hints import NO_CALL_SUGGESTION, NOT_FOUND_SUGGESTION, NOTHING_LEFT_SUGGESTION
from state.draft import Draft
from state.grading import Grade, Scores
from state.schema import AgentState, CallRecord
from tools.control import STOP

LEAST_SEARCHES = 2
"""Different searches after which a refusal may be right."""


def verdict_by_code(state: AgentState, draft: Draft, *, asks_of_refusals: bool) -> Grade | None:
    """Return the verdict on a draft that no grader need see, None for any other.

    With `asks_of_refusals` a grader is asked whether the evidence answers although a draft says that it does not.
    """
    language = state["language"]
    if not any(call["executed"] for call in state["tool_calls"]):
        verdict = Verdict(question_type="fact", scores=NO_SCORES, reason="", suggestion=NO_CALL_SUGGESTION[language])
        return graded(verdict, language=language)
    if draft["refused"] == "nothing_left":
        return nothing_found(state, NOTHING_LEFT_SUGGESTION[language])
    if draft["status"] == "failed":
        return nothing_found(state, NOT_FOUND_SUGGESTION[language])
    is_plain = draft["status"] == "not_found" and draft["by"] != "model"
    if not is_plain or (asks_of_refusals and state["evidence"]):
        return None
    found = nothing_found(state, NOT_FOUND_SUGGESTION[language])
    return found if state["evidence"] else of_refusal(found, too_few(state))


def nothing_found(state: AgentState, suggestion: str) -> Grade:
    """Return the verdict on a draft without an answer."""
    scores = Scores(tool_usage=DIMENSION_MAX, evidence=0, completeness=0, citation=0, depth=0)
    verdict = Verdict(question_type="fact", scores=scores, reason="not found", suggestion=suggestion)
    return graded(verdict, language=state["language"])


def too_few(state: AgentState) -> str:
    """Return what fails a refusal after less than two different searches, '' after more."""
    count = len({searched(call) for call in state["tool_calls"] if call["executed"] and call["ok"] and searched(call)})
    return "" if count >= LEAST_SEARCHES else f"searches={count} < {LEAST_SEARCHES}"


def early_refusal(state: AgentState, draft: Draft) -> Grade | None:
    """Return the verdict on a refusal after too few searches while another attempt is left; no grader need see it."""
    is_last = state["attempt"] >= state["limits"]["attempts"]
    if is_last or not too_few(state) or draft["status"] != "not_found":
        return None
    return of_refusal(nothing_found(state, NOT_FOUND_SUGGESTION[state["language"]]), too_few(state))


def searched(call: CallRecord) -> tuple[str, str] | None:
    """Return what a call looked for, None for one that looked for nothing."""
    return None if call["tool"] == STOP else (call["tool"], repr(sorted(call["args"].items())))
