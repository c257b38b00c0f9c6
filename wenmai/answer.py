"""What an agent gives back: the answer to a question, and the events of a running one."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from html import escape
from typing import Any, Generic, Literal, cast

from typing_extensions import TypedDict, TypeVar

from state.draft import Grade
from state.events import (
    CitationsEvent,
    DraftEvent,
    MemoryEvent,
    ReadingEvent,
    RecallEvent,
    ResetEvent,
    StepEvent,
    TextEvent,
    ThoughtEvent,
    ToolEndEvent,
    ToolStartEvent,
    VerdictEvent,
)
from state.result import CallSummary, Citation, TurnResult
from state.schema import Evidence
from tools.errors import StoreError
from tools.messages import Message

TOOL_EVENTS = ("tool_start", "tool_end")  # two of one kind


@dataclass(frozen=True, slots=True)
class Answer:
    """An answered question; `result` says everything of it."""

    result: TurnResult

    @property
    def record(self) -> dict[str, Any]:
        """The whole result as plain data, as `ask --json` prints it."""
        return self.result.record

    @property
    def text(self) -> str:
        """The answer, with marks `[1]` that the citations explain."""
        return self.result.answer

    @property
    def citations(self) -> list[Citation]:
        """Numbered citations with verbatim quotes."""
        return self.result.citations

    @property
    def evidence(self) -> list[Evidence]:
        """What the tools fetched, best first."""
        return self.result.evidence

    @property
    def status(self) -> str:
        """What the text is: answer, not_found, clarify, chat or failed."""
        return str(self.result.status)

    @property
    def confidence(self) -> float | None:
        """Probability (0..1) that the answer is right, None for what is no answer."""
        return self.result.confidence

    @property
    def grade(self) -> Grade | None:
        """The grader's verdict, None where nothing was graded, or nothing was found."""
        return self.result.grade

    @property
    def tool_calls(self) -> list[CallSummary]:
        """Every call of the question."""
        return self.result.tool_calls

    @property
    def trace(self) -> str | None:
        """Path of the trace file."""
        return self.result.trace

    @property
    def thread_id(self) -> str:
        """The session, to ask on."""
        return str(self.result.thread_id)

    def _repr_html_(self) -> str:
        """Return the answer as notebooks show it: paragraphs, then the citations with their quotes."""
        paragraphs = "".join(f"<p>{escape(line)}</p>" for line in self.text.splitlines() if line.strip())
        rows = (
            f'<li value="{one["n"]}">{escape(one["label"])}<blockquote>{escape(one["quote"])}</blockquote></li>'
            for one in self.citations
        )
        return f"<div>{paragraphs}<ol>{''.join(rows)}</ol></div>"


KindT = TypeVar("KindT", bound=str, covariant=True, default=str)
DataT = TypeVar("DataT", covariant=True, default=Any)


@dataclass(frozen=True, slots=True)
class Event(Generic[KindT, DataT]):
    """Something that a running question shows.

    Attributes:
        kind: which of TurnEvent's; a test for it tells a type checker what `data` holds.
        data: plain data, described in `state.events`.
    """

    kind: KindT
    data: DataT


class ThreadEvent(TypedDict):
    """The thread, first: what is wrong with a question is a status, never a stream."""

    thread_id: str | None


class NodeEnd(TypedDict):
    """A step of the turn has ended; `node` is its name in the graph."""

    node: str


TurnEvent = (
    Event[Literal["thread"], ThreadEvent]
    | Event[Literal["step"], StepEvent]
    | Event[Literal["node"], NodeEnd]
    | Event[Literal["tool"], ToolStartEvent | ToolEndEvent]
    | Event[Literal["recall"], RecallEvent]
    | Event[Literal["thought"], ThoughtEvent]
    | Event[Literal["reading"], ReadingEvent]
    | Event[Literal["draft"], DraftEvent]
    | Event[Literal["reset"], ResetEvent]
    | Event[Literal["text"], TextEvent]
    | Event[Literal["citations"], CitationsEvent]
    | Event[Literal["verdict"], VerdictEvent]
    | Event[Literal["memory"], MemoryEvent]
    | Event[Literal["answer"], dict[str, Any]]
)
"""The events of a turn; a conversation names its `thread` first. The last is `answer`, with the whole result."""


def events(mode: str, chunk: Any) -> list[TurnEvent]:
    if mode == "custom":
        return [event_of("tool" if chunk["event"] in TOOL_EVENTS else chunk["event"], chunk)]
    found = [event_of("node", NodeEnd(node=node)) for node in chunk if not node.startswith("__")]
    results = [update["result"] for update in chunk.values() if update and update.get("result")]
    return found + [event_of("answer", result) for result in results]


def event_of(kind: str, data: Any) -> TurnEvent:
    return cast(TurnEvent, Event(kind, data))


async def record_of(events: AsyncGenerator[TurnEvent]) -> dict[str, Any]:
    """Return the result at the end of a turn. Raises StoreError where there is none."""
    record: dict[str, Any] | None = None
    async with aclosing(events) as turn:
        async for event in turn:
            record = event.data if event.kind == "answer" else record
    if record is None:
        raise StoreError(Message("conversation.no_result"))
    return record
