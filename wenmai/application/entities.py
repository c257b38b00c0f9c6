"""Entities: who and what is named, their neighbours; what is mended of names, and its undoing."""

from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, Field

from tools.messages import Message
from tools.records import EntityKind, EventType, Horizon, MajorEvent, Name, Relation, Role
from tools.story.guard import mentions_by_chapter
from tools.story.names import fold
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.paging import (
    USUAL,
    Depth,
    FirstRow,
    Guard,
    NeighbourCount,
    Page,
    Rows,
    Strict,
    in_range,
    read_library,
)
from wenmai.application.summaries import SummaryView, latest_description
from wenmai.inputs import FieldError, NotFound

if TYPE_CHECKING:
    from wenmai.ingestion.contracts import Stores
    from wenmai.ingestion.library.changes import WriteOutcome
    from wenmai.ingestion.library.decisions import Decisions, RecordChanges
    from wenmai.ingestion.library.mending import Change

LONGEST_NAME = 80


class EntityView(BaseModel):
    """An entity by the names that a reader knows."""

    name: str
    kind: str = Field(examples=["Character"])
    aliases: list[str]
    mentions: int = Field(description="Passages that name it")
    first_part: int | None
    first_chapter: int | None
    merged_by: dict[str, Literal["model", "person"]] = Field(
        description="Names that stand for it by a decision, and who made it"
    )


class EntityDetail(EntityView):
    """An entity with what is known of it."""

    description: str = Field(description="'' under a spoiler guard, for it has no chapter")
    merged: list[str] = Field(description="Names that stand for it by a decision; none under a spoiler guard")
    summary: SummaryView | None = Field(
        default=None, description="What a model wrote of a person up to the last chapter that a reader knows"
    )


class NeighbourView(BaseModel):
    """An entity at some steps from another."""

    name: str
    kind: str
    relation: str
    direction: Literal["out", "in"]
    hop: int


class EdgeView(BaseModel):
    """An edge between two of them."""

    source: str
    type: str
    target: str


class Neighbours(BaseModel):
    """The surroundings of an entity."""

    total: int
    neighbours: list[NeighbourView]
    edges: list[EdgeView]


class Merge(Strict):
    """Two names of one entity; `name` becomes an alias of `into`."""

    name: str = Field(min_length=1, examples=["玄德"])
    into: str = Field(min_length=1, examples=["刘备"])


class Rename(Strict):
    """A better name of an entity; its old one becomes an alias."""

    name: str = Field(min_length=1, examples=["独耳"])
    to: str = Field(min_length=1, max_length=LONGEST_NAME, examples=["沈观潮"])


class Split(Strict):
    """A name whose merge is undone, or an alias that becomes an entity of its own."""

    name: str = Field(min_length=1)


class Kind(Strict):
    """What an entity is."""

    name: str = Field(min_length=1, examples=["渡口"])
    kind: EntityKind | None = Field(description="null: it is no name at all", examples=["Location"])


class Narrator(Strict):
    """Who says "I" in some chapters."""

    name: str | None = Field(min_length=1, description="An entity; null: nobody", examples=["沈砚秋"])
    part: int | None = Field(default=None, ge=1, description="null: every part")
    first: int | None = Field(default=None, ge=0, description="First chapter; null: from the beginning")
    last: int | None = Field(default=None, ge=0, description="Last chapter; null: to the end")


class ChapterNarrator(BaseModel):
    """Who narrates a chapter."""

    part: int
    chapter: int | None
    title: str
    name: str | None
    by: Literal["text", "person"] = Field(description="Who says so")


class Narrators(BaseModel):
    """The narrators of a library by chapter."""

    chapters: list[ChapterNarrator]
    passages: int = Field(default=0, description="Passages that a change has tagged anew")


class MergeResult(BaseModel):
    """What a merge or a split changed."""

    name: str
    into: str
    passages: int
    relations: int
    events: int
    aliases: list[str] = Field(description="The aliases of `into` now")
    aliases_before: list[str] = Field(description="Those before")
    entities: int = Field(description="Entities of the library now")


