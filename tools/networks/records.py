"""The records of a typed knowledge network (knowledge.md §1), read into one shape whoever keeps it."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

AccountType = Literal["user", "app", "anonymous", "system"]
Direction = Literal["outgoing", "incoming"]
Operation = str  # which ones hold differs between services
SortOrder = Literal["asc", "desc"]
Value = Any  # plain JSON: text, number, boolean, null, or a list of these

# Types of columns that hold texts and numbers, as services of either generation and our own files call them.
TEXT_TYPES = frozenset({"string", "text", "keyword", "varchar", "char", "fulltext", "full_text"})
NUMBER_TYPES = frozenset(
    {"integer", "int", "long", "short", "bigint", "unsigned integer", "float", "double", "decimal", "number", "numeric"}
)
INSTANCE_LIMIT = 10
MOST_INSTANCES = 10_000
NEIGHBOUR_LIMIT = 10


@dataclass(frozen=True, slots=True)
class Account:
    """The account that asks; it comes from the run, never from a model."""

    id: str
    type: AccountType = "user"


NOBODY = Account("anonymous", "anonymous")


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A data property of an object type.

    Attributes:
        condition_operations: the operations of conditions on it, computed by the service.
        mapped_field: name of the field that its values come from; '' for one without, which conditions must not name;
            None where the service gives none.
        is_numbering: True where its numbers tell instances apart in their order, as versions do, and add up to nothing.
    """

    name: str
    display_name: str = ""
    type: str = "string"
    comment: str = ""
    condition_operations: tuple[Operation, ...] = ()
    mapped_field: str | None = None
    is_numbering: bool = False

    @property
    def label(self) -> str:
        return self.display_name or self.name

    @property
    def is_text(self) -> bool:
        return self.type.lower() in TEXT_TYPES

    @property
    def is_number(self) -> bool:
        return self.type.lower() in NUMBER_TYPES


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectType:
    """A type of instances; logic properties are not among its properties."""

    id: str
    name: str
    comment: str = ""
    properties: tuple[Property, ...] = ()
    primary_keys: tuple[str, ...] = ()
    display_key: str = ""

    def property(self, name: str) -> Property | None:
        return next((one for one in self.properties if one.name == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class RelationType:
    """A relation from one object type to another or the same one.

    Attributes:
        mapping: pairs of properties of source and target that are equal in what it joins; () where links are kept.
    """

    id: str
    name: str
    source_object_type_id: str
    target_object_type_id: str
    comment: str = ""
    mapping: tuple[tuple[str, str], ...] = ()

    @property
    def reflexive(self) -> bool:
        return self.source_object_type_id == self.target_object_type_id

    @property
    def label(self) -> str:
        return self.name or self.id

    def end(self, direction: Direction) -> str:
        return self.target_object_type_id if direction == "outgoing" else self.source_object_type_id

    def directions_from(self, type_id: str) -> list[Direction]:
        """Return the directions in which it leads out of a type: none, one, or both of a relation with itself."""
        sides: tuple[tuple[Direction, str], ...] = (
            ("outgoing", self.source_object_type_id),
            ("incoming", self.target_object_type_id),
        )
        return [direction for direction, start in sides if start == type_id]


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSchema:
    """What a network holds.

    Attributes:
        revision: another one after each change of the content; '' where the service does not tell.
    """

    id: str
    name: str = ""
    comment: str = ""
    object_types: tuple[ObjectType, ...] = ()
    relation_types: tuple[RelationType, ...] = ()
    revision: str = ""

    def object_type(self, id: str) -> ObjectType | None:
        return next((one for one in self.object_types if one.id == id), None)


@dataclass(frozen=True, slots=True)
class Condition:
    """A comparison of one field with a constant, or `and`/`or` over 1 to 100 others."""

    operation: Operation
    field: str = ""
    value: Value = None
    sub_conditions: tuple["Condition", ...] = ()


@dataclass(frozen=True, slots=True)
class Sort:
    field: str
    direction: SortOrder = "asc"


@dataclass(frozen=True, slots=True, kw_only=True)
class InstanceQuery:
    """What interface 1 is asked.

    Attributes:
        properties: only these, all data properties when empty.
        sort: best score first, then primary keys, when empty.
        search_after: where a page before ended; the page then has no total_count.
    """

    object_type_id: str
    condition: Condition | None = None
    limit: int = INSTANCE_LIMIT
    need_total: bool = False
    properties: tuple[str, ...] = ()
    sort: tuple[Sort, ...] = ()
    search_after: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An instance as either generation of the service returns it; system fields are no properties.

    Attributes:
        object_type_name: '' where the service does not tell it.
        identity: values of the primary keys by name, empty where the service does not tell them apart.
        display: its name for people, '' where the service does not tell it.
        score: how well it matches, None for one that was not searched.
    """

    object_type_id: str
    properties: Mapping[str, Value]
    object_type_name: str = ""
    identity: Mapping[str, Value] = field(default_factory=lambda: dict[str, Value]())
    display: str = ""
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InstancePage:
    """Matching instances, best first. `total_count` is None where the service gives none."""

    rows: tuple[Instance, ...] = ()
    total_count: int | None = None
    search_after: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PathQuery:
    """One path of one edge from one instance: the relation in one direction.

    Attributes:
        object_type_id: type of the instance, an end of the relation.
        key: values of all its primary keys by name; never empty.
        direction: outgoing where the instance is the relation's source.
    """

    object_type_id: str
    key: Mapping[str, Value]
    relation: RelationType
    direction: Direction
    limit: int = NEIGHBOUR_LIMIT

    @property
    def neighbour_type_id(self) -> str:
        return self.relation.end(self.direction)


@dataclass(frozen=True, slots=True, kw_only=True)
class PathResult:
    """The instances at the other end, in the service's order, each once.

    Attributes:
        covered: False where a service could only look at a part of the type: the incoming side of a self-relation
            whose type is larger than it starts from.
    """

    neighbours: tuple[Instance, ...] = ()
    covered: bool = True


def equals(name: str, value: Value) -> Condition:
    return Condition("==", name, value)


def any_of(*conditions: Condition) -> Condition:
    return Condition("or", sub_conditions=conditions)


def all_of(*conditions: Condition) -> Condition:
    return Condition("and", sub_conditions=conditions)


MISSING_PART = "__NULL__"  # what newer services write for a missing part of a composite key


def instance_id(instance: Instance, type: ObjectType) -> str:
    """Return the key values joined by `_` in the order of the primary keys, else the value of an `*_id` property."""
    values = instance.identity or {name: instance.properties.get(name) for name in type.primary_keys}
    parts = [values.get(name) for name in type.primary_keys or values]
    if any(part is not None for part in parts):
        return "_".join(MISSING_PART if part is None else str(part) for part in parts)
    return text_of(instance.properties, names_ending(instance.properties, type.id, "_id")) or digest(instance)


def instance_name(instance: Instance, type: ObjectType) -> str:
    """Return the name for people: display, display_key, `<object_type_id>_name`, another `*_name`, the id."""
    keys = [type.display_key, *names_ending(instance.properties, type.id, "_name")]
    return instance.display or text_of(instance.properties, keys) or instance_id(instance, type)


def digest(instance: Instance) -> str:
    """Return a short text that two rows share only where they hold the same."""
    held = json.dumps(dict(instance.properties), ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha1(held.encode(), usedforsecurity=False).hexdigest()[:12]


def key_of(instance: Instance, type: ObjectType) -> dict[str, Any]:
    """Return the values of all primary keys by name; {} where the type has none or one is missing."""
    values = {name: instance.identity.get(name, instance.properties.get(name)) for name in type.primary_keys}
    return {} if any(value is None for value in values.values()) else values


def names_ending(properties: Mapping[str, Any], type_id: str, ending: str) -> list[str]:
    own = f"{type_id}{ending}"
    return [own, *(name for name in properties if name.endswith(ending) and name != own)]


def text_of(properties: Mapping[str, Any], names: Iterable[str]) -> str:
    return next((str(properties[name]) for name in names if properties.get(name) not in (None, "")), "")
