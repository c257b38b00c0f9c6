"""The records of a recall: its own state, which shares no key with the conversation that asked for it."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict  # pydantic reads typing's own only from Python 3.12 on

from state.schema import PendingCall


class HistoryMessage(TypedDict):
    """A message of the session."""

    role: Literal["user", "assistant"]
    content: str


class SeenMemory(TypedDict):
    """A memory that a recall has found; `whole`: `text` is complete; `sensitive`: it may not be read.

    `score` is the best of the searches that found it, 0..1.
    """

    score: float
    text: str
    created_at: str
    whole: bool
    sensitive: bool


class RecallCall(TypedDict):
    """One executed or refused call; `result` is cut to 2,000 characters."""

    call: int
    iteration: int
    round: int
    tool: str
    args: dict[str, Any]
    ok: bool
    executed: bool
    items: int
    error_code: str | None
    result: str
    cut: bool
    started_at: str
    duration_ms: int


class HandedOff(TypedDict):
    """The end of a recall; it has found all of `keys`."""

    reason: str
    search_summary: str
    confidence: float
    keys: list[str]
    dropped: list[str]
    needs_more_info: bool
    follow_up_question: str | None


class RecallInput(TypedDict):
    """The input of a recall: a query, and the session's messages, oldest first."""

    query: str
    history: NotRequired[list[HistoryMessage]]


class RecallOutput(TypedDict):
    """The output of a recall: its result, or `{error, error_code}`, and the calls that led to it.

    `trace`: path of the trace of a recall outside of a question; None for any other.
    """

    recalled: dict[str, Any]
    calls: list[RecallCall]
    trace: str | None


class RecallState(RecallInput):
    """Everything between two steps of a recall. begin_recall sets every key.

    `leads`: memories around the results of the last search that found some, best first. `as_of`: the spoiler guard as
    [part, chapter].
    """

    trace_id: str
    started_at: str
    thread_id: str | None
    owner: str | None
    as_of: list[int] | None
    language: Literal["zh", "en"]
    deadline_at: float
    iteration: int
    window: int
    rounds: int
    searches_in_row: int
    searches: int
    seen: dict[str, SeenMemory]
    leads: dict[str, SeenMemory]
    transcript: list[dict[str, Any]]
    pending: list[PendingCall]
    calls: list[RecallCall]
    text: str
    is_over: bool
    handed_off: HandedOff | None
    degraded: bool
    usage: list[Any]
    failure: dict[str, Any] | None
    recalled: dict[str, Any]
    trace: str | None
