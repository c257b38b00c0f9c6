"""Knowledge networks that are kept here: their types, a look at instances, import and deletion."""

import asyncio
import shutil
from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.errors import KnowledgeRefused
from tools.networks.records import Instance, ObjectType
from wenmai.app.uploads import upload_folder
from wenmai.knowledge.content import Content
from wenmai.knowledge.looking import TIMEOUT_S, Looking, Seen
from wenmai.knowledge.mending import FIELD, mended, to_mending
from wenmai.knowledge.reading import read_content
from wenmai.knowledge.spec import check_id
from wenmai.web.api.access import services_of, viewer
from wenmai.web.api.sources import named_alone
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.forms import form_of, sent_network
from wenmai.web.rest.paging import Page, Paging, Strict, page_of
from wenmai.web.rest.problems import NotFound
from wenmai.web.rest.viewers import NO_NETWORK

FORM = {
    "type": "object",
    "required": ["file"],
    "properties": {
        "file": {
            "type": "array",
            "items": {"type": "string", "format": "binary"},
            "description": "A JSON file of triples, CSV files, network.yaml with its files, or a ZIP archive of such",
        },
        FIELD: {"type": "string", "description": "Corrections as JSON: `name`, `keys`, `relations`, `added`"},
    },
}
resource = Resource("networks")


class NetworkView(BaseModel):
    """A network with its sizes."""

    id: str
    name: str
    object_types: int
    relation_types: int
    instances: int
    relations: int


class PropertyView(BaseModel):
    """A property of a type."""

    name: str
    display_name: str
    type: str
    is_key: bool


class ObjectTypeView(BaseModel):
    """A type of instances."""

    id: str
    name: str
    comment: str
    properties: list[PropertyView]


class RelationTypeView(BaseModel):
    """A relation between two types."""

    id: str
    name: str
    source: str
    target: str
    comment: str


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
    content, is_inferred = await received(call)
    done = await (await services_of(call)).local_knowledge.put(content, lambda _done, _total: None)
    return ImportReceipt(
        id=done.network_id,
        counts=done.counts,
        dangling=done.dangling,
        written=done.written,
        is_inferred=is_inferred,
    )


async def received(call: Call[None, None]) -> tuple[Content, bool]:
    """Return the network that a form sends, corrected as it says, and whether it was inferred. Raises InputError."""
    id, settings, who = call.part("network"), (await services_of(call)).settings, viewer(call)
    who.require_network(id)
    form = await form_of(call.request, settings.max_source_mb * 2**20, settings.request_timeout_s)
    folder = await asyncio.to_thread(upload_folder, settings.data_dir)
    try:
        given = form.get(FIELD)
        with named_alone(folder):
            path = await sent_network(form, folder / check_id(id), settings.max_source_mb * 2**20)
            content, is_inferred = await asyncio.to_thread(read_content, path, id)
        if isinstance(given, str):
            content = await asyncio.to_thread(mended, content, to_mending(given))
    finally:
        await form.close()
        await asyncio.to_thread(shutil.rmtree, folder)
    return content, is_inferred


@resource.delete("/networks/{network}", "Delete a network", is_for_admins=True)
async def remove(call: Call[None, None]) -> NetworkReceipt:
    """Delete a network that is kept here. Needs the right to administer."""
    id, services, who = call.part("network"), await services_of(call), viewer(call)
    who.require_network(id)
    try:
        return NetworkReceipt(id=id, counts=await services.local_knowledge.remove(id))
    except KnowledgeRefused as error:
        raise NotFound("network", NO_NETWORK.of(name=id[:80])) from error


def type_view(kind: ObjectType) -> ObjectTypeView:
    """Return what is shown of a type."""
    properties = [
        PropertyView(name=one.name, display_name=one.display_name, type=one.type, is_key=one.name in kind.primary_keys)
        for one in kind.properties
    ]
    return ObjectTypeView(id=kind.id, name=kind.name, comment=kind.comment, properties=properties)


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
