"""The schema of a network as a person writes it."""

import re
import reprlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from itertools import count
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tools.errors import InputError
from tools.messages import Message, Names, say
from tools.networks.records import NetworkSchema, ObjectType, Property, RelationType
from tools.reasons import joined, reason_of

LONGEST = 40
OTHER = re.compile(r"[^a-z0-9]+")


def identifier(text: str, taken: Collection[str]) -> str:
    """Return an id for a name: its Latin letters, Chinese as pinyin; a number behind it if it is taken."""
    from pypinyin import lazy_pinyin

    spelled = "_".join(lazy_pinyin(text)).casefold().replace("ü", "v")
    base = OTHER.sub("_", spelled).strip("_")[:LONGEST].rstrip("_") or "x"
    if base not in taken:
        return base
    return next(name for n in count(2) if (name := f"{base[: LONGEST - len(str(n)) - 1]}_{n}") not in taken)


def identifiers(texts: Collection[str], reserved: Collection[str] = ()) -> dict[str, str]:
    """Return an id for each name, in order, none of them reserved."""
    found: dict[str, str] = {}
    taken = set(reserved)
    for text in texts:
        found[text] = identifier(text, taken)
        taken.add(found[text])
    return found


ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,39}")
NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_-]{0,39}")
DataType = Literal[
    "string",
    "text",
    "integer",
    "unsigned integer",
    "float",
    "decimal",
    "boolean",
    "date",
    "time",
    "datetime",
    "timestamp",
    "ip",
    "point",
    "shape",
    "json",
    "vector",
    "binary",
]
SHOWN_LEVELS, SHOWN_CHARACTERS = 2, 60  # of a wrong value, in its message

Id = Annotated[str, Field(pattern=rf"^{ID.pattern}$")]
PropertyName = Annotated[str, Field(pattern=rf"^{NAME.pattern}$")]


