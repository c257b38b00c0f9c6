"""The story graph over any engine that speaks Cypher."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.records import Entity, EventType, Horizon, MajorEvent, Name, Neighbourhood, Relation
from wenmai.stores.graph import read, write
from wenmai.stores.graph.engine import GraphEngine, Session
from wenmai.stores.graph.rows import chapter_batch, import_batch

CACHED_NAME_LISTS = 64  # of all libraries and horizons
Names = tuple[int, list[Name]]  # the version of the library, and its names


@dataclass(eq=False)
class StoryGraphStore:
    """The StoryGraph port over an engine."""

    engine: GraphEngine
    _names: dict[tuple[str, Horizon | None], Names] = field(default_factory=dict, repr=False)

    async def open(self, library: str) -> None:
        await self.engine.open(library)

    async def names(self, library: str, horizon: Horizon | None) -> list[Name]:
        """Return every visible spelling, in a fixed order; until the next write it is the very same list.

        A caller that keeps a table of the names sees by the list's identity whether the table is current.
        """
        cached = self._names.get((library, horizon))

        async def work(session: Session) -> Names:
            version = await session.version()  # first, so that a write in between is seen by the next call
            is_current = cached is not None and cached[0] == version
            return cached if cached and is_current else (version, await read.read_names(session, horizon))

        found = await self.engine.read(library, work)
        if (library, horizon) not in self._names and len(self._names) >= CACHED_NAME_LISTS:
            self._names.clear()
        self._names[library, horizon] = found
        return found[1]

    async def entity(self, library: str, name: str, horizon: Horizon | None) -> Entity | None:
        return await self.engine.read(library, lambda session: read.read_entity(session, name, horizon))

    async def relation_types(self, library: str, horizon: Horizon | None) -> list[str]:
        return await self.engine.read(library, lambda session: read.read_types(session, horizon))

    async def neighbourhood(
        self, library: str, name: str, relation: str | None, depth: int, limit: int, horizon: Horizon | None
    ) -> Neighbourhood:
        return await self.engine.read(
            library, lambda session: read.read_neighbourhood(session, name, relation, depth, limit, horizon)
        )

    async def relations(
        self, library: str, name: str, horizon: Horizon | None, *, other: str | None = None, type: str | None = None
    ) -> list[Relation]:
        return await self.engine.read(library, lambda session: read.read_relations(session, name, horizon, other, type))

    async def path(
        self, library: str, start: str, end: str, max_hops: int, avoid_kinds: Sequence[str], horizon: Horizon | None
    ) -> list[Relation]:
        return await self.engine.read(
            library, lambda session: read.read_path(session, start, end, max_hops, avoid_kinds, horizon)
        )

    async def events(
        self, library: str, name: str, event_type: EventType | None, horizon: Horizon | None
    ) -> list[MajorEvent]:
        return await self.engine.read(library, lambda session: read.read_events(session, name, event_type, horizon))

    async def every_relation(self, library: str, type: str | None, horizon: Horizon | None) -> list[Relation]:
        """Return every relation of a library, or those of a type, by story position; those without one last."""
        return await self.engine.read(library, lambda session: read.list_relations(session, type, horizon))

    async def every_event(self, library: str, horizon: Horizon | None) -> list[MajorEvent]:
        return await self.engine.read(library, lambda session: read.list_events(session, horizon))

    async def put_entities(self, library: str, entities: Sequence[Entity]) -> None:
        await self.engine.write(library, lambda session: write.write_entities(session, entities))

    async def put_chapter(
        self,
        library: str,
        task_id: str,
        part: int,
        chapter: int | None,
        relations: Sequence[Relation],
        events: Sequence[MajorEvent],
    ) -> None:
        batch = chapter_batch(task_id, part, chapter)
        await self.engine.write(library, lambda session: write.write_batch(session, task_id, batch, relations, events))

    async def put_imported(
        self, library: str, task_id: str, relations: Sequence[Relation], events: Sequence[MajorEvent]
    ) -> None:
        batch = import_batch(task_id)
        await self.engine.write(library, lambda session: write.write_batch(session, task_id, batch, relations, events))

    async def delete_source(self, library: str, task_id: str) -> dict[str, int]:
        return await self.engine.write(library, lambda session: write.delete_source(session, task_id))

    async def delete_entities(self, library: str, names: Sequence[str]) -> int:
        return await self.engine.write(library, lambda session: write.delete_entities(session, names))

    async def counts(self, library: str, horizon: Horizon | None = None) -> dict[str, int]:
        return await self.engine.read(library, lambda session: read.read_counts(session, horizon))

    async def close(self) -> None:
        await self.engine.close()

    async def release(self, library: str) -> None:
        await self.engine.release(library)
