"""In-memory double of the MemoryStore port: no engine, no files, same contract (tests/contracts)."""

from collections.abc import Sequence
from dataclasses import replace

from tests.fakes import bigrams, cosine
from tools.errors import InputError
from tools.memory.keywords import searched_text
from tools.memory.records import Memory, MemoryFilter, RankedMemory
from tools.ports import MemoryStore


class FakeMemoryStore:
    """Memories in a dictionary. Every call raises `failure` when it is set; `history` keeps (method, user)."""

    def __init__(self) -> None:
        self.failure: Exception | None = None
        self.history: list[tuple[str, str]] = []
        self._rows: dict[tuple[str, str], tuple[Memory, list[float]]] = {}

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        for memory, vector in zip(memories, vectors, strict=True):
            self._called("put", memory.user_id)
            self._rows[memory.user_id, memory.memory_key] = (memory, list(vector))

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        self._called("get", user_id)
        return [self._rows[user_id, key][0] for key in keys if (user_id, key) in self._rows]

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        self._called("vectors", user_id)
        return {key: self._rows[user_id, key][1] for key in keys if (user_id, key) in self._rows}

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        self._called("scroll", user_id)
        return sorted((memory for memory, _ in self._matching(user_id, where)), key=_newest)[:limit]

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        self._called("dense", user_id)
        return _ranked([RankedMemory(m, cosine(vector, v)) for m, v in self._matching(user_id, where)], limit)

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        self._called("sparse", user_id)
        asked = set(bigrams(text))
        scored = [RankedMemory(m, float(len(asked & _words(m)))) for m, _ in self._matching(user_id, where)]
        return _ranked([row for row in scored if row.score], limit)

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        self._called("count", user_id)
        return len(self._matching(user_id, where))

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        self._called("delete", user_id)
        return sum(self._rows.pop((user_id, key), None) is not None for key in keys)

    async def close(self) -> None:
        return None

    def _called(self, method: str, user_id: str) -> None:
        self.history.append((method, user_id))
        if self.failure is not None:
            raise self.failure
        if not user_id.strip():
            raise InputError("缺少 user_id：记忆只能按用户读写")

    def _matching(self, user_id: str, where: MemoryFilter) -> list[tuple[Memory, list[float]]]:
        return [row for row in self._rows.values() if row[0].user_id == user_id and _matches(row[0], where)]


def _matches(memory: Memory, where: MemoryFilter) -> bool:
    return (
        where.active in (None, memory.is_active)
        and (not where.types or memory.memory_type in where.types)
        and (where.since is None or memory.created_at >= where.since)
        and (where.until is None or memory.created_at < where.until)
        and where.thread_id in (None, memory.thread_id)
        and where.superseded_by in (None, memory.superseded_by)
    )


def _words(memory: Memory) -> set[str]:
    return set(bigrams(searched_text(memory)))


def _newest(memory: Memory) -> tuple[float, str]:
    return -memory.created_at.timestamp(), memory.memory_key


def _ranked(rows: Sequence[RankedMemory], limit: int) -> list[RankedMemory]:
    return sorted(rows, key=lambda row: (-row.score, *_newest(row.memory)))[:limit]


async def deactivate(store: MemoryStore, user_id: str, key: str) -> None:
    """Make a memory inactive, as an import may bring it."""
    [memory], vectors = await store.get(user_id, [key]), await store.vectors(user_id, [key])
    await store.put([replace(memory, is_active=False)], [vectors[key]])
