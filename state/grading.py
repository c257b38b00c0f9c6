"""What is found of a draft: notes of the check by code, one a sentence, and the verdict of a grader."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

QuestionType = Literal["relation", "fact", "journey", "detail"]
NoteAction = Literal["dropped", "moved", "flagged"]
NoteReason = Literal[
    "unmarked", "unsupported", "quotation", "number", "name", "address", "instruction", "code", "answered"
]


Gate = Literal["depth", "evidence", "total", "unsupported", "searches", "refusal", "ungraded"]
"""Why a draft did not pass: points for depth, for evidence, in all; claims without support; a refusal after too few
searches; a refusal although the evidence answers; no grader could judge it."""
CODE = "code"
"""Who judged a draft that needs no grader."""


class Note(TypedDict):
    """What the check by code found of a sentence of a draft, and did with it.

    `evidence`: ids of the pieces that its marks name now, or, of a refusal, of those that seem to answer.
    """

    action: NoteAction
    reason: NoteReason
    text: str
    evidence: list[str]


class Scores(TypedDict):
    """The five dimensions, each 0..20."""

    tool_usage: int
    evidence: int
    completeness: int
    citation: int
    depth: int


class Grade(TypedDict):
    """A verdict on one draft; `confidence` is 0..1, None where the grader has none. Older grades lack the last keys.

    `unsupported`: claims that the grader found no evidence for; `queries`: what it would search for; `by`: the model,
    or the mind without one, that judged, or `code`; `failed`: the gates, of which `fail_reason` tells a person.
    """

    question_type: QuestionType
    scores: Scores
    score: int
    reason: str
    suggestion: str
    hallucination_detected: bool
    passed: bool
    fail_reason: str
    confidence: NotRequired[float | None]
    unsupported: NotRequired[list[str]]
    queries: NotRequired[list[str]]
    by: NotRequired[str]
    failed: NotRequired[list[Gate]]
