"""The end of a move to another embedder: new vectors and the record of their embedder are put in place together.

The new shard is complete beside the old one when the journal is written. From then on the move is done, and the next
process that holds the folder finishes what a crash has cut short. Before that the old vectors are used.
"""

import json
import shutil
import sqlite3
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

from tools.files import replace_file

NEW_FOLDER = "renewed"
OLD_FOLDER = "replaced"
JOURNAL = "reembedded.json"
STAGED = "reembedding.sqlite"
SIDE_FILES = ("", "-wal", "-shm")  # of SQLite
CATALOG_FILE = "catalog.sqlite"
EMBEDDER_FILE = "embedder.json"
COLLECTIONS = ".collections"  # the folder of what all users share; no name that a library may have
PENDING_FILE = "rewrite.pending"  # in a collection: deleted texts are still in its files


@dataclass(frozen=True, slots=True)
class Move:
    """A shard's folder, and the embedder of the vectors that it gets."""

    shard: str
    embedder: str
    dimension: int


def commit(folder: Path, move: Move) -> None:
    """Write the journal, whole or not at all."""
    replace_file(folder / JOURNAL, json.dumps(asdict(move)))


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
        replace_file(folder / EMBEDDER_FILE, json.dumps({"embedder": move.embedder, "dimension": move.dimension}))
        return
    with closing(sqlite3.connect(catalog)) as file, file:
        file.execute("UPDATE library SET embedder = ?, dimension = ?", (move.embedder, move.dimension))
