"""Vectors of the texts that the tests embed, by hash: the model costs more time than everything else they do."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from wenmai.embedders.local import EmbeddingEngine

Kind = Literal["query", "passage"]
Row = NDArray[np.float32]
FILE = Path(__file__).with_name("vectors.npz")
SHOWN = 60  # characters of a text in a report


@dataclass(frozen=True, slots=True)
class Missing:
    """A text that had to be embedded: its key, its beginning, its vector as float16."""

    key: int
    text: str
    row: bytes


@dataclass(slots=True)
class VectorCache:
    """Unit vectors by the key of their text, and those that were missing.

    Attributes:
        model: the name of the engine whose vectors these are; those of another one are no use.
    """

    model: str = ""
    rows: dict[int, NDArray[np.float16]] = field(default_factory=dict)
    missing: dict[int, Missing] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def get(self, model: str, key: int) -> Row | None:
        """Return a vector of length 1."""
        row = self.rows.get(key) if model == self.model else None
        if row is None:
            return None
        wide = row.astype(np.float32)
        return np.asarray(wide / np.linalg.norm(wide), np.float32)

    def add(self, model: str, one: Missing) -> None:
        """Keep what was missing; what another model made goes."""
        with self.lock:
            if model != self.model:
                self.rows.clear()
                self.missing.clear()
                self.model = model
            self.missing[one.key] = one
            self.rows[one.key] = np.frombuffer(one.row, np.float16)


def key_of(kind: Kind, text: str) -> int:
    """Return the key of a text: a query and a passage of the same words have different vectors."""
    return int.from_bytes(hashlib.blake2b(f"{kind}\0{text}".encode(), digest_size=8).digest())


def read(file: Path = FILE) -> VectorCache:
    """Return the cache of a file, an empty one where there is none."""
    if not file.exists():
        return VectorCache()
    with np.load(file) as found:
        keys, rows, model = found["keys"], found["rows"], str(found["model"])
    return VectorCache(model, {int(key): row for key, row in zip(keys, rows, strict=True)})


def write(cache: VectorCache, file: Path = FILE) -> None:
    """Write a cache, in the order of its keys, so that the same content is the same file."""
    keys = sorted(cache.rows)
    rows = np.stack([cache.rows[key] for key in keys])
    np.savez_compressed(file, model=np.array(cache.model), keys=np.array(keys, np.uint64), rows=rows)


@dataclass(frozen=True, slots=True)
class CachedEngine:
    """An engine that is asked only for what the cache does not have, and loaded only then."""

    engine: EmbeddingEngine
    cache: VectorCache

    @property
    def name(self) -> str:
        return self.engine.name

    @property
    def dimension(self) -> int:
        return self.engine.dimension

    def load(self) -> None:
        """Wait: most tests never need the model."""

    def query(self, text: str) -> Row:
        return self._row("query", text)

    def parts(self, text: str) -> list[str]:
        return self.engine.parts(text)

    def windows(self, texts: Sequence[str]) -> NDArray[np.floating]:
        return np.stack([self._row("passage", text) for text in texts])

    def _row(self, kind: Kind, text: str) -> Row:
        key = key_of(kind, text)
        found = self.cache.get(self.name, key)
        if found is None:
            self.engine.load()
            found = self.engine.query(text) if kind == "query" else self.engine.windows([text])[0]
            self.cache.add(self.name, Missing(key, text[:SHOWN], np.asarray(found, np.float16).tobytes()))
        return np.asarray(found, np.float32)
