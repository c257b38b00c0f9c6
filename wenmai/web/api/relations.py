"""Relations: what a text states of two entities, with its evidence."""

from pydantic import BaseModel, Field

from tools.base import Scope
from tools.evidence import relation_evidence
from tools.records import Horizon, Relation
from tools.story.relations import without_doubles
from wenmai.application.models.paging import Guard, GuardedPaging, Page, page_of
from wenmai.web.api.access import horizon_for, readable, services_of
from wenmai.web.rest.endpoints import Call, Resource

resource = Resource("relations")


class RelationView(BaseModel):
    """A directed relation; `evidence` is verbatim in the chapter from `start` on."""

    id: str = Field(description="Its id as evidence: GET /libraries/{library}/evidence/{id}")
    source: str
    type: str = Field(examples=["FAMILY_OF"])
    target: str
    description: str
    evidence: str
    text_source: str | None = Field(description="Id of the text")
    part: int | None
    chapter: int | None
    start: int | None


class RelationQuery(GuardedPaging):
    """Which relations are asked for."""

    entity: str | None = Field(default=None, description="Only those from or to this entity")
    other: str | None = Field(default=None, description="With `entity`: only those between the two")
    type: str | None = Field(default=None, description="Only those of this type")


class RelationTypes(BaseModel):
    """The types of a library's relations."""

    types: list[str]


@resource.get("/libraries/{library}/relations", "List relations")
async def listed(call: Call[RelationQuery, None]) -> Page[RelationView]:
    """List relations in story order; those without a place come last."""
    library, query = await readable(call), call.query
    horizon, graph = await horizon_for(call, library), (await services_of(call)).graph
    if query.entity is None:
        rows = await graph.every_relation(library, query.type, horizon)
    else:
        rows = await graph.relations(library, query.entity, horizon, other=query.other, type=query.type)
    found = page_of(without_doubles(rows), query)
    return Page(items=[view_of(one, library, horizon) for one in found.items], total=found.total, next=found.next)


@resource.get("/libraries/{library}/relation-types", "List types of relations")
async def types(call: Call[Guard, None]) -> RelationTypes:
    """List the types of the relations that a reader may see."""
    library = await readable(call)
    graph = (await services_of(call)).graph
    return RelationTypes(types=await graph.relation_types(library, await horizon_for(call, library)))


def view_of(relation: Relation, library: str, horizon: Horizon | None) -> RelationView:
    """Return what is shown of a relation."""
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