class Part(BaseModel):
    """A part of the file: a misspelled field is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PropertySpec(Part):
    """A data property.

    Attributes:
        operations: what conditions may ask of it; unset: by its type.
        mapped: false for one that conditions must not name.
        fulltext: a string that is searched by its words too.
    """

    name: PropertyName
    display_name: str = ""
    type: DataType = "string"
    comment: str = ""
    operations: list[str] | None = None
    mapped: bool = True
    fulltext: bool = False


class ObjectSpec(Part):
    """An object type, and the file of its instances beside the schema."""

    id: Id
    name: str
    comment: str = ""
    primary_keys: list[PropertyName] = Field(default_factory=list)
    display_key: str = ""
    index: bool = True
    instances: str
    properties: list[PropertySpec] = Field(min_length=1)

    @model_validator(mode="after")
    def keys_are_properties(self) -> Self:
        """Check that keys are among the properties, and that none is there twice."""
        names = [one.name for one in self.properties]
        refuse_doubles(names, Message("network.schema.repeated_properties", type=self.id))
        for key in (*self.primary_keys, *([self.display_key] if self.display_key else [])):
            if key not in names:
                raise ValueError(Message("network.schema.unknown_property", type=self.id, name=key))
        return self


class JoinSpec(Part):
    """One pair of properties that a relation finds equal."""

    source: PropertyName
    target: PropertyName


class RelationSpec(Part):
    """A relation type: a file of pairs, or pairs of properties that are equal."""

    id: Id
    name: str
    comment: str = ""
    source: Id
    target: Id
    links: str | None = None
    mapping: list[JoinSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def one_way_to_find_pairs(self) -> Self:
        """Check that there is a file or a mapping, not both."""
        if (self.links is None) == (not self.mapping):
            raise ValueError(Message("network.schema.links_or_mapping", relation=self.id))
        return self


class NetworkSpec(Part):
    """The schema file of a network."""

    id: Id
    name: str = ""
    comment: str = ""
    object_types: list[ObjectSpec] = Field(min_length=1)
    relation_types: list[RelationSpec] = Field(default_factory=list)

    @model_validator(mode="after")
    def ends_are_known(self) -> Self:
        """Check that relations join types with what they need, and that no id is there twice."""
        kinds = {one.id: one for one in self.object_types}
        refuse_doubles(
            [one.id for one in self.object_types], Message("network.schema.repeated_ids", field="object_types")
        )
        refuse_doubles(
            [one.id for one in self.relation_types], Message("network.schema.repeated_ids", field="relation_types")
        )
        for relation in self.relation_types:
            check_ends(relation, kinds)
        return self

    def object_type(self, id: str) -> ObjectSpec:
        """Return the object type of an id that is known to be there."""
        return next(one for one in self.object_types if one.id == id)


def check_ends(relation: RelationSpec, kinds: Mapping[str, ObjectSpec]) -> None:
    """Check that the ends of a relation are types with keys, and have the properties that it compares."""
    for end, side in ((relation.source, "source"), (relation.target, "target")):
        if end not in kinds:
            raise ValueError(Message("network.schema.end_not_a_type", relation=relation.id, side=side, type=end))
        if not kinds[end].primary_keys:
            raise ValueError(Message("network.schema.end_without_keys", relation=relation.id, side=side, type=end))
        names = {one.name for one in kinds[end].properties}
        for join in relation.mapping:
            if (name := getattr(join, side)) not in names:
                raise ValueError(
                    Message("network.schema.mapping_unknown_property", relation=relation.id, type=end, name=name)
                )


def refuse_doubles(names: Iterable[str], what: Message) -> None:
    """Raise for a name that is there twice."""
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise ValueError(Message("network.schema.repeated", what=what, names=Names(doubles)))


def check_id(network_id: str) -> str:
    """Return the id of a network. Raises InputError."""
    if ID.fullmatch(network_id):
        return network_id
    raise InputError(Message("network.schema.bad_id", rule=Message("network.schema.id_rule"), id=network_id[:80]))


def to_spec(data: Any, where: str) -> NetworkSpec:
    """Return a checked schema. Raises InputError that names every wrong field."""
    try:
        return NetworkSpec.model_validate(data)
    except ValidationError as error:
        wrong = joined(f"{place(one['loc'])}{reason(one)}" for one in error.errors())
        raise InputError(Message("network.schema.wrong", where=where, reason=wrong)) from error


def place(location: Iterable[Any]) -> str:
    """Return where in the file something is: object_types[0].id."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{text.removeprefix('.')}: " if text else ""


def reason(error: Any) -> str:
    """Return what is wrong with a field, with what came."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    context = error.get("ctx", {})
    text = (
        say("network.schema.must_match", **context) if error["type"] == "string_pattern_mismatch" else reason_of(error)
    )
    return say("network.schema.reason_and_value", reason=text, value=shown(error["input"]))


def shown(value: Any) -> str:
    """Return the beginning of a value; aliases can make one that is endless when it is written out."""
    short = reprlib.Repr()
    short.maxlevel, short.maxstring = SHOWN_LEVELS, SHOWN_CHARACTERS
    return short.repr(value)[:SHOWN_CHARACTERS]


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
    relation_types = [
        RelationType(
            id=one.id,
            name=one.name,
            comment=one.comment,
            source_object_type_id=one.source,
            target_object_type_id=one.target,
            mapping=tuple((join.source, join.target) for join in one.mapping),
        )
        for one in spec.relation_types
    ]
    return NetworkSchema(
        id=spec.id,
        name=spec.name,
        comment=spec.comment,
        object_types=tuple(map(to_object_type, spec.object_types)),
        relation_types=tuple(relation_types),
        revision=revision,
    )


def to_object_type(spec: ObjectSpec) -> ObjectType:
    """Return an object type as tools read it."""
    properties = [
        Property(
            name=one.name,
            display_name=one.display_name,
            type=one.type,
            comment=one.comment,
            condition_operations=operations_of(one),
            mapped_field=one.name if one.mapped else "",
        )
        for one in spec.properties
    ]
    return ObjectType(
        id=spec.id,
        name=spec.name,
        comment=spec.comment,
        properties=tuple(properties),
        primary_keys=tuple(spec.primary_keys),
        display_key=spec.display_key,
    )
