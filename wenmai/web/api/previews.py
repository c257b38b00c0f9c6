"""A look at a text or a network before it is taken in: chapters, or types and relations. Nothing is stored."""

from pydantic import BaseModel, Field

from wenmai.knowledge.schema_records import to_schema
from wenmai.knowledge.spec import RelationSpec
from wenmai.web.api.access import services_of, viewer
from wenmai.web.rest.endpoints import Call, Resource
from wenmai.web.rest.network_forms import FORM as NETWORK_FORM
from wenmai.web.rest.network_forms import received
from wenmai.web.rest.network_views import ObjectTypeView, RelationTypeView, type_view

network_resource = Resource("networks")


class PreviewedRelation(RelationTypeView):
    """A relation as it would be kept."""

    column: str = Field(description="The property whose values name the other end, '' where a table joins both ends")
    links: int


class NetworkPreview(BaseModel):
    """What an import would make of files."""

    name: str
    object_types: list[ObjectTypeView]
    relation_types: list[PreviewedRelation]
    instances: dict[str, int] = Field(description="How many there are of each type")
    dangling: int
    is_inferred: bool


@network_resource.post(
    "/networks/{network}/preview", "Look at a network before it is imported", form=NETWORK_FORM, is_for_admins=True
)
async def previewed_network(call: Call[None, None]) -> NetworkPreview:
    """Return the types and relations of files; nothing is stored. Needs the right to administer."""
    id, settings = call.part("network"), (await services_of(call)).settings
    viewer(call).require_network(id)
    content, is_inferred = await received(call.request, id, settings)
    schema = to_schema(content.spec, "")
    return NetworkPreview(
        name=schema.name,
        object_types=list(map(type_view, schema.object_types)),
        relation_types=[relation_view(one, len(content.links[one.id])) for one in content.spec.relation_types],
        instances={id: len(rows) for id, rows in content.rows.items()},
        dangling=content.dangling,
        is_inferred=is_inferred,
    )


def relation_view(one: RelationSpec, links: int) -> PreviewedRelation:
    """Return what is shown of a relation."""
    column = one.mapping[0].source if one.mapping else ""
    return PreviewedRelation(
        id=one.id, name=one.name, source=one.source, target=one.target, comment=one.comment, column=column, links=links
    )
