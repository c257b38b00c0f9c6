"""The open shards of Qdrant Edge, one per library or collection, and the engine's errors in this product's terms."""

import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import qdrant_edge as edge

from tools.errors import EmbedderMismatch, WenmaiError
from tools.messages import Message
from wenmai.stores.files.deletions import require_staying, unless_gone
from wenmai.stores.files.folder import (
    LIBRARY,
    NOT_TEXT,
    Content,
    LibraryFolders,
    require_space,
    require_space_to_open,
    store_error,
)
from wenmai.stores.files.moving import NEW_FOLDER, OLD_FOLDER, STAGED, Move, commit, drop_staged, finish
from wenmai.stores.vectors.points import (
    DENSE,
    EXACT_KILOBYTES,
    GRAPH_EFFORT,
    GRAPH_LINKS,
    NO_GLOBAL_LINKS,
    SCAN_KILOBYTES,
    SPARSE,
    IndexKind,
)

KEYWORD = edge.KeywordIndexParams(enable_hnsw=False)
TENANT = edge.KeywordIndexParams(is_tenant=True, enable_hnsw=False)
LINKED_TENANT = edge.KeywordIndexParams(is_tenant=True, enable_hnsw=True)
INTEGER = edge.IntegerIndexParams(lookup=True, range=True, enable_hnsw=False)
DATETIME = edge.DatetimeIndexParams(enable_hnsw=False)


def shard_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a shard that is searched as a whole."""
    links = edge.HnswIndexConfig(GRAPH_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, memory=edge.Memory.Cached)
    return _config(dimension, links, edge.Memory.Cold)


def tenant_config(dimension: int) -> edge.EdgeConfig:
    """Return the settings of a shard that is searched one tenant at a time: links are made inside each alone."""
    links = edge.HnswIndexConfig(
        NO_GLOBAL_LINKS, GRAPH_EFFORT, SCAN_KILOBYTES, payload_m=GRAPH_LINKS, memory=edge.Memory.Cached
    )
    # A search reads all of a user's memories: cold, a user's first one took twice as long (11.7 and 12.7 ms at
    # 100,000 memories, 6.3 and 7.8 ms so; benchmarks/public/memory.py --scale).
    return _config(dimension, links, edge.Memory.Cached)


def _config(dimension: int, links: edge.HnswIndexConfig, payloads: edge.Memory) -> edge.EdgeConfig:
    """Return settings with cosine and IDF, both kept on disk and cached by the system."""
    return edge.EdgeConfig(
        vectors={
            DENSE: edge.EdgeVectorParams(size=dimension, distance=edge.Distance.Cosine, memory=edge.Memory.Cached)
        },
        sparse_vectors={SPARSE: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf, memory=edge.Memory.Cached)},
        payload_memory=payloads,
        hnsw_config=links,
        optimizers=edge.EdgeOptimizersConfig(default_segment_number=1, indexing_threshold=EXACT_KILOBYTES),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a new shard is made of, what its errors call it, and what to do when its vectors have another dimension.

    Attributes:
        folder: of the shard, inside that of its library or collection.
        fields: what is indexed.
        tenant: how the tenant among them is; a shard of one library has none.
    """

    folder: str
    config: Callable[[int], edge.EdgeConfig]
    fields: Mapping[str, IndexKind]
    tenant: edge.KeywordIndexParams
    remedy: Message
    content: Content

    def indexes(self) -> dict[str, edge.UpdateOperation]:
        kinds: dict[IndexKind, Any] = {
            "keyword": KEYWORD,
            "tenant": self.tenant,
            "integer": INTEGER,
            "datetime": DATETIME,
        }
        return {
            field: edge.UpdateOperation.create_field_index(field, kinds[kind]) for field, kind in self.fields.items()
        }


SHARD_CONFIG = "edge_config.json"
LOG_FOLDER = "wal"
FLUSH_ROWS = 2_000  # a log of about 8 MB: replayed within a second when a crash leaves it behind


