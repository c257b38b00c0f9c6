"""A collection on a Qdrant server: its settings, its indexes, and the embedder that is recorded with it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from qdrant_client import models
from qdrant_client.http.exceptions import UnexpectedResponse

from tools.errors import StoreGone
from wenmai.stores.qdrant.server import QdrantServer
from wenmai.stores.records.points import (
    DENSE,
    EXACT_KILOBYTES,
    GRAPH_EFFORT,
    GRAPH_LINKS,
    NO_GLOBAL_LINKS,
    SCAN_KILOBYTES,
    SPARSE,
    CollectionPlan,
    IndexKind,
)

CONFLICT = 409
Index = models.KeywordIndexParams | models.IntegerIndexParams | models.DatetimeIndexParams
INDEXES: dict[IndexKind, Index] = {
    "keyword": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, enable_hnsw=False),
    "tenant": models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True, enable_hnsw=True),
    "integer": models.IntegerIndexParams(
        type=models.IntegerIndexType.INTEGER, lookup=True, range=True, enable_hnsw=False
    ),
    "datetime": models.DatetimeIndexParams(type=models.DatetimeIndexType.DATETIME, enable_hnsw=False),
}


class QdrantCollection:
    """A collection, made at its first write; several processes may do so at once."""

    def __init__(self, server: QdrantServer, name: str, embedder: str, plan: CollectionPlan) -> None:
        self.server = server
        self.name = name
        self._embedder = embedder
        self._plan = plan
        self._built: tuple[str, int] | None = None
        self._indexed = False

    async def exists(self) -> bool:
        """Return True if anything was ever written."""
        return await self._recorded() is not None

    async def require_embedder(self, dimension: int) -> None:
        self._plan.require_same(await self._recorded(), self._embedder, dimension)

    async def require_made(self, dimension: int) -> None:
        """Make the collection with its indexes if need be. Raises EmbedderMismatch."""
        await self.require_embedder(dimension)
        if self._indexed:
            return
        with self.errors():
            if self._built is None:
                await self._create(dimension)
            known = (await self.server.client.get_collection(self.name)).payload_schema
            for field, kind in self._plan.fields.items():
                if field not in known:
                    await self.server.client.create_payload_index(self.name, field, INDEXES[kind], wait=True)
        await self.require_embedder(dimension)
        self._indexed = True

    async def optimize(self) -> None:
        """Leave it to the server, which joins its segments by itself."""

    async def rewrite(self) -> None:
        """Leave it to the server: it drops deleted texts when it joins its segments, at a time of its own."""

    async def expect_rewrite(self) -> None:
        """Note nothing: there are no files here."""

    async def close(self) -> None:
        await self.server.close()

    async def mark(self, name: str) -> Any:
        """Return a mark that the collection bears, None where it does not."""
        if not await self.exists():
            return None
        with self.errors():
            return ((await self.server.client.get_collection(self.name)).config.metadata or {}).get(name)

    async def set_mark(self, name: str, value: Any) -> None:
        """Set a mark of a collection that exists, None to take it away; the others stay as they are."""
        with self.errors():
            await self.server.client.update_collection(self.name, metadata={name: value})

    @contextmanager
    def errors(self) -> Iterator[None]:
        """Turn what the client raises into ours; a collection that was dropped is looked for again."""
        try:
            with self.server.errors():
                yield
        except StoreGone:
            self._built, self._indexed = None, False
            raise

    async def _recorded(self) -> tuple[str, int] | None:
        """Return the embedder and dimension that the collection was made with, None as long as there is none."""
        if self._built is None:
            with self.errors():
                if not await self.server.client.collection_exists(self.name):
                    return None
                config = (await self.server.client.get_collection(self.name)).config
            note = config.metadata or {}
            self._built = str(note.get("embedder", "?")), int(note.get("dimension", 0))
        return self._built

    async def _create(self, dimension: int) -> None:
        try:
            await self.server.client.create_collection(
                self.name,
                vectors_config={
                    DENSE: models.VectorParams(
                        size=dimension, distance=models.Distance.COSINE, memory=models.Memory.CACHED
                    )
                },
                sparse_vectors_config={SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
                hnsw_config=models.HnswConfigDiff(
                    m=NO_GLOBAL_LINKS,
                    payload_m=GRAPH_LINKS,
                    ef_construct=GRAPH_EFFORT,
                    full_scan_threshold=SCAN_KILOBYTES,
                ),
                optimizers_config=models.OptimizersConfigDiff(indexing_threshold=EXACT_KILOBYTES),
                metadata={"embedder": self._embedder, "dimension": dimension},
            )
        except UnexpectedResponse as error:
            if error.status_code != CONFLICT:  # another process was first
                raise
