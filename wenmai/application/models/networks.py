"""What operations take and return of knowledge networks."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from tools.networks.records import Instance, NetworkSchema, ObjectType
from wenmai.knowledge.content import CheckedContent, to_schema


class PropertyView(BaseModel):
    """A property of a type."""

    name: str
    display_name: str
    type: str
    is_key: bool
    conditions: list[str] = Field(description="By what instances can be looked for: ==, like …")


class ObjectTypeView(BaseModel):
    """A type of instances."""

    id: str
    name: str
    comment: str
    properties: list[PropertyView]

    @classmethod
    def of(cls, kind: ObjectType) -> "ObjectTypeView":
        """Return a type as operations show it."""
        properties = [
            PropertyView(
                name=one.name,
                display_name=one.display_name,
                type=one.type,
                is_key=one.name in kind.primary_keys,
                conditions=list(one.condition_operations),
            )
            for one in kind.properties
        ]
        return cls(id=kind.id, name=kind.name, comment=kind.comment, properties=properties)


class RelationTypeView(BaseModel):
    """A relation between two types."""

    id: str
    name: str
    source: str
    target: str
    comment: str


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

    @classmethod
    def of(cls, known: NetworkSchema) -> "SchemaView":
        """Return a schema as operations show it."""
        relations = [
            RelationTypeView(
                id=one.id,
                name=one.name,
                source=one.source_object_type_id,
                target=one.target_object_type_id,
                comment=one.comment,
            )
            for one in known.relation_types
        ]
        kinds = [ObjectTypeView.of(one) for one in known.object_types]
        return cls(id=known.id, name=known.name, object_types=kinds, relation_types=relations)


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

    @classmethod
    def of(cls, content: CheckedContent, is_inferred: bool) -> "NetworkPreview":
        """Return what an import would make of a content."""
        schema = to_schema(content.spec, "")
        relations = [
            PreviewedRelation(
                id=one.id,
                name=one.name,
                source=one.source,
                target=one.target,
                comment=one.comment,
                column=one.mapping[0].source if one.mapping else "",
                links=len(content.links[one.id]),
            )
            for one in content.spec.relation_types
        ]
        return cls(
            name=schema.name,
            object_types=[ObjectTypeView.of(one) for one in schema.object_types],
            relation_types=relations,
            instances={id: len(rows) for id, rows in content.rows.items()},
            dangling=content.dangling,
            is_inferred=is_inferred,
        )


class InstanceView(BaseModel):
    """An instance."""

    type: str
    display: str
    properties: dict[str, Any]

    @classmethod
    def of(cls, instance: Instance) -> "InstanceView":
        """Return an instance as operations show it; nulls are left out."""
        values = {name: value for name, value in instance.properties.items() if value is not None}
        return cls(type=instance.object_type_id, display=instance.display, properties=values)


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


class NetworkFiles(BaseModel):
    """A network as files that an import reads back: network.yaml and JSON lines."""

    id: str
    counts: dict[str, int]
    files: dict[str, str] = Field(description="Text by file name")


class NetworkReceipt(BaseModel):
    """What a deletion took."""

    id: str
    counts: dict[str, int]
