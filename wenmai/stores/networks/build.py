"""Building the files of a local network from its content."""

import csv
import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ladybug

from tools.errors import KnowledgeRefused, StoreCorrupt, StoreError
from tools.wording import Words
from wenmai.knowledge.content import Content, Key, key_of
from wenmai.knowledge.keeping import Imported, Progress, sizes
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.networks.folders import KnowledgeFolders, in_layout
from wenmai.stores.networks.index import IndexWriter
from wenmai.stores.records.story_rows import Row

GRAPH_FILE = "graph.lbug"
PAIRS_FILE = "pairs.csv"  # the engine loads files; this one is gone when the graph is closed
BUFFER_BYTES = 256 * 2**20
ADDRESS_BYTES = 2**36
CACHED_BYTES = 32 * 2**20  # of a file whose instances are kept in memory: a query costs as much as ten of them
NODES = "CREATE NODE TABLE Instance(place INT64 PRIMARY KEY, kind INT64, content STRING)"
ADD = "UNWIND $rows AS row CREATE (:Instance {place: row.place, kind: row.kind, content: row.content})"
Found = tuple[int, int, str]  # place, kind, content


class GraphWriter:
    """Writes the graph of a new network."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._graph = ladybug.Database(folder / GRAPH_FILE, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES)
        self._connection = ladybug.Connection(self._graph, num_threads=1)
        self._do(NODES)

    def add(self, rows: Sequence[tuple[int, int, Mapping[str, Any]]]) -> None:
        """Add instances: place, number of the type, properties."""
        records = [
            {"place": place, "kind": kind, "content": json.dumps(row, ensure_ascii=False)} for place, kind, row in rows
        ]
        self._do(ADD, {"rows": records})

    def join(self, number: int, pairs: Iterable[tuple[int, int]]) -> None:
        """Add a relation with its links."""
        self._do(f"CREATE REL TABLE {relation(number)}(FROM Instance TO Instance)")
        path = self._folder / PAIRS_FILE
        with path.open("w", newline="", encoding="ascii") as file:
            csv.writer(file).writerows(pairs)
        if path.stat().st_size:
            self._do(f"COPY {relation(number)} FROM '{quoted(path)}' (HEADER=false)")

    def close(self) -> None:
        """Finish the file."""
        self._do("CHECKPOINT")
        self._connection.close()
        self._graph.close()
        (self._folder / PAIRS_FILE).unlink(missing_ok=True)

    def _do(self, query: str, values: Mapping[str, Any] | None = None) -> None:
        result = self._connection.execute(query, dict(values or {}))
        assert isinstance(result, ladybug.QueryResult)
        result.close()


class KnowledgeGraph:
    """Reads the graph. Safe to call from several threads; several processes may read one file."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / GRAPH_FILE
        self._graph = ladybug.Database(
            self._path, buffer_pool_size=BUFFER_BYTES, max_db_size=ADDRESS_BYTES, read_only=True
        )
        self._connection = ladybug.Connection(self._graph, num_threads=1)

    def at(self, places: Sequence[int]) -> dict[int, dict[str, Any]]:
        """Return the properties of the instances at these places, by place."""
        if self._cached:
            return {place: self._row(place) for place in places}
        query = "UNWIND $places AS place MATCH (one:Instance {place: place}) RETURN one.place, one.content"
        return {place: json.loads(content) for place, content in self._ask(query, {"places": list(places)})}

    def places(self, kind: int) -> list[int]:
        """Return the places of all instances of a type, in order."""
        query = "MATCH (one:Instance) WHERE one.kind = $kind RETURN one.place ORDER BY one.place"
        return [place for (place,) in self._ask(query, {"kind": kind})]

    def of_kind(self, kind: int) -> dict[int, dict[str, Any]]:
        """Return the properties of all instances of a type, by place, in order."""
        query = "MATCH (one:Instance) WHERE one.kind = $kind RETURN one.place, one.content ORDER BY one.place"
        return {place: json.loads(content) for place, content in self._ask(query, {"kind": kind})}

    def pairs(self, number: int) -> list[tuple[int, int]]:
        """Return the places that a relation joins, in order."""
        query = (
            f"MATCH (one:Instance)-[:{relation(number)}]->(other:Instance)"
            " RETURN one.place, other.place ORDER BY one.place, other.place"
        )
        return [(one, other) for one, other in self._ask(query, {})]

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        self._graph.close()

    def _row(self, place: int) -> dict[str, Any]:
        """Return the properties of an instance in memory; they are read from its text when they are first asked for."""
        held = self._cached[place]
        row: dict[str, Any] = json.loads(held) if isinstance(held, str) else held
        self._cached[place] = row
        return dict(row)

    @cached_property
    def _cached(self) -> dict[int, Any]:
        """The contents of all instances by place; empty where they are too many to keep."""
        if self._path.stat().st_size > CACHED_BYTES:
            return {}
        rows = self._ask("MATCH (one:Instance) RETURN one.place, one.content", {})
        return {place: content for place, content in rows}

    def _ask(self, query: str, values: Mapping[str, Any]) -> list[Row]:
        result = self._connection.execute(query, dict(values))
        assert isinstance(result, ladybug.QueryResult)
        with result:
            return [list(row) for row in result.get_all()]


