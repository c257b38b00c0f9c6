"""A library, the memories or the documents moved to another embedder.

The new vectors are made beside the old ones, which serve until all are there; then both the vectors and the record of
their embedder change at once. A run that was killed goes on where it stopped.
"""

import asyncio
import hashlib
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import qdrant_edge as edge

from tools.ports import WindowEmbedder
from tools.story.windows import Embedded
from wenmai.stores.edge.points import ShardClient, copy_rows
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.moving import STAGED, Move, drop_staged
from wenmai.stores.files.threads import completed
from wenmai.stores.vectors.conditions import EVERYTHING
from wenmai.stores.vectors.points import DENSE, SPARSE, StoredPoint
from wenmai.stores.vectors.qdrant import QdrantPoints
from wenmai.stores.vectors.words import WordWeights

BATCH = 16  # as an ingest embeds: progress moves every few seconds
STAGED_SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS made_by (embedder TEXT NOT NULL, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS embedded (digest BLOB PRIMARY KEY, vector BLOB NOT NULL, windows TEXT NOT NULL)
WITHOUT ROWID;
"""


class StagedVectors:
    """A file of vectors of one embedder, so that what a killed `wenmai reembed` has made is not made again.

    Texts are known by their digests alone, so that no file more holds a text that is deleted meanwhile. Every call
    blocks.
    """

    def __init__(self, path: Path, embedder: str, dimension: int) -> None:
        """Open a file; one for another embedder is replaced by an empty one. Raises StoreError."""
        self._path = path
        self._guard = threading.Lock()
        with engine_errors(path, sqlite3.Error, OSError):
            self._file = self._opened()
            if self._file.execute("SELECT * FROM made_by").fetchone() != (embedder, dimension):
                self.remove()
                self._file = self._opened()
                with self._file:
                    self._file.execute("INSERT INTO made_by VALUES (?, ?)", (embedder, dimension))

    def missing(self, texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if self._row(text) is None]

    def put(self, texts: Sequence[str], embedded: Sequence[Embedded]) -> None:
        """Keep vectors; durable against a crash of the process when it returns."""
        rows = [
            (digest(text), np.asarray(one.vector, np.float32).tobytes(), one.windows)
            for text, one in zip(texts, embedded, strict=True)
        ]
        with self._guard, engine_errors(self._path, sqlite3.Error), self._file:
            self._file.executemany("INSERT OR REPLACE INTO embedded VALUES (?, ?, ?)", rows)

    def embedded(self, text: str) -> Embedded:
        """Return the vector of a text, and those of its windows. Raises KeyError for one that has none."""
        row = self._row(text)
        if row is None:
            raise KeyError(text)
        vector, windows = row
        return Embedded(np.frombuffer(vector, np.float32).tolist(), windows)

    def close(self) -> None:
        self._file.close()

    def remove(self) -> None:
        self.close()
        drop_staged(self._path)

    def _opened(self) -> sqlite3.Connection:
        file = sqlite3.connect(self._path, check_same_thread=False)
        file.executescript(STAGED_SCHEMA)
        return file

    def _row(self, text: str) -> tuple[bytes, str] | None:
        asked = "SELECT vector, windows FROM embedded WHERE digest = ?"
        with self._guard, engine_errors(self._path, sqlite3.Error):
            row: tuple[bytes, str] | None = self._file.execute(asked, (digest(text),)).fetchone()
        return row


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


@dataclass(frozen=True, slots=True)
class EdgeMove:
    """The points of one shard as what can move to another embedder, and what of each is embedded and indexed by words.

    `windows` names the field that keeps the vectors of a text's parts, where the points have one.
    """

    client: ShardClient
    words: WordWeights
    embedded: Callable[[StoredPoint], str]
    worded: Callable[[StoredPoint], str]
    windows: str | None = None

    def count(self) -> int:
        return completed(QdrantPoints(self.client, self.words).count(EVERYTHING))

    def texts(self) -> Iterator[str]:
        points, offset = QdrantPoints(self.client, self.words), None
        while True:
            rows, offset = completed(points.page(EVERYTHING, offset=offset))
            yield from map(self.embedded, rows)
            if offset is None:
                return

    def staged(self, embedder: str, dimension: int) -> StagedVectors:
        """Open what was made of the new vectors so far."""
        return StagedVectors(self.client.shards.path(self.client.name) / STAGED, embedder, dimension)

    def replace(self, made: Callable[[str], Embedded], embedder: str, dimension: int) -> None:
        """Put the vectors of the texts in the place of the old ones, and the embedder on record: both or neither."""

        def moved(record: edge.Record) -> edge.Point:
            embedded = made(self.embedded(record))
            vectors: dict[str, edge.NamedVector] = {
                DENSE: embedded.vector,
                SPARSE: self.words.embed_document(self.worded(record)),
            }
            parts = {} if self.windows is None else {self.windows: embedded.windows}
            return edge.Point(record.id, vectors, {**(record.payload or {}), **parts})

        def fill(old: edge.EdgeShard, new: edge.EdgeShard) -> None:
            copy_rows(old, new, moved, with_vectors=False)
            new.optimize()

        shards = self.client.shards
        shards.renewed(self.client.name, fill, dimension, Move(shards.folder_name, embedder, dimension))


@dataclass(frozen=True, slots=True)
class Reembedded:
    """How many texts there were, and how many of them this run embedded; the others an earlier run had."""

    total: int
    embedded: int
    seconds: float


async def reembed(place: EdgeMove, embedder: WindowEmbedder, progress: Callable[[int, int], None]) -> Reembedded:
    """Give every point of a place a vector of another embedder; `progress` gets (done, total) after every batch.

    Raises:
        StoreError: the place cannot be read or written; what was made is kept.
        ModelError, ConfigError: the embedder failed; what was made is kept.
    """
    started, done, made = time.perf_counter(), 0, 0
    total = await asyncio.to_thread(place.count)
    staged = await asyncio.to_thread(place.staged, embedder.name, embedder.dimension)
    try:
        texts = place.texts()
        while batch := await asyncio.to_thread(lambda: list(islice(texts, BATCH))):
            if new := await asyncio.to_thread(staged.missing, batch):
                await asyncio.to_thread(staged.put, new, await embedder.embed_windows(new))
            done, made = done + len(batch), made + len(new)
            progress(done, total)
        await asyncio.to_thread(place.replace, staged.embedded, embedder.name, embedder.dimension)
    finally:
        await asyncio.to_thread(staged.close)
    await asyncio.to_thread(staged.remove)
    return Reembedded(total, made, time.perf_counter() - started)
