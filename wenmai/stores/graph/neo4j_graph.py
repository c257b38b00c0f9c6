"""The story graph on a Neo4j server: all libraries in one database, each kept apart in every query."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tools.errors import LibraryNotFound
from tools.records import Entity, EventType, Horizon, MajorEvent, Name, Neighbourhood, Relation
from wenmai.stores.files.folder import check_name
from wenmai.stores.files.owners import Owner, Owning, require_mine
from wenmai.stores.graph import neo4j_read as read
from wenmai.stores.graph import neo4j_walk as walk
from wenmai.stores.graph import neo4j_write as write
from wenmai.stores.neo4j.connection import Ask, Neo4jConnection
from wenmai.stores.records.story_order import chapter_batch, import_batch
from wenmai.stores.records.story_rows import Row

KEPT_HORIZONS = 64  # of all libraries
GONE = "{server}里没有资料库 {library} 的图谱：请再次运行 wenmai ingest，它会按目录的记录重新写入图谱"
T = TypeVar("T")


@dataclass
class Neo4jStoryGraph:
    """The StoryGraph port over Neo4j."""

    connection: Neo4jConnection
    owner: Owning
    _names: dict[tuple[str, Horizon | None], tuple[int, list[Name]]] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """The server as errors name it."""
        return f"Neo4j（{self.connection.endpoint.uri}）"

    async def open(self, library: str) -> None:
        """Look for a library's graph before it is asked. Raises LibraryNotFound, StoreForeign, StoreError."""
        mine = await self.owner()
        await self.connection.read(lambda ask: self._version(_mine(ask, library), library, mine))

    async def owner_of(self, library: str) -> Owner | None:
        """Return whose mark a library bears there, None where there is none."""
        found = await self.connection.read(lambda ask: ask(write.STATE, {"library": check_name(library)}))
        return _owner(found[0]) if found else None

    async def holds(self, library: str) -> bool:
        """Tell whether there is anything of a library, marked or not."""
        return bool(await self.connection.read(lambda ask: ask(write.STATE, {"library": check_name(library)})))

    async def mark(self, library: str, owner: Owner) -> None:
        """Mark what is there of a library as a catalog's."""
        mark = {"library": check_name(library), "owner": owner.id, "place": owner.place}
        await self.connection.write(lambda ask: ask(write.MARK, mark))

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        """Return every visible spelling, in a fixed order; until the next write it is the very same list.

        A write of another process is seen, too: the server counts them.
        """
        kept, owner = self._names.get((library, horizon)), await self.owner()

        async def work(ask: Ask) -> tuple[int, list[Name]]:
            mine = _mine(ask, library)
            version = await self._version(mine, library, owner)
            return kept if kept and kept[0] == version else (version, await read.read_names(mine, horizon))

        found = await self.connection.read(work)
        if len(self._names) >= KEPT_HORIZONS:
            self._names.clear()
        self._names[library, horizon] = found
        return found[1]

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
        return await self._read(library, write.counts)

    async def drop(self, library: str) -> None:
        """Forget a library whole, whosever it is; one that is not there is forgotten already."""
        values = {"library": library, "limit": write.DROP_ROWS}
        while (await self.connection.write(lambda ask: ask(write.DROP_SOME, values)))[0][0]:
            pass
        await self.connection.write(lambda ask: ask(write.DROP_LIBRARY, values))

    async def close(self) -> None:
        """Close the connections."""
        await self.connection.close()

    async def _read(self, library: str, question: Callable[[Ask], Awaitable[T]]) -> T:
        """Ask; only what found nothing is asked whether there is such a library at all."""
        owner = await self.owner()

        async def work(ask: Ask) -> T:
            mine = _mine(ask, library)
            found = await question(mine)
            if not found or isinstance(found, Neighbourhood | dict):
                await self._version(mine, library, owner)
            return found

        return await self.connection.read(work)

    async def _write(self, library: str, change: Callable[[Ask], Awaitable[T]]) -> T:
        check_name(library)
        owner = await self.owner()

        async def work(ask: Ask) -> T:
            mine = _mine(ask, library)
            [state] = await mine(write.BEGIN, {"owner": owner.id, "place": owner.place})
            require_mine(self.place, library, _owner(state), owner)
            return await change(mine)

        return await self.connection.write(work)

    async def _version(self, ask: Ask, library: str, owner: Owner) -> int:
        """Return how often a library was written. Raises LibraryNotFound, StoreForeign, InputError."""
        check_name(library)
        rows = await ask(write.STATE, {})
        if not rows:
            raise LibraryNotFound(GONE.format(server=self.place, library=library))
        require_mine(self.place, library, _owner(rows[0]), owner)
        return int(rows[0][0])


def _mine(ask: Ask, library: str) -> Ask:
    """Return the way to ask one library alone."""

    async def of_library(query: str, values: Mapping[str, Any]) -> list[Row]:
        return await ask(query, {**values, "library": library})

    return of_library


def _owner(state: Row) -> Owner | None:
    """Return whose mark a library bears."""
    _, id, place = state
    return None if id is None else Owner(id, place)
