"""Writes of passages to Qdrant Edge; every call blocks and is durable when it returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import qdrant_edge as edge

from tools.records import Passage
from wenmai.stores.edge.query import DENSE, SPARSE
from wenmai.stores.edge.read import point_ids
from wenmai.stores.edge.shards import Shards
from wenmai.stores.records.passage_payload import to_payload

WRITE_ROWS = 500


@dataclass(frozen=True, slots=True)
class PassageWriter:
    """Changes to the open shards."""

    shards: Shards
    words: edge.Bm25

    def upsert(self, library: str, passages: Sequence[Passage], vectors: Sequence[Sequence[float]]) -> None:
        """Write passages; the same id is replaced."""
        if not passages:
            return
        shard = self.shards.created(library, len(vectors[0]))
        pairs = list(zip(passages, vectors, strict=True))
        with self.shards.errors(library):
            for begin in range(0, len(pairs), WRITE_ROWS):
                self.shards.require_space(library)
                points = [self._point(passage, vector) for passage, vector in pairs[begin : begin + WRITE_ROWS]]
                shard.update(edge.UpdateOperation.upsert_points(points))
            self.shards.keep(library, shard, len(pairs))

    def _point(self, passage: Passage, vector: Sequence[float]) -> edge.Point:
        vectors: dict[str, edge.NamedVector] = {
            DENSE: list(vector),
            SPARSE: self.words.embed_document(passage.text),
        }
        return edge.Point(passage.id, vectors, to_payload(passage))

    def reorder(self, library: str, orders: Mapping[str, int]) -> None:
        """Set `event_order` of these ids."""
        shard = self.shards.existing(library)
        if shard is None or not orders:
            return
        with self.shards.errors(library):
            known = {str(record.id) for record in shard.retrieve(point_ids(orders), False, False)}
            for id, order in orders.items():
                if id in known:
                    shard.update(edge.UpdateOperation.set_payload([id], {"event_order": order}))
            self.shards.flush(library, shard)

    def delete(self, library: str, ids: list[str]) -> int:
        """Delete these ids and return how many there were."""
        shard = self.shards.existing(library)
        if shard is None or not ids:
            return 0
        with self.shards.errors(library):
            known = {record.id for record in shard.retrieve(point_ids(ids), False, False)}
            shard.update(edge.UpdateOperation.delete_points(list(known)))
            self.shards.keep(library, shard, len(known))
        return len(known)

    def optimize(self, library: str) -> None:
        """Build the indexes that fast search needs."""
        shard = self.shards.existing(library)
        if shard is not None:
            with self.shards.errors(library):
                self.shards.require_space(library, copied=True)
                shard.optimize()
                self.shards.flush(library, shard)
