"""Knowledge networks that are kept here: their types, a look at instances, import and deletion."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.errors import KnowledgeRefused
from tools.networks.records import Instance
from wenmai.application.caller import NO_NETWORK
from wenmai.application.models.paging import Page, Paging, Strict, page_of
from wenmai.inputs import NotFound
from wenmai.knowledge.looking import TIMEOUT_S, Looking, Seen
from wenmai.web.api.access import services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.network_forms import FORM, received
from wenmai.web.rest.network_views import ObjectTypeView, RelationTypeView, type_view

resource = Resource("networks")


class NetworkView(BaseModel):
    """A network with its sizes."""

    id: str
    name: str
    object_types: int
    relation_types: int
    instances: int
    relations: int


class SchemaView(BaseModel):
    """What a network may hold."""

    id: str
    name: str
    object_types: list[ObjectTypeView]
    relation_types: list[RelationTypeView]


class LookQuery(Strict):
    """What is looked for."""

    q: str = Field(min_length=1, description="A value of any property: a name, an id")
    limit: int = Field(default=10, ge=1, le=100)


class InstanceView(BaseModel):
    """An instance."""

    type: str
    display: str
    properties: dict[str, Any]


class BesideView(BaseModel):
    """A neighbour, and how it is reached."""

    relation: str
    direction: Literal["outgoing", "incoming"]
    instance: InstanceView


class SeenView(BaseModel):
    """An instance with its neighbours."""

    instance: InstanceView
    neighbours: list[BesideView]


class SeenPage(BaseModel):
    """What was found."""

    items: list[SeenView]


class ImportReceipt(BaseModel):
    """What an import did; `written` is false where the very same content was there."""

    id: str
    counts: dict[str, int]
    dangling: int = Field(description="Relations that were left out: an end of theirs is no instance")
    written: bool
    is_inferred: bool = Field(description="Whether types and properties were inferred from the content")


class NetworkReceipt(BaseModel):
    """What a deletion took."""

    id: str
    counts: dict[str, int]


@resource.get("/networks", "List networks")
async def listed(call: Call[Paging, None]) -> Page[NetworkView]:
    """List the networks that are kept here and that the key opens, by id."""
    who = viewer(call)
    rows = [
        NetworkView(id=one.spec.id, name=one.spec.name, **one.counts)
        for one in await (await services_of(call)).local_knowledge.networks()
        if who.networks is None or one.spec.id in who.networks
    ]
    return page_of(rows, call.query)


@resource.get("/networks/{network}", "Get the schema of a network")
async def schema(call: Call[None, None]) -> SchemaView:
    """Return the types of instances and relations."""
    id, services, who = call.part("network"), await services_of(call), viewer(call)
    who.require_network(id)
    known = await services.knowledge.schema(id, who.account, timeout_s=TIMEOUT_S)
    relations = [
        RelationTypeView(id=one.id, name=one.name, source=source, target=target, comment=one.comment)
        for one in known.relation_types
        for source, target in [(one.source_object_type_id, one.target_object_type_id)]
    ]
    return SchemaView(
        id=known.id, name=known.name, object_types=list(map(type_view, known.object_types)), relation_types=relations
    )


@resource.get("/networks/{network}/instances", "Look for instances")
async def look(call: Call[LookQuery, None]) -> SeenPage:
    """Return instances that have, or contain, a value, with their neighbours."""
    id, services, who = call.part("network"), await services_of(call), viewer(call)
    who.require_network(id)
    known = await services.knowledge.schema(id, who.account, timeout_s=TIMEOUT_S)
    found = await Looking(services.knowledge, known, who.account).find(call.query.q, call.query.limit)
    return SeenPage(items=[seen_view(one) for one in found])


@resource.post("/networks/{network}", "Import a network", form=FORM, is_for_admins=True)
async def put(call: Call[None, None]) -> ImportReceipt:
    """Make files the content of a network; one of the same id is replaced. Needs the right to administer."""
    id, settings = call.part("network"), (await services_of(call)).settings
    viewer(call).require_network(id)
    content, is_inferred = await received(call.request, id, settings)
    done = await (await services_of(call)).local_knowledge.put(content, lambda _done, _total: None)
    return ImportReceipt(
        id=done.network_id,
        counts=done.counts,
        dangling=done.dangling,
        written=done.written,
        is_inferred=is_inferred,
    )


@resource.delete("/networks/{network}", "Delete a network", is_for_admins=True)
async def remove(call: Call[None, None]) -> NetworkReceipt:
    """Delete a network that is kept here. Needs the right to administer."""
    id, services, who = call.part("network"), await services_of(call), viewer(call)
    who.require_network(id)
    try:
        return NetworkReceipt(id=id, counts=await services.local_knowledge.remove(id))
    except KnowledgeRefused as error:
        raise NotFound("network", NO_NETWORK.of(name=id[:80])) from error


def seen_view(seen: Seen) -> SeenView:
    """Return what is shown of an instance with its neighbours."""
    beside = [
        BesideView(relation=one.relation, direction=one.direction, instance=instance_view(one.instance))
        for one in seen.neighbours
    ]
    return SeenView(instance=instance_view(seen.instance), neighbours=beside)


def instance_view(instance: Instance) -> InstanceView:
    """Return what is shown of an instance; nulls are left out."""
    values = {name: value for name, value in instance.properties.items() if value is not None}
    return InstanceView(type=instance.object_type_id, display=instance.display, properties=values)
