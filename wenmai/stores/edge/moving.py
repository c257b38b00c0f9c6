"""A shard of Qdrant Edge on its way to another embedder; every call blocks, and runs while nothing else uses it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import qdrant_edge as edge

from tools.story.windows import Embedded
from wenmai.stores.edge.points import Points, copy_rows
from wenmai.stores.files.moving import STAGED, Move
from wenmai.stores.files.staged_vectors import StagedVectors
from wenmai.stores.records.conditions import EVERYTHING, IsEmpty, all_of
from wenmai.stores.records.vector_policy import DENSE, SPARSE


@dataclass(frozen=True, slots=True)
class EdgeMove:
    """The points of one shard, and what of each is embedded and indexed by its words.

    `windows` names the field that keeps the vectors of a text's parts, where the points have one.
    """

    points: Points
    embedded: Callable[[edge.Record], str]
    worded: Callable[[edge.Record], str]
    windows: str | None = None

    def count(self) -> int:
        """Return how many points there are."""
        return self.points.count(EVERYTHING)

    def is_complete(self) -> bool:
        """Return True if every point has all that is made of its text; older ones lack the windows."""
        if self.windows is None:
            return True
        return self.points.count(all_of(IsEmpty(self.windows))) == 0

    def texts(self) -> Iterator[str]:
        """Yield the text of every point's vector."""
        return map(self.embedded, self.points.records(EVERYTHING))

    def staged(self, embedder: str, dimension: int) -> StagedVectors:
        """Open what was made of the new vectors so far."""
        return StagedVectors(self.points.shards.path(self.points.name) / STAGED, embedder, dimension)

    def replace(self, made: Callable[[str], Embedded], embedder: str, dimension: int) -> None:
        """Put the vectors of the texts in the place of the old ones, and the embedder on record: both or neither."""

        def fill(old: edge.EdgeShard, new: edge.EdgeShard) -> None:
            copy_rows(old, new, lambda row: self._point(row, made), with_vectors=False)
            new.optimize()

        shards, name = self.points.shards, self.points.name
        shards.renewed(name, fill, dimension, Move(shards.folder_name, embedder, dimension))

    def _point(self, record: edge.Record, made: Callable[[str], Embedded]) -> edge.Point:
        embedded = made(self.embedded(record))
        named: dict[str, edge.NamedVector] = {
            DENSE: embedded.vector,
            SPARSE: self.points.words.embed_document(self.worded(record)),
        }
        parts = {} if self.windows is None else {self.windows: embedded.windows}
        return edge.Point(record.id, named, {**(record.payload or {}), **parts})
