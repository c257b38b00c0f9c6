"""The end of a move to another embedder: new vectors and the record of their embedder are put in place together.

The new shard is complete beside the old one when the journal is written. From then on the move is done, and the next
process that holds the folder finishes what a crash has cut short. Before that the old vectors are used.

What a killed `wenmai reembed` has embedded is not embedded again. Texts are known by their digests alone, so that no
file more holds a text that is deleted meanwhile.
"""

import hashlib
import json
import os
import shutil
import sqlite3
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from tools.story.windows import Embedded
from wenmai.stores.files.folder import engine_errors

NEW_FOLDER = "renewed"
OLD_FOLDER = "replaced"
JOURNAL = "reembedded.json"
STAGED = "reembedding.sqlite"
SIDE_FILES = ("", "-wal", "-shm")  # of SQLite
CATALOG_FILE = "catalog.sqlite"
EMBEDDER_FILE = "embedder.json"


@dataclass(frozen=True, slots=True)
class Move:
    """A shard's folder, and the embedder of the vectors that it gets."""

    shard: str
    embedder: str
    dimension: int


def commit(folder: Path, move: Move) -> None:
    """Write the journal, whole or not at all."""
    write(folder / JOURNAL, json.dumps(asdict(move)))


def finish(folder: Path) -> None:
    """Finish a move that was committed; nothing to do is the usual case. The folder's lock must be held."""
    journal = folder / JOURNAL
    if not journal.exists():
        return
    move = Move(**json.loads(journal.read_text(encoding="utf-8")))
    shard, new, old = folder / move.shard, folder / NEW_FOLDER, folder / OLD_FOLDER
    if new.is_dir():
        if shard.exists():
            shutil.rmtree(old, ignore_errors=True)
            shard.rename(old)
        new.rename(shard)
    record(folder, move)
    shutil.rmtree(old, ignore_errors=True)
    drop_staged(folder / STAGED)
    journal.unlink()


def drop_staged(path: Path) -> None:
    """Delete the file of vectors that were made for a move, if there is one."""
    for suffix in SIDE_FILES:
        path.with_name(path.name + suffix).unlink(missing_ok=True)


def record(folder: Path, move: Move) -> None:
    """Write down the embedder: in a library's catalog, or in the file of a collection."""
    catalog = folder / CATALOG_FILE
    if not catalog.exists():
        write(folder / EMBEDDER_FILE, json.dumps({"embedder": move.embedder, "dimension": move.dimension}))
        return
    with closing(sqlite3.connect(catalog)) as file, file:
        file.execute("UPDATE library SET embedder = ?, dimension = ?", (move.embedder, move.dimension))


def write(file: Path, text: str) -> None:
    """Write a file as a whole or not at all."""
    beside = file.with_suffix(".new")
    with beside.open("w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())
    beside.replace(file)


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
        """Return the texts that have no vector yet, each once."""
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
        """Close the file."""
        self._file.close()

    def remove(self) -> None:
        """Close and delete the file."""
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
    """Return the key of a text."""
    return hashlib.sha256(text.encode()).digest()
