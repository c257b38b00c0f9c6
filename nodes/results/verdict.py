"""What a turn came to: its status, and the verdict on the attempt that is returned."""

from dataclasses import dataclass

from nodes.prompts.chinese import apologies, refuses
from state.grading import Grade
from state.schema import AgentState, Attempt, Status

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


def turn_verdict(state: AgentState, attempt: Attempt) -> TurnVerdict:
    """Return the verdict on a turn that returns this attempt."""
    status, grade = status_of(state, attempt), attempt["grade"]
    confidence = grade.get("confidence") if grade else None
    by_code = status == "not_found" and grade is not None and grade.get("by") == CODE
    return TurnVerdict(status, None if by_code else grade, confidence)


def status_of(state: AgentState, attempt: Attempt) -> Status:
    """Return what the attempt's text is: an apology, a refusal, a question back, chat, or an answer."""
    draft, language = attempt["draft"], state["language"]
    if draft in apologies(language):
        return "failed"
    if refuses(draft, language):
        return "not_found"
    if attempt["status"]:
        return attempt["status"]
    return "chat" if state["small_talk"] or state["ready"] else "answer"