class ChangeView(BaseModel):
    """What a person has decided on a name, or on who narrates."""

    id: str = Field(examples=["name:玄德"])
    what: Literal["merge", "rename", "split", "separation", "kind", "removal", "narrator"]
    name: str | None = Field(description="null: nobody narrates")
    into: str | None = Field(
        default=None, description="Whom it was merged into, its better name, or whose alias it was"
    )
    kind: str | None = None
    part: int | None = None
    first: int | None = Field(default=None, description="First chapter of a narrator; null: from the beginning")
    last: int | None = None

    @classmethod
    def of(cls, change: "Change") -> "ChangeView":
        bounds = change.narrator and {one: getattr(change.narrator, one) for one in ("part", "first", "last")}
        own = {"id": change.id, "what": change.what, "name": change.name, "into": change.into, "kind": change.kind}
        return cls.model_validate({**own, **(bounds or {})})


class Changes(BaseModel):
    """What people have decided on the names of a library; a model's merges stand with their entities."""

    changes: list[ChangeView]


class ChangeResult(BaseModel):
    """A decision that was made or taken back, and how many records it changed."""

    change: ChangeView
    passages: int
    relations: int
    events: int

    @classmethod
    def of(cls, change: "Change", done: "RecordChanges") -> "ChangeResult":
        counts = {"passages": done.passages, "relations": done.relations, "events": done.events}
        return cls(change=ChangeView.of(change), **counts)


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
            query: only those with this in a name or an alias; script, case and width do not count.
            guard: shows what a reader knows: names, aliases and counts.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            rows = await self._visible_entities(library, horizon)
        found = [one for one in rows if kind in (None, one.kind) and holds((one.name, *one.aliases), query)]
        return Page.of(found, limit, offset)

    async def get(self, library: str, name: str, *, guard: Guard | None = None) -> EntityDetail:
        """Return an entity by its name or an alias that only it has. Raises NotFound."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            rows = [one for one in await self._visible_entities(library, horizon) if name in (one.name, *one.aliases)]
            own = [one for one in rows if one.name == name] or (rows if len(rows) == 1 else [])
            found = await self.services.graph.entity(library, own[0].name, horizon) if own else None
            if found is None:
                raise NotFound("name", Message("entity.unknown_or_hidden", library=library, name=name[:80]))
            merged = [] if horizon else [*own[0].merged_by]
            summary = await latest_description(self.services, library, [found.name, *found.aliases], horizon)
            return EntityDetail(**own[0].model_dump(), description=found.description, merged=merged, summary=summary)

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
            depth: steps at most, 1 to 3.
        """
        from tools.story.graph import without_doubles

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
            raise FieldError("to", Message("entity.bad_name"))
        from wenmai.ingestion.library.changes import rename_entity

        async with self._change_library(library) as stores:
            return result_of(await rename_entity(stores, library, name, to))

    async def split(self, library: str, name: str) -> MergeResult:
        """Undo exactly the merge or the new name of an entity, whoever decided it; any other alias becomes an entity.

        Raises InputError.
        """
        from wenmai.ingestion.library.changes import split_entity
        from wenmai.ingestion.library.decisions import load_decisions
        from wenmai.ingestion.library.mending import separate_alias

        async with self._change_library(library) as stores:
            is_merged = (await load_decisions(stores.catalog, library)).effective(name) is not None
            return result_of(await (split_entity if is_merged else separate_alias)(stores, library, name))

    async def set_kind(self, library: str, name: str, kind: EntityKind | None) -> ChangeResult:
        """Say what an entity is; None: that it is no name at all. Later ingests keep it. Raises InputError."""
        from wenmai.ingestion.library.mending import set_kind

        async with self._change_library(library) as stores:
            return ChangeResult.of(*await set_kind(stores, library, name, kind))

    async def changes(self, library: str, *, guard: Guard | None = None) -> Changes:
        """Return what people have decided on names and narrators; nothing under a guard, for it tells of the whole."""
        from wenmai.ingestion.library.mending import list_changes

        async with read_library(self.services, self.caller, library, guard) as horizon:
            found = [] if horizon else await list_changes(self.services.catalog, library)
            return Changes(changes=[ChangeView.of(one) for one in found])

    async def undo(self, library: str, id: str) -> ChangeResult:
        """Take one decision back, however long ago it was made. Raises InputError."""
        from wenmai.ingestion.library.mending import undo_change

        async with self._change_library(library) as stores:
            return ChangeResult.of(*await undo_change(stores, library, id))

    async def narrators(self, library: str, *, guard: Guard | None = None) -> Narrators:
        """Return who narrates each chapter that a reader may see."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            return await self._narrators(library, horizon)

    async def set_narrator(self, library: str, narrator: Narrator) -> Narrators:
        """Decide who narrates some chapters, or that nobody does; later ingests keep it. Raises InputError."""
        from wenmai.ingestion.library.narrators import NarratorDecision, set_narrator

        async with self._change_library(library) as stores:
            passages = await set_narrator(stores, library, NarratorDecision(**narrator.model_dump()))
            return await self._narrators(library, None, passages)

    async def undo_narrators(self, library: str) -> Narrators:
        """Take back every decision on narrators: what the text shows counts again. Raises InputError."""
        from wenmai.ingestion.library.narrators import undo_narrators

        async with self._change_library(library) as stores:
            passages = await undo_narrators(stores, library)
            return await self._narrators(library, None, passages)

    async def _narrators(self, library: str, horizon: Horizon | None, passages: int = 0) -> Narrators:
        from wenmai.ingestion.library.narrators import load_narrators

        known = await load_narrators(self.services.catalog, library)
        rows = [
            ChapterNarrator(
                part=chapter.part,
                chapter=chapter.number,
                title=chapter.title,
                name=known.of(chapter),
                by="person" if known.decision(chapter) else "text",
            )
            for chapter in await self.services.catalog.chapters(library)
            if horizon is None or horizon.shows(chapter.part, chapter.number)
        ]
        return Narrators(chapters=rows, passages=passages)

    @asynccontextmanager
    async def _change_library(self, library: str) -> AsyncIterator["Stores"]:
        self.caller.require_admin()
        self.caller.require_library(library)
        libraries = self.services.libraries
        libraries.require_free(library)
        await self.services.catalog.info(library)
        async with libraries.writing(library):
            # Before anything is decided or written: an engine that meets a full disk in the middle ends the process.
            await self.services.require_room()
            yield self.services.stores

    async def _visible_entities(self, library: str, horizon: Horizon | None) -> Sequence[EntityView]:
        from wenmai.ingestion.library.decisions import load_decisions

        names = await self.services.graph.names(library, horizon)
        if horizon is None:  # the graph knows the counts; opening the passages takes longer than all else
            mentions = {one.entity: one.mentions for one in names}
        else:
            found = await mentions_by_chapter(self.services.passages, library, horizon)
            mentions = {name: places.total() for name, places in found.items()}
        decisions = await load_decisions(self.services.catalog, library)
        spellings: dict[str, list[Name]] = defaultdict(list)
        for name in names:
            spellings[name.entity].append(name)
        rows = [entity_view(entity, found, mentions.get(entity, 0), decisions) for entity, found in spellings.items()]
        return sorted(rows, key=lambda one: (-one.mentions, one.name))


def holds(texts: Iterable[str], query: str | None) -> bool:
    """Return True if one of several texts holds a query, whatever script, case and width they are written in."""
    wanted = fold(query or "")
    return any(wanted in fold(text) for text in texts)


def entity_view(entity: str, names: Sequence[Name], mentions: int, decisions: "Decisions") -> EntityView:
    own = next((one for one in names if one.text == entity), names[0])
    first = own.first if own.text == entity else None
    aliases = [one.text for one in names if one.text != entity]
    rows = [decisions.effective(one) for one in aliases if decisions.resolve(one) == entity]
    return EntityView(
        name=entity,
        kind=own.kind,
        aliases=aliases,
        mentions=mentions,
        first_part=first and first[0],
        first_chapter=first and first[1],
        merged_by={row.name: row.by for row in rows if row},
    )


def result_of(outcome: "WriteOutcome") -> MergeResult:
    return MergeResult(
        name=outcome.name,
        into=outcome.into,
        passages=outcome.change.passages,
        relations=outcome.change.relations,
        events=outcome.change.events,
        aliases=[*outcome.after],
        aliases_before=[*outcome.before],
        entities=outcome.entities,
    )


ID = "Its id as evidence: GET /libraries/{library}/evidence/{id}"
TEXT = "Id of the text"


class ParticipantView(BaseModel):
    """A character of an event."""

    name: str
    role: Role


class EventView(BaseModel):
    """An event; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description=ID)
    name: str
    type: EventType
    primary_character: str
    participants: list[ParticipantView]
    summary: str
    outcome: str | None
    evidence: str
    text_source: str | None = Field(description=TEXT)
    part: int | None
    chapter: int | None
    start: int | None


