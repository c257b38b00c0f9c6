"""The collections in Qdrant Edge that all users share: memories and documents, each in a shard of its own.

Each has its embedder on record, and a gate that says who may use its files when.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from itertools import starmap
from pathlib import Path
from types import CoroutineType
from typing import Any, Concatenate, ParamSpec, TypeVar

import qdrant_edge as edge

from tools.documents import scores
from tools.documents.records import Chunk, DocumentEntry, DocumentOwner, Removed
from tools.errors import EmbedderMismatch, StoreError, StoreFull
from tools.files import replace_file
from tools.memory import keywords
from tools.messages import Message, say
from wenmai.stores.edge.points import GRAPH_WALK, ShardClient
from wenmai.stores.edge.reembedding import EdgeMove
from wenmai.stores.edge.shards import LINKED_TENANT, TENANT, Schema, Shards, shard_config, tenant_config
from wenmai.stores.files.folder import Content
from wenmai.stores.files.moving import COLLECTIONS, EMBEDDER_FILE, PENDING_FILE
from wenmai.stores.files.threads import ReadWriteLock, completed, to_its_end
from wenmai.stores.vectors.conditions import EVERYTHING, Filter, all_of
from wenmai.stores.vectors.documents import UNSEEN, WINDOWS, VectorDocumentStore, to_chunk, unseen_point
from wenmai.stores.vectors.memories import VectorMemoryStore, to_memory
from wenmai.stores.vectors.points import (
    ALL_FIELDS,
    CHUNK_WORDS,
    DOCUMENT_INDEXES,
    MEMORY_INDEXES,
    MEMORY_WORDS,
    NewPoint,
    StoredPoint,
    VectorPoint,
    other_embedder,
)
from wenmai.stores.vectors.qdrant import DocumentChanges, QdrantPoints
from wenmai.stores.vectors.words import question_words

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger("wenmai.stores")


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgePlan:
    """What a collection is.

    Attributes:
        name: of its folder, and of the option of `wenmai reembed`.
        label: what it holds, as messages name it.
        average_words: of a text in it, without stop words.
        embedded: returns what is embedded of a point, `worded` what is indexed by its words.
        windows: the field that keeps the vectors of a text's parts, where points have one.
        walk: how a search by meaning walks the graph, None for the engine's own way.
        finish: finishes what else a crash may have cut short, alone and before the first call.
    """

    name: str
    label: Message
    average_words: int
    schema: Schema
    embedded: Callable[[StoredPoint], str]
    worded: Callable[[StoredPoint], str]
    windows: str | None = None
    walk: edge.SearchParams | None = None
    finish: Callable[[QdrantPoints], Coroutine[Any, Any, None]] | None = None


class EdgeCollection:
    """The shard of one collection. It opens at its first use; calls run in threads."""

    def __init__(self, data_dir: Path, plan: EdgePlan, embedder: str) -> None:
        """Take a collection below a folder; `embedder` is the identity of the embedding model in use."""
        shards = Shards(data_dir / COLLECTIONS, plan.schema)
        note = shards.path(plan.name) / PENDING_FILE
        self.client = ShardClient(shards, plan.name, plan.walk, note=note)
        self.points = QdrantPoints(self.client, question_words(plan.average_words))
        self.gate = ReadWriteLock()
        self._plan = plan
        self._embedder = embedder
        self._is_recovered = False

    async def alone(self, call: Callable[P, Coroutine[Any, Any, T]], *args: P.args, **named: P.kwargs) -> T:
        """Run a call of the points in a thread while no other reads or writes, to its end."""
        return await to_its_end(self.in_thread(self.gate.alone, lambda: completed(call(*args, **named))))

    async def recovered(self) -> None:
        if not self._is_recovered:
            await asyncio.to_thread(self._recover)

    async def require_embedder(self, dimension: int) -> None:
        await self.in_thread(self.gate.shared, lambda: self.check_embedder(dimension))

    async def optimize(self) -> None:
        """Join the segments and drop what was deleted: call it once at the end of bulk writes and of deletions."""
        await self.in_thread(self.gate.shared, self.client.optimize)

    async def rewrite(self) -> None:
        """Write every remaining record into new files and remove the old ones, which keep what was deleted."""
        await to_its_end(self.in_thread(self.gate.alone, self.client.rewrite))

    async def clean(self) -> bool:
        """Take deleted texts out of the files, where any are left; return False without room: they go later."""
        if await asyncio.to_thread(self._pending.exists):
            try:
                await self.rewrite()
            except StoreFull as error:
                log.warning(say("store.deleted_rows_left", label=self._plan.label, error=error))
                return False
        return True

    async def close(self) -> None:
        await asyncio.to_thread(self.client.shards.close)
        self._is_recovered = False

    def moving(self) -> EdgeMove:
        plan = self._plan
        return EdgeMove(self.client, self.points.words, plan.embedded, plan.worded, plan.windows)

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
            replace_file(self._embedder_file, json.dumps(row))

    def check_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless the collection was built with this embedder; blocks."""
        built, now = self.made_by, (self._embedder, dimension)
        if built is not None and built != now:
            remedy = Message("store.or_reembed_collection", name=self._plan.name, remedy=self._plan.schema.remedy)
            raise EmbedderMismatch(other_embedder(self._plan.label, built, now, remedy))

    async def in_thread(self, gate: Callable[[], AbstractContextManager[None]], call: Callable[[], T]) -> T:
        await self.recovered()

        def run() -> T:
            with gate():
                return call()

        return await asyncio.to_thread(run)

    def _recover(self) -> None:
        with self.gate.alone():
            if self._is_recovered:
                return
            if self._plan.finish is not None:
                completed(self._plan.finish(self.points))
            if self._pending.exists():
                try:
                    self.client.rewrite()
                except StoreError as error:  # reading goes on, and the note stays
                    log.warning(say("store.deleted_rows_left", label=self._plan.label, error=error))
            self._is_recovered = True

    @property
    def _folder(self) -> Path:
        return self.client.shards.path(self._plan.name)

    @property
    def _embedder_file(self) -> Path:
        return self._folder / EMBEDDER_FILE

    @property
    def _pending(self) -> Path:
        return self._folder / PENDING_FILE


