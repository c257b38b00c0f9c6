"""The schema of a network as tools read it."""

from tools.networks.records import NetworkSchema, ObjectType, Property, RelationType
from wenmai.knowledge.spec import NetworkSpec, ObjectSpec, PropertySpec, RelationSpec

# as the service computes them for a view (strings), for text, and for the rest with an index
STRING_OPERATIONS = ("==", "!=", "like", "not_like", "in", "not_in")
TEXT_OPERATIONS = ("==", "!=", "match", "multi_match")
FULL_TEXT_OPERATIONS = ("match", "multi_match")
OTHER_OPERATIONS = ("==", "!=", "in", "not_in")


def operations_of(known: PropertySpec) -> tuple[str, ...]:
    """Return what may be asked of a property."""
    if known.operations is not None:
        return tuple(known.operations)
    if known.type == "binary":
        return ()
    plain = {"string": STRING_OPERATIONS, "text": TEXT_OPERATIONS}.get(known.type, OTHER_OPERATIONS)
    return (*plain, *FULL_TEXT_OPERATIONS) if known.fulltext and known.type == "string" else plain


def to_schema(spec: NetworkSpec, revision: str) -> NetworkSchema:
    """Return a schema as tools read it."""
    return NetworkSchema(
        id=spec.id,
        name=spec.name,
        comment=spec.comment,
        object_types=tuple(map(to_object_type, spec.object_types)),
        relation_types=tuple(map(to_relation_type, spec.relation_types)),
        revision=revision,
    )


def to_object_type(spec: ObjectSpec) -> ObjectType:
    """Return an object type as tools read it."""
    return ObjectType(
        id=spec.id,
        name=spec.name,
        comment=spec.comment,
        properties=tuple(map(to_property, spec.properties)),
        primary_keys=tuple(spec.primary_keys),
        display_key=spec.display_key,
    )


def to_property(spec: PropertySpec) -> Property:
    """Return a property as tools read it."""
    return Property(
        name=spec.name,
        display_name=spec.display_name,
        type=spec.type,
        comment=spec.comment,
        condition_operations=operations_of(spec),
        mapped_field=spec.name if spec.mapped else "",
    )


def to_relation_type(spec: RelationSpec) -> RelationType:
    """Return a relation type as tools read it."""
    return RelationType(
        id=spec.id,
        name=spec.name,
        comment=spec.comment,
        source_object_type_id=spec.source,
        target_object_type_id=spec.target,
        mapping=tuple((one.source, one.target) for one in spec.mapping),
    )
