"""How probable it is that an answer is right, where its grader does not say so itself, as a model's does not."""

from typing import Final

from state.draft import CODE, Draft, Grade
from tools.probability import logistic

CLEAN, DOUBTFUL = 1.5, -4.0
"""Log odds that an answer says nothing wrong: of one without a doubtful sentence, and what all of them being doubtful
adds. Fitted by logistic regression to 99 checked drafts of `benchmarks/drafts`, Brier score 0.17 on the 36 others (the
share of right ones alone: 0.23)."""
UNSURE = 0.7
"""The most that is claimed after a failure, or where no grader has judged: below what is called high."""
HIGH: Final = 0.75
FAIR: Final = 0.5
"""Probabilities from which on an answer is called so; what is below both is low."""
NOTHING_LEFT = 0.25
"""That nothing answers, where the check has deleted all that a model wrote."""


def confidence_of(draft: Draft, grade: Grade | None, *, is_degraded: bool) -> float | None:
    """Return the probability that a draft is right, of a refusal that nothing answers; None for what is neither."""
    if draft["status"] not in ("answer", "not_found"):
        return None
    known = grade.get("confidence") if grade else None
    is_refusal = draft["status"] == "not_found"
    if known is None and is_refusal:
        known = NOTHING_LEFT if draft["refused"] == "nothing_left" else UNSURE
    elif known is None:
        sentences = [one for one in draft["sentences"] if one["text"].strip()]
        share = sum(one.get("doubtful", False) for one in sentences) / max(1, len(sentences))
        known = logistic(CLEAN + DOUBTFUL * share)
    is_judged = grade is not None and (grade["passed"] or (is_refusal and grade.get("by") == CODE))
    return round(known if is_judged and not is_degraded else min(known, UNSURE), 2)
