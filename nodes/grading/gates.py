"""The gates of a verdict: its total is computed, every dimension clamped, every failed gate named."""

from collections.abc import Sequence
from typing import get_args

from nodes.grading.opinions import JudgedClaim, Verdict
from nodes.policy import DEPTH_GATE, DIMENSION_MAX, EVIDENCE_GATE, TOTAL_GATE
from nodes.prompts.hints import HARD_GATE, MORE_SUGGESTION, UNGRADED_SUGGESTION
from nodes.results.verdict import CODE
from state.context import Language
from state.grading import Grade, QuestionType, Scores

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
