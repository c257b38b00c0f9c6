"""The entities of the libraries of a running server."""

from dataclasses import dataclass
from urllib.parse import quote

from wenmai.application.models.entities import EntityDetail, EntityView, MergeResult, Neighbours
from wenmai.application.models.paging import USUAL, Guard, Page
from wenmai.client.connection import Connection, library_path


@dataclass(frozen=True, slots=True)
class RemoteEntities:
    """`EntityOperations` of a running server."""

    server: Connection

    async def list(
        self,
        library: str,
        *,
        query: str | None = None,
        kind: str | None = None,
        guard: Guard | None = None,
        limit: int = USUAL,
        offset: int = 0,
    ) -> Page[EntityView]:
        """Return entities, those first that most passages name."""
        path = library_path(library, "entities")
        return await self.server.page(EntityView, path, limit, offset, q=query, kind=kind, guard=guard)

    async def get(self, library: str, name: str, *, guard: Guard | None = None) -> EntityDetail:
        """Return an entity by its name or an alias that only it has. Raises NotFound."""
        path = f"{library_path(library, 'entities')}/{quote(name, safe='')}"
        return await self.server.get(EntityDetail, path, guard=guard)

    async def neighbours(
        self,
        library: str,
        entity: str,
        *,
        relation: str | None = None,
        depth: int = 1,
        limit: int = USUAL,
        guard: Guard | None = None,
    ) -> Neighbours:
        """Return the entities within some steps of one, with the edges among them."""
        path = library_path(library, "neighbours")
        walk = {"entity": entity, "relation": relation, "depth": depth, "limit": limit}
        return await self.server.get(Neighbours, path, guard=guard, **walk)

    async def merge(self, library: str, name: str, into: str) -> MergeResult:
        """Let a name stand for another entity. Raises InputError."""
        names = {"name": name, "into": into}
        return await self.server.send(MergeResult, "POST", library_path(library, "merges"), names)

    async def rename(self, library: str, name: str, to: str) -> MergeResult:
        """Let an entity bear another name. Raises InputError."""
        names = {"name": name, "to": to}
        return await self.server.send(MergeResult, "POST", library_path(library, "renames"), names)

    async def split(self, library: str, name: str) -> MergeResult:
        """Undo exactly the merge or the new name of an entity. Raises InputError."""
        return await self.server.send(MergeResult, "POST", library_path(library, "splits"), {"name": name})