class RelationView(BaseModel):
    """A directed relation; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description=ID)
    source: str
    type: str = Field(examples=["FAMILY_OF"])
    target: str
    description: str
    evidence: str
    text_source: str | None = Field(description=TEXT)
    part: int | None
    chapter: int | None
    start: int | None


class RelationTypes(BaseModel):
    """The types of a library's relations."""

    types: list[str]


@dataclass(frozen=True, slots=True)
class EventOperations:
    """What can be asked of the events of libraries. Raises LibraryNotFound, FieldError, StoreError."""

    services: Services
    caller: Caller

    @in_range
    async def list(
        self,
        library: str,
        *,
        query: str | None = None,
        entity: str | None = None,
        type: EventType | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[EventView]:
        """Return events in story order; those without a place come last.

        Args:
            query: only those with this in their name, summary, outcome or evidence; script, case and width do not
                count.
            entity: only those that this entity takes part in.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            graph = self.services.graph
            if entity is None:
                rows = [one for one in await graph.every_event(library, horizon) if type in (None, one.event_type)]
            else:
                rows = await graph.events(library, entity, type, horizon)
            if query:
                rows = [one for one in rows if holds((one.name, one.summary, one.outcome or "", one.evidence), query)]
            return Page.of(rows, limit, offset).map(lambda one: event_view(one, library, horizon))


@dataclass(frozen=True, slots=True)
class RelationOperations:
    """What can be asked of the relations of libraries. Raises LibraryNotFound, FieldError, StoreError."""

    services: Services
    caller: Caller

    @in_range
    async def list(
        self,
        library: str,
        *,
        entity: str | None = None,
        other: str | None = None,
        type: str | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[RelationView]:
        """Return relations in story order, each once; those without a place come last.

        Args:
            entity: only those from or to this entity.
            other: with `entity`: only those between the two.
        """
        from tools.story.graph import without_doubles

        async with read_library(self.services, self.caller, library, guard) as horizon:
            graph = self.services.graph
            if entity is None:
                rows = await graph.every_relation(library, type, horizon)
            else:
                rows = await graph.relations(library, entity, horizon, other=other, type=type)
            return Page.of(without_doubles(rows), limit, offset).map(lambda one: relation_view(one, library, horizon))

    async def types(self, library: str, *, guard: Guard | None = None) -> RelationTypes:
        """Return the types of the relations that a reader may see."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            return RelationTypes(types=await self.services.graph.relation_types(library, horizon))


def event_view(event: MajorEvent, library: str, horizon: Horizon | None) -> EventView:
    from tools.base import Scope
    from tools.evidence import event_evidence

    piece = event_evidence(event, Scope(library=library, horizon=horizon), {})
    return EventView(
        id=piece["id"],
        name=event.name,
        type=event.event_type,
        primary_character=event.primary_character,
        participants=[ParticipantView(name=one.name, role=one.role) for one in event.participants],
        summary=event.summary,
        outcome=event.outcome,
        evidence=event.evidence,
        text_source=event.task_id,
        part=event.part,
        chapter=event.chapter,
        start=piece["start"],
    )


def relation_view(relation: Relation, library: str, horizon: Horizon | None) -> RelationView:
    from tools.base import Scope
    from tools.evidence import relation_evidence

    piece = relation_evidence(relation, Scope(library=library, horizon=horizon), {})
    return RelationView(
        id=piece["id"],
        source=relation.source,
        type=relation.type,
        target=relation.target,
        description=relation.description,
        evidence=relation.evidence,
        text_source=relation.task_id,
        part=relation.part,
        chapter=relation.chapter,
        start=piece["start"],
    )
