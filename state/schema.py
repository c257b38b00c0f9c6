"""The records of a run, as plain data, which checkpoints, traces and clients hold."""

from typing import Annotated, Any, Literal, NotRequired

from langchain_core.messages import AnyMessage
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from state.context import Language
from state.draft import Draft, Grade
from state.messages import merge_said
from state.session import Session, SessionContext

EvidenceKind = Literal["passage", "relation", "event", "property", "memory", "document"]
StopReason = Literal["sufficient", "max_turns", "not_found", "unknown"]
TurnStatus = Literal["open", "small_talk", "ready", "statement", "timed_out", "out_of_tokens", "failed"]
"""What became of a turn: the mind works on it; it is talk, or was answered at once, so that nothing is searched; it
asks nothing, but has something remembered or forgotten; its time or its tokens are spent; a model or a store failed."""
Role = Literal["resolver", "planner", "recaller", "expander", "grader", "refiner", "learner", "judge"]


INNER = Field(exclude=True)  # of a key that no record, and no schema of one, has


class Edge(TypedDict):
    """A relation of a story between two entities; `description` is '' if there is none."""

    source: str
    type: str
    target: str
    description: str


class Evidence(TypedDict):
    """One piece that a tool fetched: one passage, relation or event. `text` is verbatim for passages.

    `start` and `end` are half-open character offsets of `text` (for relations and events: of the quoted
    evidence) in the stored chapter, None where the piece has no place in a text.

    What `text` says is kept apart as well where the tool knows it, for the turn and for no client: `edge` of a relation
    of a story, `quote` of what was drawn from a text, `value` of a row of a network or table under its label, `table`
    of a chunk: the sheet and headings that a table in it has, `document` of a chunk: the id of its document,
    `past` of a memory that a newer one replaced.
    """

    id: str
    kind: EvidenceKind
    tool: str
    call: int
    text: str
    score: float | None
    library: str
    source: str | None
    part: int | None
    chapter: int | None
    title: str | None
    event_order: int | None
    entities: list[str]
    location: str | None
    start: int | None
    end: int | None
    edge: NotRequired[Annotated[SkipJsonSchema[Edge], INNER]]
    quote: NotRequired[Annotated[SkipJsonSchema[str], INNER]]
    value: NotRequired[Annotated[SkipJsonSchema[str], INNER]]
    table: NotRequired[Annotated[SkipJsonSchema[str], INNER]]
    document: NotRequired[Annotated[SkipJsonSchema[str], INNER]]
    past: NotRequired[Annotated[SkipJsonSchema[bool], INNER]]


class CallRecord(TypedDict):
    """One executed or refused call. `evidence` holds ids of pieces.

    `content` goes back to the model, its rows marked; `result` is the same, unmarked, of at most 2,000 characters.

    `steps` are calls that the tool made itself: those of a recall.
    `warning` is for the caller, of a call that succeeded all the same.
    """

    call: int
    attempt: int
    round: int
    tool: str
    args: dict[str, Any]
    limit: int
    ok: bool
    executed: bool
    items: int
    evidence: list[str]
    content: str
    result: str
    cut: bool
    started_at: str
    duration_ms: int
    warning: str | None
    steps: NotRequired[list[dict[str, Any]]]


class ResolvedMention(TypedDict):
    """A word and the entity that replaced it; a dropped subject has the mention ''."""

    mention: str
    entity: str


class Candidate(TypedDict):
    """A name that words of a question may stand for, and the question with it in their place."""

    entity: str
    question: str


class Thought(TypedDict):
    """Text beside calls; `call` is the number of the first of them."""

    call: int
    text: str


class Attempt(TypedDict):
    """A finished attempt with everything that its trace needs."""

    attempt: int
    limit: int
    draft: Draft
    stop_reason: StopReason | None
    grade: Grade | None
    queries: list[str]
    thoughts: list[Thought]
    evidence: list[Evidence]
    calls: list[CallRecord]
    started_at: str
    duration_ms: int


class UsageRow(TypedDict):
    """The cost of one call of a role: `output_tokens` include the thinking, `input_tokens` the cached ones."""

    role: Role
    attempt: int
    model: str
    calls: int
    input_tokens: int
    output_tokens: int
    thinking_tokens: int
    cached_tokens: int
    seconds: float


class Rescue(TypedDict):
    """Why the first step runs again without its model or store.

    `degraded`: the question goes on with the fallback mind; `usage`: what was paid before the failure.
    """

    reason: str
    degraded: bool
    usage: list[UsageRow]


Outcome = Literal["kept", "known", "superseded", "forgotten"]


class KeptMemory(TypedDict):
    """A memory that was kept of a turn, or forgotten by it."""

    memory_key: str
    summary: str
    memory_type: str
    outcome: Outcome
    supersedes: Annotated[list[str], Field(description="Keys of the memories that it replaces")]


class AgentInput(TypedDict):
    """The input of a run: the last message is the question, earlier ones are the conversation so far."""

    messages: Annotated[list[AnyMessage], merge_said]
    session_context: NotRequired[SessionContext | None]


class AgentOutput(TypedDict):
    """The output of a run: the session's messages and the result record."""

    messages: Annotated[list[AnyMessage], merge_said]
    result: dict[str, Any]


class TurnLimits(TypedDict):
    """The caps of this question; `search` holds the rows of search_memory per attempt, its last value repeats."""

    attempts: int
    turns: int
    calls: int
    search: list[int]


class PendingCall(TypedDict):
    """A call of the last model turn that has no result yet.

    One of the code has its own `rows` of search_memory, and may have its own `budget` of characters.
    """

    id: str
    name: str
    args: dict[str, Any]
    rows: NotRequired[int]
    budget: NotRequired[int]


class AgentState(AgentInput):
    """Everything between two steps of a turn. resolve_pronouns sets every key; on a thread's first turn none is there.

    `transcript` holds the attempt's working messages as plain data (`nodes.drafts` packs them), so that
    neither a stream of messages nor the session ever shows a draft or a tool's message. `as_of` is the spoiler guard,
    [part, chapter]. `rescue` is never stored: the error handler sends it along when the turn's first step has failed.
    `degraded`: the fallback mind works on the turn.
    """

    session: Session
    owner: NotRequired[str | None]
    keep_trace: NotRequired[bool]
    rescue: NotRequired[Rescue | None]
    limits: TurnLimits
    thread_id: str | None
    library: str
    title: str
    as_of: list[int] | None
    trace_id: str
    started_at: str
    deadline_at: float
    question: str
    language: Language
    mode: Literal["agent", "rag"]
    remember: bool
    resolved_question: str
    resolutions: list[ResolvedMention]
    candidates: list[Candidate]
    entities: list[str]
    topic: str | None
    status: TurnStatus
    degraded: bool
    toolkits: list[str]
    attempt: int
    attempt_started_at: str
    turns: int
    executed_calls: int
    queries: list[str]
    transcript: list[dict[str, Any]]
    pending: list[PendingCall]
    thoughts: list[Thought]
    tool_calls: list[CallRecord]
    evidence: list[Evidence]
    draft: Draft | None
    stop_reason: StopReason | None
    grade: Grade | None
    attempts: list[Attempt]
    usage: list[UsageRow]
    warning: str | None
    kept: list[KeptMemory]
    result: dict[str, Any]
