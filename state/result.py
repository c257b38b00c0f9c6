"""The result of a turn: one typed record, which Python, `ask --json`, HTTP and the trace share."""

from typing import Annotated, Any, NotRequired

from pydantic import BaseModel, Field
from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from state.context import Language, Mode
from state.draft import DraftOutcome, Grade, Note
from state.schema import Candidate, Evidence, KeptMemory, ResolvedMention, StopReason, UsageRow


class Citation(TypedDict):
    """A quotation behind a mark `[n]` of the answer."""

    n: int
    label: Annotated[str, Field(description="Where the quote stands, as a reader calls it: 《书名》第二部 第七章 潮生")]
    evidence: Annotated[str, Field(description="Id of the piece of evidence that is quoted")]
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    quote: Annotated[str, Field(description="Words of the source, verbatim")]
    start: Annotated[int | None, Field(description="Where the quote begins in its chapter, in Unicode characters")]
    end: Annotated[int | None, Field(description="Where it ends: the first character behind it")]
    location: str | None


class CallSummary(TypedDict):
    """A call of a tool."""

    call: Annotated[int, Field(description="Counts the calls of a question from 1")]
    attempt: int
    round: Annotated[int, Field(description="The model turn of its attempt; 0 for a search that code made")]
    tool: str
    args: dict[str, Any]
    ok: Annotated[bool, Field(description="False for an error as its result")]
    items: Annotated[int, Field(description="How many rows it found")]
    evidence: NotRequired[Annotated[list[str], Field(description="Ids of the pieces among them; older turns lack it")]]


class AttemptSummary(TypedDict):
    """One draft with its verdict."""

    attempt: Annotated[int, Field(description="From 1")]
    limit: Annotated[int, Field(description="Rows of a search")]
    answer: Annotated[str, Field(description="The first 200 characters of the draft")]
    stop_reason: StopReason | None
    grade: Grade | None
    passed: bool | None
    fail_reason: str | None
    tool_calls: Annotated[int, Field(description="How many calls it made")]


class UsageShare(UsageRow):
    """What one role spent on one model in one attempt."""

    cost_usd: float | None


class Usage(TypedDict, total=False):
    """What the model calls of a question cost; empty without any. `seconds` are those of waiting for models."""

    calls: int
    input_tokens: int
    output_tokens: int
    thinking_tokens: int
    cached_tokens: int
    total_tokens: int
    seconds: float
    cost_usd: Annotated[float | None, Field(description="US dollars, null where a price is not known")]
    by: list[UsageShare]


class AsOf(TypedDict):
    """A spoiler guard: nothing after this chapter was seen."""

    part: int
    chapter: int


class TurnResult(BaseModel):
    """A question, its answer, and what the answer rests on. Of older turns only question and answer are known."""

    question: str = Field(description="As asked")
    resolved_question: str | None = Field(default=None, description="As understood: names in place of pronouns")
    resolutions: list[ResolvedMention] = Field(default=[], description="Which word became which entity")
    candidates: list[Candidate] = Field(
        default=[],
        description="What a reference may mean that was left as it stands, or else what one may that was replaced; the "
        "likeliest first, each with the question that has its name",
    )
    answer: str = Field(description="The text, with marks [1] that `citations` explain")
    status: DraftOutcome | None = Field(default=None, description="What the text is")
    confidence: float | None = Field(
        default=None,
        description="Probability (0 to 1) that the answer is right, of `not_found` that the sources do not answer; "
        "null for what is neither",
    )
    passed: bool | None = Field(default=None, description="The verdict; null where nothing was graded")
    grade: Grade | None = Field(default=None, description="Five scores of 0 to 20, their sum, and why")
    graded_by: str | None = Field(default=None, description="Who judged: a model's id, `offline`, or `code`")
    notes: list[Note] = Field(
        default=[], description="Sentences that the check dropped or flagged, citations that it moved"
    )
    attempt: int | None = Field(default=None, description="The attempt that is returned, from 1")
    attempts: list[AttemptSummary] = []
    citations: list[Citation] = []
    evidence: list[Evidence] = Field(default=[], description="Every piece of the returned attempt, best first")
    tool_calls: list[CallSummary] = Field(default=[], description="Every call of the question, all attempts")
    library: str | None = None
    as_of: AsOf | None = None
    language: Language | None = Field(default=None, description="Of the answer")
    mode: Mode | None = None
    mind: str | None = Field(default=None, description="Which mind answered")
    degraded: bool = Field(default=False, description="The offline mind took over from a model that failed")
    extract: bool = Field(
        default=False, description="The reading model is missing: sentences were picked by their words"
    )
    warning: str | None = Field(default=None, description="What went wrong, and which setting to look at")
    thread_id: str | None = Field(default=None, description="The session, to ask on")
    trace_id: str | None = None
    trace: str | None = Field(default=None, description="Path of the trace's file")
    usage: Usage = Field(default_factory=Usage)
    remembered: list[KeptMemory] = []

    @property
    def record(self) -> dict[str, Any]:
        """The result as plain data: what checkpoints, clients and traces hold."""
        return self.model_dump(mode="json")
