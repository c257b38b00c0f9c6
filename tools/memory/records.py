"""The records of a user's memories."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Any, Literal
from uuid import NAMESPACE_OID, uuid5

from tools.errors import InputError
from tools.messages import Message
from tools.records import Horizon

GENERAL = "general"
SENSITIVE = "sensitive"
SENSITIVE_PERMISSION = "sensitive_memory"
SPEAKER = "speaker"
FROM_TURN = "turn"  # content_metadata.source of memories from turns
OWN_TYPES = ("user_preference", "decision")

SearchMode = Literal["semantic", "keyword", "hybrid"]


@dataclass(frozen=True, slots=True)
class MemoryKeyword:
    """A keyword with its weight, 0..1; one that is given without weight has 1.0."""

    keyword: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One memory of one user.

    Attributes:
        memory_key: unique per user; two users may have the same.
        created_at: timezone-aware, in UTC.
        content_metadata: plain JSON; `sensitive: true` hides it, `speaker` names its speaker.
        superseded_by: key of the newer memory that replaced it; such a memory is inactive.
        valid_until: end of validity of a superseded memory.
    """

    memory_key: str
    user_id: str
    content: str
    created_at: datetime
    memory_type: str = GENERAL
    summary: str | None = None
    content_metadata: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())
    keywords: tuple[MemoryKeyword, ...] = ()
    agent_id: str | None = None
    thread_id: str | None = None
    is_active: bool = True
    superseded_by: str | None = None
    valid_until: datetime | None = None

    @property
    def id(self) -> str:
        """Id of the point in a vector store; it depends on the user and the key."""
        return point_id(self.user_id, self.memory_key)

    @property
    def sensitive(self) -> bool:
        return self.content_metadata.get(SENSITIVE) is True

    def readable(self, permissions: Collection[str]) -> bool:
        """Return True if a run with these permissions may see the text."""
        return not self.sensitive or SENSITIVE_PERMISSION in permissions

    @property
    def speaker(self) -> str:
        return str(self.content_metadata.get(SPEAKER) or "")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFilter:
    """Conditions joined by AND, inside the store's query; a default means no condition. The user is not part of it.

    Attributes:
        active: None for both, active and inactive ones.
        types: any of these memory types.
        since, until: created_at lies at or after, and before.
        thread_id: the conversation it comes from.
        superseded_by: key of the newer memory.
    """

    active: bool | None = True
    types: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    thread_id: str | None = None
    superseded_by: str | None = None


@dataclass(frozen=True, slots=True)
class RankedMemory:
    """A memory of one ranking with its score: the cosine (-1..1), or BM25."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class StoryGuard:
    """The spoiler guard of a run for memories: those from turns carry the guard of their turn.

    Statements of the user are always visible.
    """

    library: str
    horizon: Horizon

    def shows(self, memory: Memory) -> bool:
        """Return True if a memory reveals no more of the story than a reader at the horizon knows."""
        origin = memory.content_metadata
        from_turn = origin.get("source") == FROM_TURN and memory.memory_type not in OWN_TYPES
        if not from_turn or origin.get("library") != self.library:
            return True
        place = origin.get("as_of")
        return isinstance(place, list) and self.horizon.shows(*place)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryQuery:
    """A search of memories; `keywords` and `guard` filter, `expanded` only adds scored terms.

    Attributes:
        min_score: least relevance.
        sees_sensitive: without it sensitive memories are neither found nor counted.
        past: memories that newer ones replaced are found as well.
        zone: of the clock by which yesterday is counted.
    """

    query: str
    mode: SearchMode = "hybrid"
    keywords: tuple[str, ...] = ()
    expanded: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    days: int | None = None
    limit: int = 5
    min_score: float = 0.5
    guard: StoryGuard | None = None
    sees_sensitive: bool = False
    past: bool = False
    zone: tzinfo = UTC

    def permits(self, memory: Memory) -> bool:
        """Return True if the run may see a memory, and the guard shows it."""
        may_see = self.sees_sensitive or not memory.sensitive
        return may_see and (self.guard is None or self.guard.shows(memory))


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    """A memory with its relevance, 0..1, and the score that it is ranked by."""

    memory: Memory
    relevance: float
    score: float


@dataclass(frozen=True, slots=True)
class FoundMemories:
    """The best memories of a search, best first, and their total before the limit."""

    total: int
    found: tuple[FoundMemory, ...]


@dataclass(frozen=True, slots=True)
class SemanticScale:
    """Cosines of an embedder that count as 0 and as 1; measured by `benchmarks/public/memory.py`.

    Attributes:
        lower: how much lower both are for a query without Chinese.
    """

    floor: float
    ceiling: float
    lower: float = 0.0

    def place(self, cosine: float, *, chinese: bool = True) -> float:
        """Return where a cosine is on the scale; it may lie beyond both ends."""
        raised = cosine if chinese else cosine + self.lower
        return (raised - self.floor) / (self.ceiling - self.floor)

    def cosine(self, place: float, *, chinese: bool = True) -> float:
        return self.floor + place * (self.ceiling - self.floor) - (0.0 if chinese else self.lower)


def point_id(user_id: str, memory_key: str) -> str:
    """Return the id of a user's memory; JSON keeps ("a", "bc") and ("ab", "c") apart."""
    return str(uuid5(NAMESPACE_OID, json.dumps(["memory", user_id, memory_key])))


def utc(moment: datetime | str) -> datetime:
    """Return a moment in UTC; one without an offset is UTC already. Raises InputError."""
    try:
        known = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    except ValueError as error:
        raise InputError(Message("memory.wrong_time", moment=moment)) from error
    return known.replace(tzinfo=UTC) if known.tzinfo is None else known.astimezone(UTC)
