"""One collection in Qdrant Edge that all users share: its folder, its embedder, and who may use its files when."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import ParamSpec, TypeVar

import qdrant_edge as edge

from tools.errors import EmbedderMismatch, StoreError
from tools.story.windows import Embedded
from tools.wording import Words
from wenmai.embedders.names import same
from wenmai.stores.edge.points import Payload, Points, copy_rows
from wenmai.stores.edge.schema import EXACT, Schema
from wenmai.stores.edge.shards import Shards
from wenmai.stores.files.moving import EMBEDDER_FILE, STAGED, Move
from wenmai.stores.files.read_write_lock import ReadWriteLock
from wenmai.stores.files.staged_vectors import StagedVectors
from wenmai.stores.records.conditions import EVERYTHING, Filter, IsEmpty, all_of
from wenmai.stores.records.points import DENSE, PAGE_ROWS, SPARSE, NewPoint, other_embedder
from wenmai.stores.records.words import question_words
from wenmai.stores.vectors.points import ALL_FIELDS, Fields


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
        return self.points.count(EVERYTHING)

    def is_complete(self) -> bool:
        if self.windows is None:
            return True
        return self.points.count(all_of(IsEmpty(self.windows))) == 0

    def texts(self) -> Iterator[str]:
        return map(self.embedded, self.points.records(EVERYTHING))

    def staged(self, embedder: str, dimension: int) -> StagedVectors:
        return StagedVectors(self.points.shards.path(self.points.name) / STAGED, embedder, dimension)

    def replace(self, made: Callable[[str], Embedded], embedder: str, dimension: int) -> None:
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


P = ParamSpec("P")
T = TypeVar("T")
COLLECTIONS = ".collections"  # no name that a library may have
PENDING_FILE = "rewrite.pending"

log = logging.getLogger("wenmai.stores")


REEMBED = Words("或用 wenmai reembed --{name} 换成当前的，{remedy}", "run wenmai reembed --{name}, {remedy}")
LEFT_BEHIND = Words(
    "已删除的{label}还留在文件里，下次打开时再清除：{error}",
    "deleted {label} are still in the files until they are opened again: {error}",
)


@dataclass(frozen=True, slots=True)
class CollectionPlan:
    """What a collection is.

    Attributes:
        name: of its folder, and of the option of `wenmai reembed`.
        label: what it holds, as messages name it.
        average_words: of a text in it, without stop words.
        embedded: returns what is embedded of a point, `worded` what is indexed by its words.
        windows: the field that keeps the vectors of a text's parts, where points have one.
    """

    name: str
    label: Words
    average_words: int
    schema: Schema
    embedded: Callable[[edge.Record], str]
    worded: Callable[[edge.Record], str]
    windows: str | None = None


class EdgeStore:
    """The shard of one collection. It opens at its first use; calls run in threads."""

    def __init__(
        self,
        data_dir: Path,
        plan: CollectionPlan,
        embedder: str,
        finish: Callable[[Points], None] = lambda points: None,
    ) -> None:
        """Take a folder.

        Args:
            data_dir: where the collections are.
            plan: what the collection is.
            embedder: identity of the embedding model in use.
            finish: finishes what else a crash may have cut short, alone and before the first call.
        """
        self.points = Points(Shards(data_dir / COLLECTIONS, plan.schema), plan.name, question_words(plan.average_words))
        self.gate = ReadWriteLock()
        self._plan = plan
        self._embedder = embedder
        self._finish = finish
        self._is_recovered = False

    async def shared(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread, beside others, but not while one has the files alone."""
        return await self._in_thread(self.gate.shared, partial(call, *args, **named))

    async def alone(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread while no other reads or writes."""
        return await self._in_thread(self.gate.alone, partial(call, *args, **named))

    async def recovered(self) -> None:
        """Finish what a crash has cut short, before the first call."""
        if not self._is_recovered:
            await asyncio.to_thread(self._recover)

    async def require_embedder(self, dimension: int) -> None:
        await self.shared(self.check_embedder, dimension)

    async def optimize(self) -> None:
        """Join the segments and drop what was deleted: call it once at the end of bulk writes and of deletions."""
        await self.shared(self.points.optimize)

    async def rewrite(self) -> None:
        """Write every remaining record into new files and remove the old ones, which keep what was deleted."""
        await self.alone(self._rewrite)

    async def expect_rewrite(self) -> None:
        """Note that deleted texts must leave the files: a crash before the rewrite is made up for at the next use."""
        await self.shared(self._expect_rewrite)

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await asyncio.to_thread(self.points.shards.close)
        self._is_recovered = False

    def moving(self) -> EdgeMove:
        return EdgeMove(self.points, self._plan.embedded, self._plan.worded, self._plan.windows)

    @property
    def made_by(self) -> tuple[str, int] | None:
        """Embedder and dimension of the stored vectors; None as long as there are none."""
        if not self._embedder_file.exists():
            return None
        row = json.loads(self._embedder_file.read_text(encoding="utf-8"))
        return str(row["embedder"]), int(row["dimension"])

    @contextmanager
    def writing(self, dimension: int) -> Iterator[None]:
        """Check the embedder before a write, and record it behind the first. Raises EmbedderMismatch."""
        self.check_embedder(dimension)
        yield
        if not self._embedder_file.exists():
            row = {"embedder": self._embedder, "dimension": dimension}
            self._embedder_file.write_text(json.dumps(row), encoding="utf-8")

    def check_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless the collection was built with this embedder; blocks."""
        if (built := self.made_by) is None:
            return
        name, built_dimension = built
        if not same(self._embedder, name) or built_dimension != dimension:
            remedy = REEMBED.of(name=self._plan.name, remedy=self._plan.schema.remedy)
            raise EmbedderMismatch(other_embedder(self._plan.label, built, (self._embedder, dimension), remedy))

    async def _in_thread(self, gate: Callable[[], AbstractContextManager[None]], call: Callable[[], T]) -> T:
        await self.recovered()

        def run() -> T:
            with gate():
                return call()

        return await asyncio.to_thread(run)

    def _recover(self) -> None:
        with self.gate.alone():
            if not self._is_recovered:
                self._finish_rewrite()
                self._finish(self.points)
                self._is_recovered = True

    def _finish_rewrite(self) -> None:
        if self._pending.exists():
            try:
                self._rewrite()
            except StoreError as error:  # reading goes on, and the note stays for the next process
                log.warning(LEFT_BEHIND.say(label=self._plan.label, error=error))

    def _rewrite(self) -> None:
        if (built := self.made_by) is not None:
            self.points.rewrite(built[1])
        self._pending.unlink(missing_ok=True)

    def _expect_rewrite(self) -> None:
        if self._folder.is_dir():
            self._pending.touch()

    @property
    def _folder(self) -> Path:
        return self.points.shards.path(self._plan.name)

    @property
    def _embedder_file(self) -> Path:
        return self._folder / EMBEDDER_FILE

    @property
    def _pending(self) -> Path:
        return self._folder / PENDING_FILE


@dataclass(frozen=True, slots=True)
class CollectionPoints:
    """The points of one collection. Every query gets its conditions from the caller.

    Attributes:
        params: how a search by meaning walks the graph, None for the engine's own way.
    """

    collection: EdgeStore
    params: edge.SearchParams | None = None

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        await self.collection.shared(self._write, points, dimension)

    async def delete(self, condition: Filter) -> int:
        return await self.collection.shared(self._delete, condition)

    async def listed(
        self, condition: Filter, fields: Fields = ALL_FIELDS, *, vectors: bool = False
    ) -> list[edge.Record]:
        rows = self.collection.points.records(condition, payload_of(fields), [DENSE] if vectors else None)
        return await self.collection.shared(list, rows)

    async def everything(self) -> AsyncIterator[edge.Record]:
        rows = self.collection.points.records(EVERYTHING, vectors=[DENSE])
        while page := await self.collection.shared(_page, rows):
            for row in page:
                yield row

    async def count(self, condition: Filter) -> int:
        return await self.collection.shared(self.collection.points.count, condition)

    async def nearest(
        self, vector: Sequence[float], condition: Filter, limit: int, fields: Fields = ALL_FIELDS
    ) -> list[edge.ScoredPoint]:
        nearest = self.collection.points.nearest
        return await self.collection.shared(nearest, vector, condition, limit, self.params, payload_of(fields))

    async def compared(self, vector: Sequence[float], condition: Filter, limit: int) -> list[edge.ScoredPoint]:
        return await self.collection.shared(self.collection.points.nearest, vector, condition, limit, EXACT)

    async def wording(
        self, text: str, condition: Filter, limit: int, counted: Filter, fields: Fields = ALL_FIELDS
    ) -> list[edge.ScoredPoint]:
        wording = self.collection.points.wording
        return await self.collection.shared(wording, text, condition, limit, counted, payload_of(fields))

    def _write(self, points: Iterable[NewPoint], dimension: int) -> None:
        with self.collection.writing(dimension):
            self.collection.points.write(points, dimension)

    def _delete(self, condition: Filter) -> int:
        if count := self.collection.points.count(condition):
            self.collection.points.delete(condition, rows=count)
        return count


def payload_of(fields: Fields) -> Payload:
    if fields.only is not None:
        return list(fields.only)
    return edge.PayloadSelector.Exclude(list(fields.without)) if fields.without else True


def _page(rows: Iterator[edge.Record]) -> list[edge.Record]:
    return list(islice(rows, PAGE_ROWS))
