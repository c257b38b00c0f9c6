"""What a turn came to: its status, and the verdict on the attempt that is returned."""

from dataclasses import dataclass

from state.draft import Status
from state.grading import Grade
from state.schema import Attempt

CODE = "code"  # who judged a draft that needs no grader


@dataclass(frozen=True, slots=True)
class TurnVerdict:
    """The verdict on a finished turn.

    Attributes:
        status: what the text is.
        grade: None where nothing was graded, and for a refusal that the code wrote: its points only tell the loop to
            search on.
        confidence: probability (0..1) that the answer is right, for a refusal that nothing answers; None if unknown.
    """

    status: Status
    grade: Grade | None
    confidence: float | None

    @property
    def passed(self) -> bool | None:
        """Whether the draft passed, None without a grade."""
        return self.grade["passed"] if self.grade else None


def turn_verdict(attempt: Attempt) -> TurnVerdict:
    """Return the verdict on a turn that returns this attempt."""
    status, grade = attempt["draft"]["status"], attempt["grade"]
    confidence = grade.get("confidence") if grade else None
    by_code = status == "not_found" and grade is not None and grade.get("by") == CODE
    return TurnVerdict(status, None if by_code else grade, confidence)
