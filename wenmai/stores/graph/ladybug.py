"""The story graph in Ladybug, Cypher inside this process: one database file per library."""

import asyncio
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import ladybug

from tools.records import Entity, EventType, Horizon, MajorEvent, Name, Neighbourhood, Relation
from wenmai.stores.files.folder import LibraryFolders, engine_errors
from wenmai.stores.graph import ladybug_read as read
from wenmai.stores.graph import ladybug_walk as walk
from wenmai.stores.graph import ladybug_write as write
from wenmai.stores.graph.ladybug_file import open_database
from wenmai.stores.graph.ladybug_schema import LATER_COLUMNS, TABLES, Ask
from wenmai.stores.records.story_order import chapter_batch, import_batch
from wenmai.stores.records.story_rows import Row

GRAPH_FILE = "graph.lbug"
KEPT_HORIZONS = 8
T = TypeVar("T")


@dataclass(slots=True)
class _Open:
    """An open graph: one connection for readers, one for the writer, and what was read since the last write."""

    path: Path
    database: ladybug.Database
    reader: ladybug.Connection
    writer: ladybug.Connection
    write_lock: threading.Lock = field(default_factory=threading.Lock)
    names: dict[Horizon | None, list[Name]] = field(default_factory=dict)
    version: int = 0


class LadybugStoryGraph:
    """The StoryGraph port over Ladybug. Databases open at first use; calls run in threads."""

    def __init__(self, data_dir: Path) -> None:
        self._folders = LibraryFolders(data_dir, GRAPH_FILE)
        self._graphs: dict[str, _Open] = {}
        self._guard = threading.Lock()

    async def open(self, library: str) -> None:
        """Open a library's graph before it is asked. Raises LibraryNotFound, StoreLocked, StoreCorrupt."""
        if library not in self._graphs:
            await asyncio.to_thread(self._existing, library)

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        """Return every visible spelling, in a fixed order; until the next write it is the very same list.

        Who keeps a table of the names sees by the list's identity whether it still holds.
        """
        graph = self._graphs.get(library)
        kept = graph.names.get(horizon) if graph else None
        return await asyncio.to_thread(self._names, library, horizon) if kept is None else kept

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        """Return the entity of this canonical name, with its visible aliases."""
        return await self._read(library, lambda ask: read.read_entity(ask, name, horizon))

    async def relation_types(self, library: str, horizon: Horizon | None) -> list[str]:
        """Return the types of the visible relations, sorted."""
        return await self._read(library, lambda ask: read.read_types(ask, horizon))

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        """Return at most `limit` distinct entities within 1..depth hops, both directions (S000-12)."""
        return await self._read(
            library, lambda ask: walk.read_neighbourhood(ask, name, relation, depth, limit, horizon)
        )

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        """Return the one-hop relations of an entity, both directions, in story position (without one: last)."""
        return await self._read(library, lambda ask: read.read_relations(ask, name, horizon, other, type))

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        """Return the edges of one shortest path in order, with their true directions; [] if there is none."""
        return await self._read(library, lambda ask: walk.read_path(ask, start, end, max_hops, avoid_kinds, horizon))

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        """Return the events that an entity takes part in, in story position."""
        return await self._read(library, lambda ask: read.read_events(ask, name, event_type, horizon))

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        """Write entities with their aliases; the same name is replaced, relations and events stay."""
        await self._write(library, lambda ask: write.write_entities(ask, entities))

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        """Replace what was extracted from one chapter. Unknown ends are created as entities of the record's kind."""
        batch = chapter_batch(task_id, part, chapter)
        await self._write(library, lambda ask: write.write_batch(ask, task_id, batch, relations, events))

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        """Replace what was imported under `task_id` (the file's stem), whatever its chapters."""
        batch = import_batch(task_id)
        await self._write(library, lambda ask: write.write_batch(ask, task_id, batch, relations, events))

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        """Delete a source's relations and events; return counts by kind."""
        return await self._write(library, lambda ask: write.drop_owner(ask, task_id))

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        """Delete these entities with their aliases and edges; return how many there were."""
        return await self._write(library, lambda ask: write.drop_entities(ask, names))

    async def counts(self, library: str) -> dict[str, int]:
        """Return how many entities, aliases, relations and events there are."""
        return await self._read(
            library, lambda ask: {kind: int(ask(query, {})[0][0]) for kind, query in write.COUNTS.items()}
        )

    async def close(self) -> None:
        """Close every database and let the folders go."""
        await asyncio.to_thread(self._close)

    async def _read(self, library: str, question: Callable[[Ask], T]) -> T:
        return await asyncio.to_thread(self._answer, library, question)

    def _answer(self, library: str, question: Callable[[Ask], T]) -> T:
        graph = self._existing(library)
        with engine_errors(graph.path, RuntimeError, OSError):
            return question(_asker(graph.reader))

    async def _write(self, library: str, change: Callable[[Ask], T]) -> T:
        return await asyncio.to_thread(self._change, library, change)

    def _change(self, library: str, change: Callable[[Ask], T]) -> T:
        graph = self._opened(library, self._folders.created(library))
        ask = _asker(graph.writer)
        with graph.write_lock, engine_errors(graph.path, RuntimeError, OSError):
            ask("BEGIN TRANSACTION", {})
            try:
                result = change(ask)
                ask("COMMIT", {})
            except BaseException:
                with suppress(RuntimeError):  # a statement that fails has ended the transaction by itself
                    ask("ROLLBACK", {})
                raise
            graph.version += 1
            graph.names = {}
            return result

    def _names(self, library: str, horizon: Horizon | None) -> list[Name]:
        graph = self._existing(library)
        kept, version = graph.names, graph.version
        if horizon not in kept:
            found = self._answer(library, lambda ask: read.read_names(ask, horizon))
            if version != graph.version:
                return found
            if len(kept) >= KEPT_HORIZONS:
                kept.clear()
            kept[horizon] = found
            return found
        return kept[horizon]

    def _existing(self, library: str) -> _Open:
        """Return the open graph of a library. Raises LibraryNotFound."""
        graph = self._graphs.get(library)
        return graph or self._opened(library, self._folders.existing(library))

    def _opened(self, library: str, folder: Path) -> _Open:
        with self._guard:
            if library not in self._graphs:
                path = folder / GRAPH_FILE
                with engine_errors(path, RuntimeError, OSError):
                    self._graphs[library] = _open(path)
            return self._graphs[library]

    def _close(self) -> None:
        with self._guard:
            for graph in self._graphs.values():
                with engine_errors(graph.path, RuntimeError, OSError):
                    graph.reader.close()
                    graph.writer.close()
                    graph.database.close()
            self._graphs.clear()
            self._folders.close()


def _open(path: Path) -> _Open:
    database = open_database(path)
    graph = _Open(path, database, ladybug.Connection(database), ladybug.Connection(database))
    ask = _asker(graph.writer)
    for statement in (*TABLES, *LATER_COLUMNS):
        ask(statement, {})
    return graph


def _asker(connection: ladybug.Connection) -> Ask:
    def ask(query: str, values: Mapping[str, Any]) -> list[Row]:
        result = connection.execute(query, dict(values))
        assert isinstance(result, ladybug.QueryResult)
        with result:
            return [list(row) for row in result.get_all()]

    return ask
