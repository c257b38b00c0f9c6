"""Events and relations: what happens in a story and who is related, with the evidence."""

from dataclasses import dataclass

from tools.records import EventType, Horizon, MajorEvent, Relation
from wenmai.app.container import Services
from wenmai.application.caller import Caller
from wenmai.application.guard import read_library
from wenmai.application.models.events import EventView, ParticipantView, RelationTypes, RelationView
from wenmai.application.models.paging import USUAL, FirstRow, Guard, Page, Rows, in_range, part_of


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
        entity: str | None = None,
        type: EventType | None = None,
        guard: Guard | None = None,
        limit: Rows = USUAL,
        offset: FirstRow = 0,
    ) -> Page[EventView]:
        """Return events in story order; those without a place come last.

        Args:
            library: its name.
            entity: only those that this entity takes part in.
            type: only those of this type.
            guard: hides those of later chapters.
            limit: rows at most.
            offset: rows that are left out at the beginning.
        """
        async with read_library(self.services, self.caller, library, guard) as horizon:
            graph = self.services.graph
            if entity is None:
                rows = [one for one in await graph.every_event(library, horizon) if type in (None, one.event_type)]
            else:
                rows = await graph.events(library, entity, type, horizon)
            found = part_of(rows, limit, offset)
            return Page(
                items=[event_view(one, library, horizon) for one in found.items], total=len(rows), next=found.next
            )


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
            library: its name.
            entity: only those from or to this entity.
            other: with `entity`: only those between the two.
            type: only those of this type.
            guard: hides those of later chapters.
            limit: rows at most.
            offset: rows that are left out at the beginning.
        """
        from tools.story.graph import without_doubles

        async with read_library(self.services, self.caller, library, guard) as horizon:
            graph = self.services.graph
            if entity is None:
                rows = await graph.every_relation(library, type, horizon)
            else:
                rows = await graph.relations(library, entity, horizon, other=other, type=type)
            found = part_of(without_doubles(rows), limit, offset)
            items = [relation_view(one, library, horizon) for one in found.items]
            return Page(items=items, total=found.total, next=found.next)

    async def types(self, library: str, *, guard: Guard | None = None) -> RelationTypes:
        """Return the types of the relations that a reader may see."""
        async with read_library(self.services, self.caller, library, guard) as horizon:
            return RelationTypes(types=await self.services.graph.relation_types(library, horizon))


def event_view(event: MajorEvent, library: str, horizon: Horizon | None) -> EventView:
    """Return what is shown of an event."""
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
    """Return what is shown of a relation."""
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
