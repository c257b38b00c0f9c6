"""A collection that all users share, in Qdrant Edge: its folder, its embedder, and who may use its files when."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from tools.errors import EmbedderMismatch
from wenmai.embedders.names import same
from wenmai.stores.edge.shards import Schema, Shards
from wenmai.stores.files.moving import EMBEDDER_FILE
from wenmai.stores.files.read_write_lock import ReadWriteLock

P = ParamSpec("P")
T = TypeVar("T")
COLLECTIONS = ".collections"  # no name that a library may have


class Collection:
    """The shard of one collection. It opens at its first use; calls run in threads."""

    def __init__(self, data_dir: Path, name: str, embedder: str, schema: Schema, built: str) -> None:
        """Take a folder.

        Args:
            data_dir: where the collections are.
            name: the collection's.
            embedder: identity of the embedding model in use.
            schema: what a new shard is made of.
            built: what the collection holds, as an error names it.
        """
        self.name = name
        self.shards = Shards(data_dir / COLLECTIONS, schema)
        self._embedder = embedder
        self._remedy = schema.remedy
        self._built = built
        self.gate = ReadWriteLock()

    async def shared(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread, beside others, but not while somebody is alone."""

        def run() -> T:
            with self.gate.shared():
                return call(*args, **named)

        return await asyncio.to_thread(run)

    async def alone(self, call: Callable[P, T], *args: P.args, **named: P.kwargs) -> T:
        """Run a blocking call in a thread while nobody else reads or writes."""

        def run() -> T:
            with self.gate.alone():
                return call(*args, **named)

        return await asyncio.to_thread(run)

    async def close(self) -> None:
        """Flush and close the shard and let the folder go."""
        await asyncio.to_thread(self.shards.close)

    @property
    def made_by(self) -> tuple[str, int] | None:
        """Embedder and dimension of the stored vectors; None as long as there are none."""
        built = self._recorded()
        return None if built is None else (str(built["embedder"]), int(built["dimension"]))

    @property
    def dimension(self) -> int | None:
        """Length of the stored vectors; None as long as there are none."""
        built = self._recorded()
        return None if built is None else int(built["dimension"])

    @contextmanager
    def writing(self, dimension: int) -> Iterator[None]:
        """Check the embedder before a write, and record it behind the first. Raises EmbedderMismatch."""
        self.require_embedder(dimension)
        yield
        if not self._file.exists():
            row = {"embedder": self._embedder, "dimension": dimension}
            self._file.write_text(json.dumps(row), encoding="utf-8")

    def require_embedder(self, dimension: int) -> None:
        """Raise EmbedderMismatch unless the collection was built with this embedder (PLA-10)."""
        built = self._recorded()
        if built is not None and not (same(self._embedder, built["embedder"]) and built["dimension"] == dimension):
            raise EmbedderMismatch(
                f"{self._built}由嵌入模型 {built['embedder']}（{built['dimension']} 维）建立，"
                f"当前为 {self._embedder}（{dimension} 维）：请换回原来的 EMBEDDING_MODEL，"
                f"或用 wenmai reembed --{self.name} 换成当前的，{self._remedy}"
            )

    def _recorded(self) -> dict[str, Any] | None:
        if not self._file.exists():
            return None
        built: dict[str, Any] = json.loads(self._file.read_text(encoding="utf-8"))
        return built

    @property
    def _file(self) -> Path:
        return self.shards.path(self.name) / EMBEDDER_FILE
