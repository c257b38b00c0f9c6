"""Verdicts on drafts: the total is computed and every failed gate named; some drafts no grader need see."""

from collections.abc import Sequence
from typing import get_args

from nodes.grading.opinions import JudgedClaim, Verdict
from nodes.policy import DEPTH_GATE, DIMENSION_MAX, EVIDENCE_GATE, TOTAL_GATE
from nodes.prompts.hints import (
    HARD_GATE,
    MORE_SUGGESTION,
    NO_CALL_SUGGESTION,
    NOT_FOUND_SUGGESTION,
    NOTHING_LEFT_SUGGESTION,
    UNGRADED_SUGGESTION,
)
from state.context import Language
from state.draft import Draft
from state.grading import Grade, QuestionType, Scores
from state.schema import AgentState, CallRecord
from tools.control import STOP

CODE = "code"  # who judged a draft that needs no grader
LEAST_SEARCHES = 2
"""Different searches after which a refusal may be right."""
QUESTION_TYPES = get_args(QuestionType)
NO_SCORES = Scores(tool_usage=0, evidence=0, completeness=0, citation=0, depth=0)
UNGRADED = "ungraded"  # the fail_reason of a draft that no grader could judge
WRONG_REFUSAL = "refusal=wrong"  # the fail_reason of a refusal although the evidence answers
CLAIM_CHARACTERS = 200


def graded(verdict: Verdict, language: Language = "zh", by: str = CODE) -> Grade:
    """Compute total and gates from a verdict: each dimension is clamped, a missing one is 0.

    Evidence is the share of supported claims where there are claims.

    Args:
        verdict: the grader's opinion.
        language: of the reason.
        by: who judged.
    """
    points = {name: clamped(verdict.scores.get(name, 0)) for name in NO_SCORES}
    if verdict.claims:
        points["evidence"] = supported(verdict.claims)
    if verdict.hallucination_detected or verdict.follows_material:
        points["evidence"] = 0
    total = sum(points.values())
    scores = Scores(**points)  # type: ignore[typeddict-item]  # the names are those of Scores
    unsupported = [claim.text[:CLAIM_CHARACTERS] for claim in verdict.claims if claim.supported != "yes"]
    reason = fail_reason(scores, total, language, len(unsupported))
    return Grade(
        question_type=verdict.question_type if verdict.question_type in QUESTION_TYPES else "fact",
        scores=scores,
        score=total,
        reason=verdict.reason,
        suggestion=verdict.suggestion or MORE_SUGGESTION[language],
        hallucination_detected=verdict.hallucination_detected,
        passed=not reason,
        fail_reason=reason,
        confidence=probability(verdict.confidence),
        unsupported=unsupported,
        queries=list(verdict.queries),
        by=by,
    )


def supported(claims: Sequence[JudgedClaim]) -> int:
    """Score the share of claims that the evidence supports."""
    return round(DIMENSION_MAX * sum(claim.supported == "yes" for claim in claims) / len(claims))


def of_refusal(grade: Grade, fail: str = "") -> Grade:
    """Return the verdict on a refusal, which no points decide: it passes where nothing fails it."""
    return {**grade, "passed": not fail, "fail_reason": fail}


def probability(confidence: float | None) -> float | None:
    """Return a confidence within 0..1, None for none."""
    return None if confidence is None else max(0.0, min(1.0, confidence))


def clamped(score: object) -> int:
    """Return a score within 0..20."""
    return max(0, min(DIMENSION_MAX, int(score))) if isinstance(score, int | float) else 0


def fail_reason(scores: Scores, total: int, language: Language, unsupported: int = 0) -> str:
    """Name every failed gate in the order depth, evidence, total, unsupported claims."""
    gates = [("depth", scores["depth"], DEPTH_GATE), ("evidence", scores["evidence"], EVIDENCE_GATE)]
    failed = [f"{name}={value} < {least} ({HARD_GATE[language]})" for name, value, least in gates if value < least]
    failed += [f"score={total} < {TOTAL_GATE}"] if total < TOTAL_GATE else []
    return "; ".join([*failed, *([f"unsupported={unsupported}"] if unsupported else [])])


def ungraded(reason: str, language: Language) -> Grade:
    """Return the verdict of a grader that failed twice: not passed, and no further attempt."""
    verdict = Verdict(question_type="fact", scores=NO_SCORES, reason=reason, suggestion=UNGRADED_SUGGESTION[language])
    return {**graded(verdict, language=language), "fail_reason": UNGRADED}


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
