"""A keeper and a ranking over the fake store, with a clock and keys that a test sets."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from tests.fake_memories import FakeMemoryStore
from tests.fakes import FakeEmbedder
from tools.memory.ranking import MemoryRanking
from tools.memory.records import Memory, SemanticScale
from tools.memory.service import MemoryService
from wenmai.language.segmenting import cut

SCALE = SemanticScale(0.0, 0.5)
"""The fake embedder's cosine is the share of pairs of letters that two texts have in common: of what is unrelated none.

Half of them stand for an answer, the same text lies at 2. From a ceiling of 0.3 it would lie beyond 3, so high that
what is unrelated passes the threshold beside it.
"""
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@dataclass
class Desk:
    """Everything that a test of memories needs."""

    now: datetime = NOON
    changed: list[str] = field(default_factory=list)
    keys: int = 0

    def __post_init__(self) -> None:
        self.store = FakeMemoryStore()
        self.embedder = FakeEmbedder(dimension=256)
        self.keeper = MemoryService(self.store, self.embedder, cut, self.clock, self.new_id, self.changed.append)
        self.ranking = MemoryRanking(self.store, self.embedder, cut, SCALE, self.clock)

    def clock(self) -> datetime:
        return self.now

    def new_id(self) -> str:
        self.keys += 1
        return f"key-{self.keys}"

    async def say(self, thread: str, *turns: str, user: str = "甲") -> None:
        """Store turns of a talk as `speaker: text`, a minute apart."""
        for n, turn in enumerate(turns):
            speaker, _, text = turn.partition(": ")
            moment = self.now + timedelta(minutes=n)
            metadata = {"speaker": speaker}
            key = f"{thread}#{n}"
            await self.keeper.add(
                user, text, memory_key=key, thread_id=thread, created_at=moment, content_metadata=metadata
            )


def keys_of(rows: Sequence[Memory]) -> list[str]:
    return [row.memory_key for row in rows]