def beside_others(
    call: Callable[Concatenate[QdrantPoints, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate["CollectionPoints", P], "CoroutineType[Any, Any, T]"]:
    """Run a call of the points in a thread, beside others, but not while one has the files alone."""

    @wraps(call)
    async def run(self: "CollectionPoints", /, *args: P.args, **named: P.kwargs) -> T:
        collection = self.collection
        return await collection.in_thread(
            collection.gate.shared, lambda: completed(call(collection.points, *args, **named))
        )

    return run  # type: ignore[return-value]  # mypy knows the type of a coroutine by its protocol alone


@dataclass(frozen=True, slots=True)
class CollectionPoints:
    """The Points port over one collection: each call runs in a thread, inside the gate."""

    collection: EdgeCollection

    page = beside_others(QdrantPoints.page)
    listed = beside_others(QdrantPoints.listed)
    count = beside_others(QdrantPoints.count)
    nearest = beside_others(QdrantPoints.nearest)
    compared = beside_others(QdrantPoints.compared)
    wording = beside_others(QdrantPoints.wording)

    async def write(self, points: Iterable[NewPoint], dimension: int) -> None:
        def write() -> None:
            with self.collection.writing(dimension):
                completed(self.collection.points.write(points, dimension))

        await to_its_end(self.collection.in_thread(self.collection.gate.shared, write))

    async def delete(self, condition: Filter) -> int:
        points, gate = self.collection.points, self.collection.gate.shared
        return await to_its_end(self.collection.in_thread(gate, lambda: completed(points.delete(condition))))

    async def everything(self) -> AsyncIterator[VectorPoint]:
        offset = None
        while True:
            rows, offset = await self.page(EVERYTHING, ALL_FIELDS, offset, vectors=True)
            for row in rows:
                yield row
            if offset is None:
                return


MEMORY_PLAN = EdgePlan(
    name="memories",
    label=Message("count.memories"),
    average_words=MEMORY_WORDS,
    schema=Schema(
        folder="points",
        config=tenant_config,
        fields=MEMORY_INDEXES,
        tenant=LINKED_TENANT,
        remedy=Message("store.or_export_and_import"),
        content=Content(Message("store.memory_store"), Message("store.restore_memories")),
    ),
    embedded=lambda record: keywords.embedded_text(to_memory(record)),
    worded=lambda record: keywords.searched_text(to_memory(record)),
)


def edge_memories(data_dir: Path, embedder: str) -> VectorMemoryStore:
    """Return the memories below a folder. The shard opens at first use; calls run in threads."""
    collection = EdgeCollection(data_dir, MEMORY_PLAN, embedder)
    return VectorMemoryStore(CollectionPoints(collection), collection)


@dataclass(frozen=True, slots=True)
class EdgeDocumentWrites:
    """The DocumentWrites port in threads; a change that removes runs while no other call reads or writes."""

    collection: EdgeCollection

    async def put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str] = ()
    ) -> DocumentEntry | None:
        await self.collection.recovered()
        return await to_its_end(asyncio.to_thread(self._put, chunks, vectors, replaces))

    async def move(self, documents: Sequence[DocumentEntry], owner: DocumentOwner) -> None:
        await self.collection.alone(self._changes.move, documents, owner)

    async def remove(self, owner: DocumentOwner, document_id: str | None = None) -> Removed:
        return await self.collection.alone(self._changes.remove, owner, document_id)

    async def remove_session(self, session_id: str) -> Removed:
        return await self.collection.alone(self._changes.remove_session, session_id)

    async def remove_user(self, user_id: str) -> Removed:
        return await self.collection.alone(self._changes.remove_user, user_id)

    async def recovered(self) -> None:
        await self.collection.recovered()

    @property
    def _changes(self) -> DocumentChanges:
        return DocumentChanges(self.collection.points)

    def _put(
        self, chunks: Sequence[Chunk], vectors: Sequence[Sequence[float]], replaces: Sequence[str]
    ) -> DocumentEntry | None:
        """Write and show; one call of a thread, so that a cancelled caller does not leave half of it."""
        document, dimension = chunks[0].document, len(vectors[0])
        points = starmap(unseen_point, zip(chunks, vectors, strict=True))
        try:
            with self.collection.gate.shared(), self.collection.writing(dimension):
                completed(self.collection.points.write(points, dimension))
            with self.collection.gate.alone():
                return completed(self._changes.show(document, replaces))
        except BaseException:
            with suppress(StoreError), self.collection.gate.shared():  # the next start removes them
                completed(self._changes.discard(document))
            raise


DOCUMENT_PLAN = EdgePlan(
    name="documents",
    label=Message("count.documents"),
    average_words=CHUNK_WORDS,
    schema=Schema(
        folder="points",
        config=shard_config,
        fields=DOCUMENT_INDEXES,
        tenant=TENANT,
        remedy=Message("store.delete_documents"),
        content=Content(Message("store.document_store"), Message("store.restore_documents")),
    ),
    embedded=lambda record: scores.searched_text(to_chunk(record)),
    worded=lambda record: scores.searched_text(to_chunk(record)),
    windows=WINDOWS,
    walk=GRAPH_WALK,
    finish=lambda points: DocumentChanges(points).recover(all_of(UNSEEN)),
)


def edge_documents(data_dir: Path, embedder: str) -> VectorDocumentStore:
    """Return the documents below a folder. The shard opens at first use; calls run in threads."""
    collection = EdgeCollection(data_dir, DOCUMENT_PLAN, embedder)
    return VectorDocumentStore(CollectionPoints(collection), collection, EdgeDocumentWrites(collection))