def relation(number: int) -> str:
    """Return the table of a relation type; tables go by number, so that no id can be a word of the language."""
    return f"R_{number}"


def quoted(path: Path) -> str:
    """Return a path, escaped for the quotes of a statement."""
    return path.absolute().as_posix().replace("\\", "\\\\").replace("'", "\\'")


NOT_WRITTEN = Words(
    "无法写入知识网络 {id}（{cause}）：没有改动已有的内容",
    "network {id} cannot be written ({cause}): what there is was not changed",
)
BATCH = 500  # instances between two steps of the progress bar
Places = dict[tuple[str, Key], int]


def import_content(folders: KnowledgeFolders, content: Content, progress: Progress) -> Imported:
    """Make this the content of its network, as a whole or not at all; `progress` gets (done, total).

    Raises StoreLocked, StoreFull.
    """
    network_id, revision, counts = content.spec.id, in_layout(content.revision()), sizes(content)
    if current(folders, network_id) == revision:
        return Imported(network_id, counts, content.dangling, written=False)
    with folders.changing(network_id) as folder:
        with (
            failures(network_id, folder),
            closing(GraphWriter(folder)) as graph,
            closing(IndexWriter(folder)) as index,
        ):
            Builder(content, graph, index, progress).build()
        folders.publish(network_id, revision, content.spec, counts)
    return Imported(network_id, counts, content.dangling, written=True)


@contextmanager
def failures(network_id: str, folder: Path) -> Iterator[None]:
    """Raise errors of writing engines as StoreFull or StoreError; what was there before stays."""
    try:
        with engine_errors(folder / GRAPH_FILE, RuntimeError, OSError, sqlite3.Error):
            yield
    except StoreCorrupt as error:
        cause = " ".join(str(error.__cause__).split())[:200]
        raise StoreError(NOT_WRITTEN.of(id=network_id, cause=cause)) from error


def current(folders: KnowledgeFolders, network_id: str) -> str | None:
    """Return the current revision, None where there is no such network."""
    try:
        return folders.revision(network_id)
    except KnowledgeRefused:
        return None


@dataclass(slots=True)
class Builder:
    """Writes one content to a graph and an index."""

    content: Content
    graph: GraphWriter
    index: IndexWriter
    progress: Progress
    done: int = 0

    def build(self) -> None:
        """Write everything."""
        places: Places = {}
        for number, kind in enumerate(self.content.spec.object_types):
            rows = self.content.rows[kind.id]
            for begin in range(0, len(rows), BATCH):
                self._add(number, begin + self._first(number), begin, places)
        for number, relation in enumerate(self.content.spec.relation_types):
            links = self.content.links[relation.id]
            joined = [(places[relation.source, one], places[relation.target, other]) for one, other in links]
            self.graph.join(number, joined)
            self.index.join(number, joined)
            self._step(len(links))

    def _first(self, number: int) -> int:
        """Return the place of a type's first instance."""
        kinds = self.content.spec.object_types[:number]
        return sum(len(self.content.rows[kind.id]) for kind in kinds)

    def _add(self, number: int, place: int, begin: int, places: Places) -> None:
        kind = self.content.spec.object_types[number]
        batch = list(enumerate(self.content.rows[kind.id][begin : begin + BATCH], place))
        self.graph.add([(at, number, row) for at, row in batch])
        keyed = [(at, key_of(row, kind) if kind.primary_keys else None, row) for at, row in batch]
        self.index.add(number, keyed)
        places.update({(kind.id, key): at for at, key, _ in keyed if key is not None})
        self._step(len(batch))

    def _step(self, count: int) -> None:
        self.done += count
        self.progress(self.done, self.content.instances + self.content.relations)
