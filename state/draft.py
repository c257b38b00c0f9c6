"""A draft as data: its sentences with the evidence that they cite, why it refuses, and what is found of it."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

QuestionType = Literal["relation", "fact", "journey", "detail"]
NoteAction = Literal["dropped", "moved", "flagged", "replaced"]
NoteReason = Literal[
    "unmarked",
    "unsupported",
    "contradicted",
    "quotation",
    "number",
    "name",
    "address",
    "instruction",
    "code",
    "answered",
]


Gate = Literal["depth", "evidence", "total", "unsupported", "searches", "refusal", "ungraded"]
"""Why a draft did not pass: points for depth, for evidence, in all; claims without support; a refusal after too few
searches; a refusal although the evidence answers; no grader could judge it."""
CODE = "code"  # who judged a draft that needs no grader


class Note(TypedDict):
    """What the check by code, or the grader, found of a sentence of a draft or a part of it, and what became of it.

    `replaced`: the answer of the mind without a model stands in the place of what a small model wrote.

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


DraftOutcome = Literal["answer", "not_found", "clarify", "chat", "failed"]
"""What a text is: an answer, a refusal, a question back, talk that needs no search, an apology."""
Writer = Literal["model", "rules", "code"]
"""Who wrote a draft: a model, whose words are checked; the mind without a model; the loop itself, in fixed words."""
SentenceRole = Literal["answer", "see_also", "notice"]
Refusal = Literal["no_evidence", "unlikely", "unknown_name", "nothing_left", "own_words"]
"""Why a draft does not answer: nothing was found; nothing answers surely enough; no text has a name of the question;
the check left none of its sentences; a model says so in its own words."""


class Mark(TypedDict):
    """A citation within a sentence.

    `at`: offset in the text; `piece`: id of the evidence, None for a number that names none; `spaced`: a blank was
    written before it.
    """

    at: int
    piece: str | None
    spaced: bool


class Sentence(TypedDict):
    """A sentence of a draft, with the blanks behind it and without its marks, which are kept beside it.

    `role`: whether it answers, says where else to look, or says something of the answer itself. `doubtful`: the check
    or the grader sees no support for it.
    """

    text: str
    marks: list[Mark]
    role: SentenceRole
    doubtful: NotRequired[bool]


class Draft(TypedDict):
    """A draft of an answer.

    Attributes:
        sentences: joined, their texts are the text of the draft.
        refused: why it does not answer, None for a draft that does.
        confidence: probability (0..1) that it is right, of a refusal that nothing answers; None where its writer
            gives none.
        notes: what the check by code and the grader dropped, moved or flagged.
        verified: code has seen every statement word for word in a piece that it cites.
        unfinished: why its text has no end, of one that the model, or its service, broke off.
    """

    status: DraftOutcome
    by: Writer
    sentences: list[Sentence]
    refused: Refusal | None
    confidence: float | None
    notes: list[Note]
    verified: bool
    unfinished: NotRequired[str]
