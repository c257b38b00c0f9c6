"""What a tool is: declared arguments, a scope that the model cannot touch, a result in three views."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from pydantic import BaseModel

from state.context import Language
from state.recall import HistoryMessage
from state.schema import Evidence, UsageRow
from state.session import SessionTurn
from tools.networks.records import Account
from tools.records import Horizon

RESULT_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Identity and limits of a run.

    Attributes:
        limit: rows of search_memory in this attempt, 1..20.
        budget: characters that a result may show the model.
        language: in which results are worded; what a story says stays as it is.
        seconds: until the question's deadline.
        history: the session's messages, oldest first.
        session_id: what a session with a network is kept under; `account` asks it.
        kn_ids: the run's networks.
        earlier: its last turns, oldest first.
        tell: takes what a tool does on its way, for who watches; None: nobody does.
    """

    library: str
    horizon: Horizon | None = None
    user_id: str | None = None
    thread_id: str | None = None
    limit: int = 10
    budget: int = RESULT_CHARACTERS
    language: Language = "zh"
    seconds: float = 180.0
    permissions: frozenset[str] = frozenset()
    history: Sequence[HistoryMessage] = ()
    session_id: str | None = None
    account: Account | None = None
    kn_ids: Sequence[str] = ()
    earlier: Sequence[SessionTurn] = ()
    tell: Callable[[dict[str, Any]], None] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a call gave: `data` for a program, `text` for the model, `evidence` for citations.

    The dispatcher fills `tool` and `call` of each evidence. `ok` is false where the tool says so itself. `steps` are
    the calls that the tool made on its way, for the trace; `usage` what models cost it.
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
        """What it is for, in Chinese, as declared to the model."""
        ...

    @property
    def arguments(self) -> type[BaseModel]:
        """The declared parameters; ranges stand in their descriptions and are validated here (S000-D09)."""
        ...

    async def __call__(self, arguments: Any, scope: Scope) -> ToolResult:
        """Run with validated arguments (an instance of `arguments`). Raises ArgumentError, StoreError."""
        ...
