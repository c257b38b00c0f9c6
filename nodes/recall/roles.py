"""The role behind a recall: its request and its Protocol."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from langchain_core.messages import AIMessage, AnyMessage

from state.context import Language
from state.recall import HistoryMessage, RecallCall, SeenMemory
from tools.recall.context import Iteration


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """Everything that a recaller may look at for one model turn.

    Attributes:
        window: the session's messages that this iteration shows, oldest first.
        transcript: the iteration's working messages, beginning with the prompt.
        calls: every call of the recall so far, all iterations; `seen` the memories that they found, by key.
        leads: memories around their results in the same conversations, best first.
    """

    query: str
    window: Sequence[HistoryMessage]
    iteration: Iteration
    transcript: Sequence[AnyMessage]
    calls: Sequence[RecallCall]
    seen: Mapping[str, SeenMemory]
    leads: Mapping[str, SeenMemory]
    declarations: Sequence[dict[str, Any]]
    language: Language


class Recaller(Protocol):
    """Searches a user's memories."""

    async def recall(self, request: RecallRequest) -> AIMessage:
        """Return one model turn: calls of the memory tools, `handoff` last; a text ends the recall."""
        ...
