"""Import of many memories: what is stored as it is stays, the rest is embedded in batches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import groupby

from tools.memory.records import Memory
from tools.memory.service import MemoryService

BATCH = 32  # texts between two steps of the progress bar; a crash loses no more than these


@dataclass(frozen=True, slots=True)
class Imported:
    """How many memories a file had, how many were new or changed, of how many users.

    Attributes:
        doubles: rows that a later one of the same key replaces.
    """

    total: int
    written: int
    users: int
    doubles: int = 0


async def import_memories(
    service: MemoryService,
    memories: Sequence[Memory],
    progress: Callable[[int, int], None],
    undated: datetime | None = None,
) -> Imported:
    """Store memories that are new or changed; `progress` gets (done, total) after every batch.

    Those of the date `undated` have none of their own: stored ones keep theirs.
    """
    fresh = await _fresh(service, memories, undated)
    for begin in range(0, len(fresh), BATCH):
        await service.put(fresh[begin : begin + BATCH])
        progress(min(begin + BATCH, len(fresh)), len(fresh))
    return Imported(
        total=len(memories),
        written=len(fresh),
        users=len({memory.user_id for memory in memories}),
        doubles=len(memories) - len({memory.id for memory in memories}),
    )


async def _fresh(service: MemoryService, memories: Sequence[Memory], undated: datetime | None) -> list[Memory]:
    """Return those that are not stored with the same fields; missing keywords are no difference."""
    fresh: list[Memory] = []
    for user, rows in groupby(sorted(memories, key=lambda one: one.user_id), lambda one: one.user_id):
        group = list({one.memory_key: one for one in rows}.values())
        stored = {one.memory_key: one for one in await service.store.get(user, [one.memory_key for one in group])}
        fresh += [one for one in group if not _same(one, stored.get(one.memory_key), undated)]
    return fresh


def _same(memory: Memory, stored: Memory | None, undated: datetime | None) -> bool:
    if stored is None:
        return False
    date = stored.created_at if memory.created_at == undated else memory.created_at
    return replace(memory, keywords=memory.keywords or stored.keywords, created_at=date) == stored
