"""Vectors of a move to another embedder: what a killed `wenmai reembed` has made is not made again.

Texts are known by their digests alone, so that no file more holds a text that is deleted meanwhile.
"""

import hashlib
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tools.story.windows import Embedded
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.files.moving import drop_staged

SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS made_by (embedder TEXT NOT NULL, dimension INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS embedded (digest BLOB PRIMARY KEY, vector BLOB NOT NULL, windows TEXT NOT NULL)
WITHOUT ROWID;
"""


class StagedVectors:
    """A file of vectors of one embedder by the digests of their texts; every call blocks."""

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
        file.executescript(SCHEMA)
        return file

    def _row(self, text: str) -> tuple[bytes, str] | None:
        asked = "SELECT vector, windows FROM embedded WHERE digest = ?"
        with self._guard, engine_errors(self._path, sqlite3.Error):
            row: tuple[bytes, str] | None = self._file.execute(asked, (digest(text),)).fetchone()
        return row


def digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
