"""The context of a memory tool in a recall; no part of it comes from a model."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from state.context import Language
from tools.base import RESULT_CHARACTERS
from tools.memory.records import SENSITIVE_PERMISSION, StoryGuard
from tools.ports import KeywordExpander
from tools.recall.reader import MemoryReader
from tools.recall.schemas import START_WINDOW
from tools.records import Horizon

MAX_ITERATIONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Iteration:
    """The iteration of a recall: its number 1..most, the window that the model sees, the number of messages."""

    number: int = 1
    most: int = MAX_ITERATIONS
    window: int = START_WINDOW
    available: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryContext:
    """Identity, services and counters of one call.

    Attributes:
        model: expands keywords, unless the call is the code's own (`expands`).
        seen: keys of this recall with their best score, 0..1.
        leads: keys of memories around a search's results; a handoff may name them as well.
        horizon: the spoiler guard of the run, on its library.
        searches_in_row: searches since the last other call; `searches` counts all of the recall.
    """

    user_id: str
    store: MemoryReader
    model: KeywordExpander
    expands: bool = True
    iteration: Iteration = Iteration()
    permissions: frozenset[str] = frozenset()
    seen: Mapping[str, float] = field(default_factory=dict[str, float])
    leads: frozenset[str] = frozenset()
    searches_in_row: int = 0
    searches: int = 0
    library: str = ""
    horizon: Horizon | None = None
    budget: int = RESULT_CHARACTERS
    language: Language = "zh"

    @property
    def sees_sensitive(self) -> bool:
        return SENSITIVE_PERMISSION in self.permissions

    @property
    def guard(self) -> StoryGuard | None:
        """The guard that hides memories that reveal more of the story than a reader at the horizon knows."""
        return StoryGuard(self.library, self.horizon) if self.horizon else None
