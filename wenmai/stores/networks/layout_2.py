"""Networks in layout 2, Ladybug beside an SQLite index: they are rewritten when they are first opened."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import ladybug

from tools.errors import KnowledgeFailed, StoreError
from tools.messages import Message
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.networks.folders import KnowledgeFolders, NetworkFolder, in_layout
from wenmai.stores.networks.network_file import INSTANCES, INSTANCES_BY_KIND, NETWORK_DATABASE, synced

SUFFIX = "-2"
GRAPH_FILE, INDEX_FILE = "graph.lbug", "index.sqlite"
BUFFER_BYTES, ADDRESS_BYTES = 256 * 2**20, 2**36
WAIT_S = 60.0  # for another process that rewrites the same network


def rewrite(folders: KnowledgeFolders, found: NetworkFolder) -> None:
    """Replace the files of a network by those of today's layout, as an import does. Raises KnowledgeFailed."""
    id = found.spec.id
    try:
        with folders.changing(id, WAIT_S) as folder:
            if folders.revision(id) != found.revision:
                return  # another process was here first
            with engine_errors(found.folder / GRAPH_FILE, RuntimeError, OSError, sqlite3.Error):
                write(found.folder, folder / NETWORK_DATABASE)
            folders.publish(id, in_layout(found.revision.removesuffix(SUFFIX)), found.spec, found.counts)
    except StoreError as error:
        raise KnowledgeFailed(Message("network.not_rewritten", id=id, reason=error)) from error


def write(old: Path, new: Path) -> None:
    """Write the new file: the old index, which has all but the instances, with those of the graph."""
    shutil.copyfile(old / INDEX_FILE, new)
    with (
        closing(
            ladybug.Database(old / GRAPH_FILE, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES, read_only=True)
        ) as graph,
        closing(ladybug.Connection(graph, num_threads=1)) as connection,
        closing(sqlite3.connect(new)) as file,
    ):
        rows = connection.execute("MATCH (one:Instance) RETURN one.place, one.kind, one.content ORDER BY one.place")
        assert isinstance(rows, ladybug.QueryResult)
        file.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;" + INSTANCES)
        file.executemany("INSERT INTO instance VALUES (?, ?, ?)", rows)
        file.executescript(INSTANCES_BY_KIND)
        file.commit()
    synced(new)
