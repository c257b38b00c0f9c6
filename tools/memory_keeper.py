"""Store, update, deactivate, delete, export memories: application functions, not tools (MEM-04)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tools.memories import Memory
from tools.memory_terms import Segment
from tools.ports import Embedder, MemoryStore


@dataclass(frozen=True, slots=True)
class MemoryKeeper:
    """Changes the memories of a user. `changed` is told the user after every write, for caches (S002-D16)."""

    store: MemoryStore
    embedder: Embedder
    segment: Segment
    clock: Callable[[], datetime]
    new_key: Callable[[], str]
    changed: Callable[[str], None]

    async def add(
        self,
        user_id: str,
        content: str,
        *,
        memory_key: str | None = None,
        memory_type: str = "general",
        summary: str | None = None,
        content_metadata: Mapping[str, Any] | None = None,
        keywords: Sequence[str | Mapping[str, Any]] | None = None,
        agent_id: str | None = None,
        thread_id: str | None = None,
        created_at: datetime | str | None = None,
    ) -> Memory:
        """Store one memory; keywords are extracted when none are given. Raises InputError for a key that is taken."""
        raise NotImplementedError

    async def put(self, memories: Sequence[Memory]) -> None:
        """Store memories as they are, those without keywords with extracted ones; the same key is replaced."""
        raise NotImplementedError

    async def update(self, user_id: str, memory_key: str, **changes: Any) -> Memory:
        """Change a memory; it keeps its key and gets a new date, and its older state stays as history.

        Takes content, memory_type, summary, content_metadata, keywords. Raises InputError for an unknown key.
        """
        raise NotImplementedError

    async def supersede(self, user_id: str, memory_key: str, newer: Memory) -> Memory:
        """Store a newer memory in the place of an older one, which becomes inactive with both dates readable."""
        raise NotImplementedError

    async def deactivate(self, user_id: str, memory_key: str) -> Memory:
        """Make a memory inactive: no tool finds it any more. Raises InputError for an unknown key."""
        raise NotImplementedError

    async def delete(self, user_id: str, memory_keys: Sequence[str], *, history: bool = True) -> int:
        """Delete memories, with their older states unless told otherwise; return how many there were."""
        raise NotImplementedError

    async def history(self, user_id: str, memory_key: str) -> list[Memory]:
        """Return a memory and what it superseded, the newest first; [] for an unknown key."""
        raise NotImplementedError

    async def export(self, user_id: str) -> list[dict[str, Any]]:
        """Return every memory of a user as plain data, the oldest first; `put` of them is the same again."""
        raise NotImplementedError
