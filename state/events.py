"""What a running question shows as it goes: the chunks of LangGraph's `custom` stream, told apart by `event`."""

from typing import Any, Literal

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from state.draft import DraftOutcome, Grade, Note
from state.result import Citation
from state.schema import KeptMemory

WithdrawnBecause = Literal["calls", "interrupted", "failed", "earlier", "replaced"]


class StepEvent(TypedDict):
    """A step of the turn begins; `node` is its name in the graph."""

    event: Literal["step"]
    node: str


class ToolStartEvent(TypedDict):
    """A call begins; the opening search is round 0 of an attempt."""

    event: Literal["tool_start"]
    call: int
    round: int
    tool: str
    args: dict[str, Any]


class ToolEndEvent(TypedDict):
    """A call has ended, with so many rows."""

    event: Literal["tool_end"]
    call: int
    tool: str
    ok: bool
    items: int


class RecallEvent(TypedDict):
    """A step within recall_memories: its number, and that of the call."""

    event: Literal["recall"]
    call: int
    step: int
    tool: str
    args: dict[str, Any]
    ok: bool
    items: int


class ThoughtEvent(TypedDict):
    """Words of a model's thoughts, or what it said beside its calls; none of it is an answer."""

    event: Literal["thought"]
    attempt: int
    text: str


class ReadingEvent(TypedDict):
    """A model has said nothing for a while: it reads the evidence, of which it was given so many pieces."""

    event: Literal["reading"]
    attempt: int
    pieces: int


class DraftEvent(TypedDict):
    """Words of a draft as they are written, not checked yet; marks are numbered as in the answer."""

    event: Literal["draft"]
    attempt: int
    text: str


class ResetEvent(TypedDict):
    """What was shown of a draft is withdrawn.

    Attributes:
        reason: `calls`: the model searches on; `interrupted`: it is asked again; `failed`: the grader refused the
            draft, another attempt begins; `earlier`: the answer is an earlier draft; `replaced`: what a small
            model wrote did not pass the check, the offline answer stands.
        text: why, as a person reads it.
    """

    event: Literal["reset"]
    attempt: int
    reason: WithdrawnBecause
    text: str


class TextEvent(TypedDict):
    """The checked answer, piece by piece; it takes the place of every draft."""

    event: Literal["text"]
    text: str


class CitationsEvent(TypedDict):
    """The citations of the answer."""

    event: Literal["citations"]
    citations: list[Citation]


class VerdictEvent(TypedDict):
    """The verdict on the answer, and what the check by code changed of its draft; fields as in the result record."""

    event: Literal["verdict"]
    attempt: int
    status: DraftOutcome
    passed: bool | None
    confidence: float | None
    grade: Grade | None
    notes: list[Note]


class MemoryEvent(TypedDict):
    """What was kept of the turn."""

    event: Literal["memory"]
    kept: list[KeptMemory]
