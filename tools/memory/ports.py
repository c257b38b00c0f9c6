"""The port of the store of memories. Failures are the errors of `tools.errors`."""

from collections.abc import Sequence
from typing import Protocol

from tools.memory.records import Memory, MemoryFilter, RankedMemory


class MemoryStore(Protocol):
    """Memories with a dense and a sparse (BM25) vector each; every method sees those of one user.

    The user is a condition inside every query. A blank user_id raises InputError; a user without memories has none.
    """

    async def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced. Durable when it returns."""
        ...

    async def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories, inactive ones too, in the order of `keys`; unknown keys are left out."""
        ...

    async def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        ...

    async def scroll(self, user_id: str, where: MemoryFilter, limit: int | None = None) -> list[Memory]:
        """Return all (or the first `limit`) matching memories, the newest first, then by key."""
        ...

    async def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine, best first, then as in `scroll`."""
        ...

    async def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text` by BM25, best first, then as in `scroll`."""
        ...

    async def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        ...

    async def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        ...
