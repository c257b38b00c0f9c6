"""The events and relations of the libraries of a running server."""

from dataclasses import dataclass

from tools.records import EventType
from wenmai.application.models.events import EventView, RelationTypes, RelationView
from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.client.connection import Connection, library_path


@dataclass(frozen=True, slots=True)
class RemoteEvents:
    """`EventOperations` of a running server."""

    server: Connection

    async def list(
        self,
        library: str,
        *,
        entity: str | None = None,
        type: EventType | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[EventView]:
        """Return events in story order; those without a place come last."""
        path = library_path(library, "events")
        return await self.server.page(EventView, path, limit, offset, entity=entity, type=type, guard=guard)


@dataclass(frozen=True, slots=True)
class RemoteRelations:
    """`RelationOperations` of a running server."""

    server: Connection

    async def list(
        self,
        library: str,
        *,
        entity: str | None = None,
        other: str | None = None,
        type: str | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[RelationView]:
        """Return relations in story order, each once; those without a place come last."""
        ends = {"entity": entity, "other": other, "type": type}
        path = library_path(library, "relations")
        return await self.server.page(RelationView, path, limit, offset, guard=guard, **ends)

    async def types(self, library: str, *, guard: Guard | None = None) -> RelationTypes:
        """Return the types of the relations that a reader may see."""
        return await self.server.get(RelationTypes, library_path(library, "relation-types"), guard=guard)
