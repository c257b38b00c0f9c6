"""What the API shows of the types of a network."""

from pydantic import BaseModel

from tools.networks.records import ObjectType


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


def type_view(kind: ObjectType) -> ObjectTypeView:
    """Return what is shown of a type."""
    properties = [
        PropertyView(name=one.name, display_name=one.display_name, type=one.type, is_key=one.name in kind.primary_keys)
        for one in kind.properties
    ]
    return ObjectTypeView(id=kind.id, name=kind.name, comment=kind.comment, properties=properties)