class Shards:
    """Opens shards at their first use and keeps them."""

    def __init__(self, data_dir: Path, schema: Schema) -> None:
        self._schema = schema
        self._folders = LibraryFolders(data_dir, schema.folder, schema.content)
        self._shards: dict[str, edge.EdgeShard] = {}
        self._guard = threading.Lock()
        self._logged: dict[str, int] = {}
        self._indexed: set[str] = set()

    @property
    def folder_name(self) -> str:
        return self._schema.folder

    def path(self, library: str) -> Path:
        """Return where the folder of a library is or would be. Raises InputError."""
        return self._folders.path(library)

    def has_open(self, library: str) -> bool:
        return library in self._shards

    def require_room_to_open(self, library: str) -> None:
        """Raise StoreFull where a shard that is closed could not be opened on what is left of the disk."""
        path = self.path(library) / self._schema.folder
        if library not in self._shards and path.is_dir():
            require_space_to_open(path)

    def existing(self, library: str) -> edge.EdgeShard | None:
        """Return the open shard; None for a library that has no passages yet. Raises LibraryNotFound."""
        with self._guard:
            if library not in self._shards:
                require_staying(self.path(library))
                path = self._folders.existing(library) / self._schema.folder
                self._recover(path.parent)
                if not (path / SHARD_CONFIG).exists():
                    return None
                require_space_to_open(path)
                with self.errors(library):
                    self._shards[library] = edge.EdgeShard.load(str(path))
            return self._shards[library]

    def created(self, library: str, dimension: int) -> edge.EdgeShard:
        """Return the open shard, made with vectors of `dimension` if need be. Raises StoreFull."""
        path = self._folders.created(library) / self._schema.folder
        shard = self.existing(library)
        if shard is not None:
            self._index(library, shard)
            return shard
        with self._guard, self.errors(library):
            if library in self._shards:  # another thread was first
                return self._shards[library]
            require_space(path.parent)
            path.mkdir(exist_ok=True)
            self._shards[library] = self._new(path, dimension)
            return self._shards[library]

    def _new(self, path: Path, dimension: int) -> edge.EdgeShard:
        shard = edge.EdgeShard.create(str(path), self._schema.config(dimension))
        for operation in self._schema.indexes().values():
            shard.update(operation)
        return shard

    def _index(self, library: str, shard: edge.EdgeShard) -> None:
        """Make the indexes that a shard lacks since its process was killed while it made them."""
        if library not in self._indexed:
            with self.errors(library):
                known = shard.info().payload_schema
                for name, operation in self._schema.indexes().items():
                    if name not in known:
                        shard.update(operation)
            self._indexed.add(library)

    def close(self) -> None:
        """Flush and close every shard and let the folders go."""
        with self._guard:
            for library, shard in self._shards.items():
                with self.errors(library):
                    shard.flush()
                    shard.close()
            self._shards.clear()
            self._indexed.clear()
            self._folders.close()

    def release(self, library: str) -> None:
        with self._guard:
            shard = self._shards.pop(library, None)
            self._indexed.discard(library)
            self._logged.pop(library, None)
            try:
                if shard is not None:
                    with self.errors(library):
                        shard.close()
            finally:
                self._folders.release(library)

    def dimension(self, library: str) -> int | None:
        """Return the dimension of a shard's vectors; None where there is no shard."""
        config = self.path(library) / self._schema.folder / SHARD_CONFIG
        if not config.exists():
            return None
        with self.errors(library):
            return int(json.loads(config.read_text(encoding="utf-8"))["vectors"][DENSE]["size"])

    def renewed(
        self,
        library: str,
        fill: Callable[[edge.EdgeShard, edge.EdgeShard], None],
        dimension: int,
        move: Move | None = None,
    ) -> None:
        """Replace a shard by a new one that `fill(old, new)` has written, while no call uses the old one.

        With `move` the new one is another embedder's, whose name is put on record with it. Without, what was made for
        a move is dropped: vectors of texts that are to leave the files may be among it.
        """
        folder = self._folders.existing(library)
        old = self.existing(library)
        if move is None:
            drop_staged(folder / STAGED)
        if old is None:  # an empty library has no vectors, but an embedder
            if move is not None:
                self._replace(folder, move)
            return
        with self._guard, self.errors(library):
            require_space(folder, copied=self._schema.folder)
            beside = folder / NEW_FOLDER
            shutil.rmtree(beside, ignore_errors=True)
            beside.mkdir()
            new = self._new(beside, dimension)
            fill(old, new)
            for shard in (new, old):
                shard.flush()
                shard.close()
            del self._shards[library]
            self._replace(folder, move)
            self._logged[library] = 0

    def _replace(self, folder: Path, move: Move | None) -> None:
        """Put the new shard, which is written, in the old one's place."""
        if move is None:
            (folder / self._schema.folder).rename(folder / OLD_FOLDER)
            self._recover(folder)
        else:
            commit(folder, move)
            finish(folder)

    def _recover(self, folder: Path) -> None:
        """Finish a replacement; one that a crash has cut short is finished when the shard is opened."""
        if (folder / NEW_FOLDER).is_dir() and not (folder / self._schema.folder).exists():
            (folder / NEW_FOLDER).rename(folder / self._schema.folder)
        shutil.rmtree(folder / OLD_FOLDER, ignore_errors=True)

    def keep(self, library: str, shard: edge.EdgeShard, rows: int) -> None:
        """Make a change of `rows` rows durable.

        The engine replays its log when it opens a shard, so the log on the disk is enough: 3 ms, where a flush of
        every segment file takes 33 ms and is only due when the log has grown.
        """
        self._logged[library] = self._logged.get(library, 0) + rows
        if self._logged[library] >= FLUSH_ROWS:
            self.flush(library, shard)
            return
        for file in (self._folders.path(library) / self._schema.folder / LOG_FOLDER).iterdir():
            handle = os.open(file, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    def flush(self, library: str, shard: edge.EdgeShard) -> None:
        shard.flush()
        self._logged[library] = 0

    def require_space(self, library: str, *, copied: bool = False) -> None:
        """Raise StoreFull unless the disk has room to write, with `copied` for a second copy of the shard."""
        require_space(self._folders.path(library), copied=self._schema.folder if copied else "")

    @contextmanager
    def errors(self, library: str) -> Iterator[None]:
        path = self._folders.path(library) / self._schema.folder
        with unless_gone(path.parent) if self._schema.content is LIBRARY else nullcontext():
            try:
                yield
            except BaseException as error:  # the engine raises bare Exception, and a panic derives from BaseException
                if isinstance(error, WenmaiError) or not _of_engine(error):
                    raise
                if "dimension error" in str(error):
                    name, remedy = self._schema.content.named(path.parent), self._schema.remedy
                    raise EmbedderMismatch(
                        Message("store.other_vectors", name=name, reason=error, remedy=remedy)
                    ) from error
                raise store_error(error, path, self._schema.content) from error


def _of_engine(error: BaseException) -> bool:
    """Return True if an error comes from the engine or the disk, and not from our own code."""
    panic = type(error).__name__ == "PanicException"
    return panic or type(error) is Exception or isinstance(error, OSError) or NOT_TEXT in str(error)
