"""The Protocol of tools: declared arguments, a scope that a model cannot change, a result in three views, warnings."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from state.context import Language
from state.recall import HistoryMessage
from state.schema import Evidence, UsageRow
from state.session import SessionTurn
from tools.formatting import RESULT_CHARACTERS
from tools.holding import holding
from tools.networks.records import Account
from tools.records import Horizon


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Identity and limits of a run.

    Attributes:
        limit: rows of search_memory in this attempt, 1..20.
        budget: what a result may show the model, in Chinese characters or as many tokens (`tools.formatting`).
        whole: rows of a list that are shown whole before the others share what is left of the budget.
        hops: edges of a path that connects two entities; longer ones count as none.
        language: of the wording of results; quotations stay as they are.
        seconds: until the question's deadline.
        tokens: that the models of a tool may use; None: as many as it takes.
        history: the session's messages, oldest first.
        session_id: key of the session with a network; `account` queries it.
        kn_ids: the run's networks.
        folders: of the user's collection of documents that are read; None: all of them.
        earlier: its last turns, oldest first.
        emit: streams the steps of a tool while it runs; None: they are not streamed.
    """

    library: str
    horizon: Horizon | None = None
    user_id: str | None = None
    thread_id: str | None = None
    limit: int = 10
    budget: int = RESULT_CHARACTERS
    whole: int = 0
    hops: int = 4
    language: Language = "zh"
    seconds: float = 180.0
    tokens: int | None = None
    permissions: frozenset[str] = frozenset()
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    account: Account | None = None
    kn_ids: Sequence[str] = ()
    folders: tuple[str, ...] | None = None
    earlier: Sequence[SessionTurn] = ()
    emit: Callable[[dict[str, Any]], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """The result of a call: `data` for a program, `text` for the model, `evidence` for citations.

    Rows of the text that show a piece of evidence are marked with its id (`tools.formatting`).

    The dispatcher fills `tool` and `call` of each evidence. `ok` is false if the tool itself failed. `steps` are the
    calls that the tool made, for the trace; `usage` is the cost of its model calls.
    """

    data: Any
    text: str
    evidence: list[Evidence] = field(default_factory=list)
    items: int = 0
    ok: bool = True
    steps: list[dict[str, Any]] = field(default_factory=list)
    usage: list[UsageRow] = field(default_factory=list)


class Tool(Protocol):
    """A deterministic function with declared arguments."""

    @property
    def name(self) -> str:
        """The name that the model calls."""
        ...

    @property
    def description(self) -> str:
        """Its purpose, in Chinese, as declared to the model."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """The declared parameters; ranges are part of their descriptions and are validated here."""
        ...

    async def __call__(self, arguments: Any, scope: Scope) -> ToolResult:
        """Run with validated arguments (an instance of `arguments`). Raises ArgumentError, StoreError."""
        ...


# A context variable, because the warnings come from deep inside a search that returns rows alone.
NOTES: ContextVar[list[str] | None] = ContextVar("wenmai_tool_notes", default=None)


def note(text: str) -> None:
    """Add a warning for the caller; outside of `noting` it is dropped."""
    notes = NOTES.get()
    if notes is not None:
        notes.append(text)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Yield a list of the warnings from within the block and every task that starts there."""
    notes: list[str] = []
    with holding(NOTES, notes):
        yield notes
