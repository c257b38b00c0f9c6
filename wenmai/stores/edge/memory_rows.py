"""Reads and writes of memories in Qdrant Edge; every call blocks, and every query names its user."""

from collections.abc import Iterator, Sequence
from uuid import UUID

import qdrant_edge as edge

from tools.memory.records import Memory, MemoryFilter, RankedMemory, point_id
from tools.memory.text import searched_text
from wenmai.stores.edge.memory_query import memory_filter, owned_by
from wenmai.stores.edge.points import Points, question_words
from wenmai.stores.edge.query import DENSE, SPARSE
from wenmai.stores.edge.read import dense_vector
from wenmai.stores.edge.shards import Shards
from wenmai.stores.records.memory_payload import newest_first, ranked, to_memory, to_payload

AVERAGE_TOKENS = 20  # words of a turn that are no stop words


class MemoryRows:
    """Rankings, rows and writes of the one shard."""

    def __init__(self, shards: Shards, name: str) -> None:
        self.points = Points(shards, name, question_words(AVERAGE_TOKENS))

    def put(self, memories: Sequence[Memory], vectors: Sequence[Sequence[float]]) -> None:
        """Write memories; the same key of the same user is replaced."""
        points = (self._point(memory, vector) for memory, vector in zip(memories, vectors, strict=True))
        self.points.write(points, len(vectors[0]))

    def _point(self, memory: Memory, vector: Sequence[float]) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(vector),
            SPARSE: self.points.words.embed_document(searched_text(memory)),
        }
        return edge.Point(memory.id, vectors, to_payload(memory))

    def get(self, user_id: str, keys: Sequence[str]) -> list[Memory]:
        """Return these memories in the order of `keys`."""
        found = {memory.memory_key: memory for memory in map(to_memory, self._records(user_id, keys))}
        return [found[key] for key in keys if key in found]

    def vectors(self, user_id: str, keys: Sequence[str]) -> dict[str, list[float]]:
        """Return the stored dense vectors of these memories, by key."""
        records = self._records(user_id, keys, [DENSE])
        return {(record.payload or {})["memory_key"]: dense_vector(record) for record in records}

    def _records(self, user_id: str, keys: Sequence[str], vectors: list[str] | None = None) -> list[edge.Record]:
        """Ask for points by their ids and by their user: an id alone is never enough (PLA-03)."""
        owner = owned_by(user_id)
        ids: set[int | UUID | str] = {point_id(user_id, key) for key in keys}
        only = edge.Filter(must=[edge.HasIdCondition(ids), owner])
        return list(self.points.records(only, vectors=vectors)) if ids else []

    def scroll(self, user_id: str, where: MemoryFilter, limit: int | None) -> list[Memory]:
        """Return matching memories, the newest first."""
        found = map(to_memory, self.points.records(memory_filter(user_id, where)))
        return sorted(found, key=newest_first)[:limit]

    def dense(self, user_id: str, vector: Sequence[float], where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories nearest to `vector` by cosine."""
        return ranked(self.points.nearest(vector, memory_filter(user_id, where), limit), limit)

    def sparse(self, user_id: str, text: str, where: MemoryFilter, limit: int) -> list[RankedMemory]:
        """Return the memories that share most with the words of `text`, weighed by how rare the user's talk has them.

        The words of other users have no say in it.
        """
        rows = self.points.wording(text, memory_filter(user_id, where), limit, owned_by(user_id))
        return ranked(rows, limit)

    def everything(self) -> Iterator[tuple[Memory, list[float]]]:
        """Yield the memories of all users with their vectors."""
        for record in self.points.records(edge.Filter(must=[]), vectors=[DENSE]):
            yield to_memory(record), dense_vector(record)

    def count(self, user_id: str, where: MemoryFilter) -> int:
        """Return how many memories match."""
        return self.points.count(memory_filter(user_id, where))

    def delete(self, user_id: str, keys: Sequence[str]) -> int:
        """Delete these memories and return how many there were."""
        known = [record.id for record in self._records(user_id, keys)]
        if known:
            self.points.change(edge.UpdateOperation.delete_points(list(known)), rows=len(known))
        return len(known)

    def rewrite(self, dimension: int) -> None:
        """Copy every memory into a new shard: the engine keeps deleted texts in its pages and its log."""
        self.points.rewrite(dimension)
