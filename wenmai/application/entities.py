"""Entities: who and what is named, their neighbours; merges of two, new names, and their undoing."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.records import Horizon, Name
from tools.story.chapters.mentions import mentions_by_chapter
from tools.wording import Words
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.guard import read_library
from wenmai.application.models.entities import LONGEST_NAME, EntityDetail, EntityView, MergeResult, Neighbours
from wenmai.application.models.paging import (
    USUAL,
    Depth,
    FirstRow,
    Guard,
    NeighbourCount,
    Page,
    Rows,
    in_range,
    part_of,
)
from wenmai.inputs import FieldError, NotFound
from wenmai.stores.files.folder import require_space

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import Stores
    from wenmai.ingestion.library.changes import Outcome
    from wenmai.ingestion.library.decisions import Decisions

NO_ENTITY = Words(
    "资料库 {library} 里没有实体 {name}，或者它在防剧透的范围之外",
    "library {library} has no entity {name}, or the spoiler guard hides it",
)
NOT_PLAIN = Words(
    "名称只能由可见的字符组成，前后不能有空格", "a name has visible characters alone and no spaces around it"
)


@dataclass(frozen=True, slots=True)
class EntityOperations:
    """What can be done with the entities of libraries.

    Every operation raises LibraryNotFound for a library that is not there for the caller, StoreError. Changes need
    the right to administer (FieldError, 403), and raise StoreLocked while something else changes the library.
    """

    services: Services
    caller: Caller

    @in_range
    async def list(
        self,
        library: str,
        *,
        query: str | None = None,
        kind: str | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[EntityView]:
        """Return entities, those first that most passages name.

        Args:
            library: its name.
            query: only those with this in a name or an alias.
            kind: only those of this kind.
            guard: shows what a reader knows: names, aliases and counts.
            limit: rows at most.
            offset: rows that are left out at the beginning.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            rows = await self._visible_entities(library, horizon)
        found = [one for one in rows if kind in (None, one.kind) and (query is None or has_text(one, query))]
        return part_of(found, limit, offset)

    async def get(self, library: str, name: str, *, guard: Guard | None = None) -> EntityDetail:
        """Return an entity by its name or an alias that only it has. Raises NotFound."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            rows = [one for one in await self._visible_entities(library, horizon) if name in (one.name, *one.aliases)]
            own = [one for one in rows if one.name == name] or (rows if len(rows) == 1 else [])
            found = await self.services.graph.entity(library, own[0].name, horizon) if own else None
            if found is None:
                raise NotFound("name", NO_ENTITY.of(library=library, name=name[:80]))
            merged = [] if horizon else [*own[0].merged_by]
            return EntityDetail(**own[0].model_dump(), description=found.description, merged=merged)

    @in_range
    async def neighbours(
        self,
        library: str,
        entity: str,
        *,
        relation: str | None = None,
        depth: Depth = 1,
        limit: NeighbourCount = USUAL,
        guard: Guard | None = None,
    ) -> Neighbours:
        """Return the entities within some steps of one, with the edges among them.

        Args:
            library: its name.
            entity: where the walk begins.
            relation: only along relations of this type.
            depth: steps at most, 1 to 3.
            limit: neighbours at most.
            guard: hides relations of later chapters.
        """
        from tools.story.relations import without_doubles

        async with read_library(self.services, self.caller, library, guard) as horizon:
            found = await self.services.graph.neighbourhood(library, entity, relation, depth, limit, horizon)
            drawn = {"total": found.total, "neighbours": found.neighbours, "edges": without_doubles(found.edges)}
            return Neighbours.model_validate(drawn, from_attributes=True)

    async def merge(self, library: str, name: str, into: str) -> MergeResult:
        """Let a name stand for another entity; later ingests keep the decision. Raises InputError."""
        from wenmai.ingestion.library.changes import merge_entities

        async with self._change_library(library) as stores:
            return result_of(await merge_entities(stores, library, name, into))

    async def rename(self, library: str, name: str, to: str) -> MergeResult:
        """Let an entity bear another name; later ingests keep it, a split of the old name undoes it.

        Raises InputError.
        """
        if not to or len(to) > LONGEST_NAME or to != to.strip() or not to.isprintable():
            raise FieldError("to", NOT_PLAIN)
        from wenmai.ingestion.library.changes import rename_entity

        async with self._change_library(library) as stores:
            return result_of(await rename_entity(stores, library, name, to))

    async def split(self, library: str, name: str) -> MergeResult:
        """Undo exactly the merge or the new name of an entity, whoever decided it. Raises InputError."""
        from wenmai.ingestion.library.changes import split_entity

        async with self._change_library(library) as stores:
            return result_of(await split_entity(stores, library, name))

    @asynccontextmanager
    async def _change_library(self, library: str) -> AsyncIterator["Stores"]:
        self.caller.require_admin()
        self.caller.require_library(library)
        libraries = self.services.libraries
        libraries.require_free(library)
        await self.services.catalog.info(library)
        async with libraries.writing(library):
            # Before anything is decided or written: an engine that meets a full disk in the middle ends the process.
            await asyncio.to_thread(require_space, self.services.settings.data_dir)
            yield self.services.stores

    async def _visible_entities(self, library: str, horizon: Horizon | None) -> Sequence[EntityView]:
        """Return the entities that a reader knows, the most mentioned first."""
        from wenmai.ingestion.library.decisions import load_decisions

        names = await self.services.graph.names(library, horizon)
        if horizon is None:  # the graph knows the counts; opening the passages takes longer than all else
            mentions = {one.entity: one.mentions for one in names}
        else:
            found = await mentions_by_chapter(self.services.passages, library, horizon)
            mentions = {name: places.total() for name, places in found.items()}
        return entities_of(names, mentions, await load_decisions(self.services.catalog, library))


def entities_of(names: Sequence[Name], mentions: Mapping[str, int], decisions: "Decisions") -> list[EntityView]:
    """Return the entities of a list of spellings, the most mentioned first."""
    spellings: dict[str, list[Name]] = defaultdict(list)
    for name in names:
        spellings[name.entity].append(name)
    rows = [entity_from(entity, found, mentions.get(entity, 0), decisions) for entity, found in spellings.items()]
    return sorted(rows, key=lambda one: (-one.mentions, one.name))


def entity_from(entity: str, names: Sequence[Name], mentions: int, decisions: "Decisions") -> EntityView:
    """Return one entity of its spellings; its own is among them."""
    own = next((one for one in names if one.text == entity), names[0])
    first = own.first if own.text == entity else None
    aliases = [one.text for one in names if one.text != entity]
    rows = [decisions.effective(one) for one in aliases if decisions.resolve(one) == entity]
    return EntityView(
        name=entity,
        kind=own.kind,
        aliases=aliases,
        mentions=mentions,
        first_part=first[0] if first else None,
        first_chapter=first[1] if first else None,
        merged_by={row.name: row.by for row in rows if row},
    )


def has_text(entity: EntityView, text: str) -> bool:
    """Return True if a name of an entity contains a text."""
    return any(text in name for name in (entity.name, *entity.aliases))


def result_of(outcome: "Outcome") -> MergeResult:
    """Return what a merge or a split changed."""
    change = outcome.change
    return MergeResult(
        name=outcome.name,
        into=outcome.into,
        passages=change.passages,
        relations=change.relations,
        events=change.events,
        aliases=list(outcome.after),
        aliases_before=list(outcome.before),
        entities=outcome.entities,
    )
