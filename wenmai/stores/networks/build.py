"""Building the files of a local network from its content."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tools.errors import KnowledgeRefused, StoreCorrupt, StoreError
from tools.wording import Words
from wenmai.knowledge.content import Content, Key, key_of
from wenmai.knowledge.keeping import Imported, Progress, sizes
from wenmai.stores.files.folder import engine_errors
from wenmai.stores.networks.folders import KnowledgeFolders, in_layout
from wenmai.stores.networks.graph import GRAPH_FILE, GraphWriter
from wenmai.stores.networks.index import IndexWriter

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
