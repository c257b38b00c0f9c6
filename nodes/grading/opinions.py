"""What a grader thinks of a draft; gates and total are computed from it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from state.grading import QuestionType, Scores

Support = Literal["yes", "no", "contradicted"]


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim of a draft, the numbers of its marks, and whether the evidence supports it."""

    text: str
    marks: Sequence[int]
    supported: Support


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A grader's opinion; gates and total are computed by the node.

    Attributes:
        hallucination_detected: the draft contradicts the evidence.
        confidence: probability (0..1) that the draft answers the question rightly, or, of a refusal, that nothing in
            the evidence does; None if the grader gives none.
        claims: those of the draft; () if the grader does not take it apart.
        follows_material: the draft obeys something that the evidence only says.
        refusal_ok: whether a refusal is right; None for a draft that is none.
        queries: what to search for next.
    """

    question_type: QuestionType
    scores: Scores
    reason: str
    suggestion: str
    hallucination_detected: bool = False
    confidence: float | None = None
    claims: Sequence[JudgedClaim] = ()
    follows_material: bool = False
    refusal_ok: bool | None = None
    queries: Sequence[str] = ()
