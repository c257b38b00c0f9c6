"""Events: what happens in the story, who takes part, with its evidence."""

from pydantic import BaseModel, Field

from tools.base import Scope
from tools.evidence import event_evidence
from tools.records import EventType, Horizon, MajorEvent, Role
from wenmai.application.models.paging import GuardedPaging, Page, page_of
from wenmai.web.api.access import horizon_for, readable, services_of
from wenmai.web.rest.endpoints import Call, Resource

resource = Resource("events")


class ParticipantView(BaseModel):
    """A character of an event."""

    name: str
    role: Role


class EventView(BaseModel):
    """An event; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description="Its id as evidence: GET /libraries/{library}/evidence/{id}")
    name: str
    type: EventType
    primary_character: str
    participants: list[ParticipantView]
    summary: str
    outcome: str | None
    evidence: str
    text_source: str | None = Field(description="Id of the text")
    part: int | None
    chapter: int | None
    start: int | None


class EventQuery(GuardedPaging):
    """Which events are asked for."""

    entity: str | None = Field(default=None, description="Only those that this entity takes part in")
    type: EventType | None = Field(default=None, description="Only those of this type")


@resource.get("/libraries/{library}/events", "List events")
async def listed(call: Call[EventQuery, None]) -> Page[EventView]:
    """List events in story order; those without a place come last."""
    library, query = await readable(call), call.query
    horizon, graph = await horizon_for(call, library), (await services_of(call)).graph
    if query.entity is None:
        rows = [one for one in await graph.every_event(library, horizon) if query.type in (None, one.event_type)]
    else:
        rows = await graph.events(library, query.entity, query.type, horizon)
    found = page_of(rows, query)
    return Page(items=[view_of(one, library, horizon) for one in found.items], total=found.total, next=found.next)


def view_of(event: MajorEvent, library: str, horizon: Horizon | None) -> EventView:
    """Return what is shown of an event."""
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
