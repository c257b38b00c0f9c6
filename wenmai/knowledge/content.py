"""A network as it is kept here: its schema as a person writes it, its content checked and in order."""

import hashlib
import json
import re
import reprlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Annotated, Any, Literal, Protocol, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tools.errors import InputError
from tools.messages import Message, Names, say
from tools.networks.records import NetworkSchema, ObjectType, Property, RelationType
from tools.ports import KnowledgeNetwork
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
    "string", "text", "integer", "unsigned integer", "float", "decimal", "boolean", "date", "time", "datetime",
    "timestamp", "ip", "point", "shape", "json", "vector", "binary",
]  # fmt: skip
SHOWN_LEVELS, SHOWN_CHARACTERS = 2, 60  # of a wrong value, in its message

Id = Annotated[str, Field(pattern=rf"^{ID.pattern}$")]
PropertyName = Annotated[str, Field(pattern=rf"^{NAME.pattern}$")]


class SpecPart(BaseModel):
    """A part of the file: a misspelled field is an error, not ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PropertySpec(SpecPart):
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


class ObjectSpec(SpecPart):
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


class JoinSpec(SpecPart):
    """One pair of properties that a relation finds equal."""

    source: PropertyName
    target: PropertyName


class RelationSpec(SpecPart):
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


class NetworkSpec(SpecPart):
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
        for field in ("object_types", "relation_types"):
            ids = [one.id for one in getattr(self, field)]
            refuse_doubles(ids, Message("network.schema.repeated_ids", field=field))
        for relation in self.relation_types:
            own = relation.id
            for end, side in ((relation.source, "source"), (relation.target, "target")):
                if end not in kinds:
                    raise ValueError(Message("network.schema.end_not_a_type", relation=own, side=side, type=end))
                if not kinds[end].primary_keys:
                    raise ValueError(Message("network.schema.end_without_keys", relation=own, side=side, type=end))
                names = {one.name for one in kinds[end].properties}
                unknown = [name for join in relation.mapping if (name := getattr(join, side)) not in names]
                if unknown:
                    about = {"type": end, "name": unknown[0]}
                    raise ValueError(Message("network.schema.mapping_unknown_property", relation=own, **about))
        return self

    def object_type(self, id: str) -> ObjectSpec:
        return next(one for one in self.object_types if one.id == id)


def refuse_doubles(names: Iterable[str], what: Message) -> None:
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise ValueError(Message("network.schema.repeated", what=what, names=Names(doubles)))


def check_id(network_id: str) -> str:
    if ID.fullmatch(network_id):
        return network_id
    raise InputError(Message("network.schema.bad_id", rule=Message("network.schema.id_rule"), id=network_id[:80]))


def to_spec(data: Any, where: str) -> NetworkSpec:
    """Return a checked schema. Raises InputError that names every wrong field."""
    try:
        return NetworkSpec.model_validate(data)
    except ValidationError as error:
        wrong = []
        for one in error.errors():  # object_types[0].id: …
            place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in one["loc"])
            wrong.append(f"{place.removeprefix('.')}: {reason(one)}" if place else reason(one))
        raise InputError(Message("network.schema.wrong", where=where, reason=joined(wrong))) from error


def reason(error: Any) -> str:
    """Return what is wrong with a field, with what came."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    is_pattern = error["type"] == "string_pattern_mismatch"
    text = say("network.schema.must_match", **error.get("ctx", {})) if is_pattern else reason_of(error)
    short = reprlib.Repr()  # aliases can make a value that is endless when it is written out
    short.maxlevel, short.maxstring = SHOWN_LEVELS, SHOWN_CHARACTERS
    return say("network.schema.reason_and_value", reason=text, value=short.repr(error["input"])[:SHOWN_CHARACTERS])


# as the service computes them for a view (strings), for text, and for the rest with an index
STRING_OPERATIONS = ("==", "!=", "like", "not_like", "in", "not_in")
TEXT_OPERATIONS = ("==", "!=", "match", "multi_match")
FULL_TEXT_OPERATIONS = ("match", "multi_match")
OTHER_OPERATIONS = ("==", "!=", "in", "not_in")


def operations_of(known: PropertySpec) -> tuple[str, ...]:
    if known.operations is not None:
        return tuple(known.operations)
    if known.type == "binary":
        return ()
    plain = {"string": STRING_OPERATIONS, "text": TEXT_OPERATIONS}.get(known.type, OTHER_OPERATIONS)
    return (*plain, *FULL_TEXT_OPERATIONS) if known.fulltext and known.type == "string" else plain


def to_schema(spec: NetworkSpec, revision: str) -> NetworkSchema:
    object_types = [
        ObjectType(
            id=kind.id,
            name=kind.name,
            comment=kind.comment,
            properties=tuple(
                Property(
                    name=one.name,
                    display_name=one.display_name,
                    type=one.type,
                    comment=one.comment,
                    condition_operations=operations_of(one),
                    mapped_field=one.name if one.mapped else "",
                )
                for one in kind.properties
            ),
            primary_keys=tuple(kind.primary_keys),
            display_key=kind.display_key,
        )
        for kind in spec.object_types
    ]
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
        object_types=tuple(object_types),
        relation_types=tuple(relation_types),
        revision=revision,
    )


Row = Mapping[str, Any]
Key = tuple[Any, ...]
Link = tuple[Key, Key]


@dataclass(frozen=True, slots=True)
class CheckedContent:
    """A network: rows by object type and links by relation type, each sorted by primary keys.

    `dangling` is how many links were left out because an end is no instance.
    """

    spec: NetworkSpec
    rows: Mapping[str, Sequence[Row]]
    links: Mapping[str, Sequence[Link]]
    dangling: int = 0

    @property
    def instances(self) -> int:
        return sum(map(len, self.rows.values()))

    @property
    def relations(self) -> int:
        return sum(map(len, self.links.values()))

    def batches(self, size: int) -> Iterator[tuple[int, ObjectSpec, list[tuple[int, Row]]]]:
        """Give the instances with their places, at most `size` of one type at once, with its number.

        Places ascend by object type and primary keys.
        """
        first = 0
        for number, kind in enumerate(self.spec.object_types):
            rows = self.rows[kind.id]
            for begin in range(0, len(rows), size):
                yield number, kind, list(enumerate(rows[begin : begin + size], first + begin))
            first += len(rows)

    def pairs(self) -> Iterator[tuple[int, list[tuple[int, int]]]]:
        """Give the links of each relation type, with its number, by the places of the instances."""
        keys = ((kind.id, key_of(row, kind)) for kind in self.spec.object_types for row in self.rows[kind.id])
        places = {key: place for place, key in enumerate(keys)}
        for number, one in enumerate(self.spec.relation_types):
            links = self.links[one.id]
            yield number, [(places[one.source, source], places[one.target, target]) for source, target in links]

    def revision(self) -> str:
        """Return a digest of everything: the same content has the same."""
        digest = hashlib.sha256(self.spec.model_dump_json().encode())
        for id, rows in (*self.rows.items(), *self.links.items()):
            digest.update(json.dumps([id, list(rows)], ensure_ascii=True, sort_keys=True).encode())
        return digest.hexdigest()[:32]


def ordered_content(
    spec: NetworkSpec, rows: Mapping[str, Sequence[Row]], links: Mapping[str, Sequence[Link]]
) -> CheckedContent:
    """Return the content in order, without double or dangling links. Raises InputError for a double or empty key."""
    kept = {kind.id: in_order(kind, rows[kind.id]) for kind in spec.object_types}
    ranks = {kind.id: {key_of(row, kind): rank for rank, row in enumerate(kept[kind.id])} for kind in spec.object_types}
    whole: dict[str, list[Link]] = {}
    lost = 0
    for one in spec.relation_types:
        joined = set(links[one.id] if one.links else equal_pairs(one, spec, kept))
        sources, targets = ranks[one.source], ranks[one.target]
        whole[one.id] = sorted(
            (link for link in joined if link[0] in sources and link[1] in targets),
            key=lambda link: (sources[link[0]], targets[link[1]]),
        )
        lost += len(joined) - len(whole[one.id])
    return CheckedContent(spec, kept, whole, lost)


def in_order(kind: ObjectSpec, rows: Sequence[Row]) -> list[Row]:
    """Return the rows of a type by primary keys. Raises InputError."""
    if not kind.primary_keys:
        return list(rows)
    seen: set[Key] = set()
    for row in rows:
        key = key_of(row, kind)
        if any(isinstance(part, list | dict) for part in key):
            raise InputError(
                Message("network.file.key_not_single", kind=kind.id, key=Names(str(one)[:40] for one in key))
            )
        if any(part is None or str(part).isspace() or part == "" for part in key):
            raise InputError(Message("network.file.key_value_empty", kind=kind.id, names=Names(kind.primary_keys)))
        if key in seen:
            raise InputError(Message("network.file.key_value_repeated", kind=kind.id, key=Names(map(str, key))))
        seen.add(key)
    return sorted(rows, key=lambda row: sortable(key_of(row, kind)))


def equal_pairs(relation: RelationSpec, spec: NetworkSpec, rows: Mapping[str, Sequence[Row]]) -> list[Link]:
    """Return the pairs of instances whose mapped properties are equal; null equals nothing."""
    source, target = spec.object_type(relation.source), spec.object_type(relation.target)
    ends: dict[Key, list[Key]] = {}
    for row in rows[target.id]:
        ends.setdefault(hashable(row.get(one.target) for one in relation.mapping), []).append(key_of(row, target))
    return [
        (key_of(row, source), end)
        for row in rows[source.id]
        for values in [hashable(row.get(one.source) for one in relation.mapping)]
        if None not in values
        for end in ends.get(values, [])
    ]


def hashable(values: Iterable[Any]) -> Key:
    """Return values that can be keys; lists and objects are compared by what they hold."""
    return tuple(
        ("json", json.dumps(value, sort_keys=True)) if isinstance(value, list | dict) else value for value in values
    )


def key_of(row: Row, kind: ObjectSpec) -> Key:
    return tuple(row.get(name) for name in kind.primary_keys)


def sortable(key: Iterable[Any]) -> tuple[Any, ...]:
    """Return values so that any two can be compared: numbers before texts before nothing."""
    return tuple((value is None, isinstance(value, str), 0 if value is None else value) for value in key)


Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class StoredNetwork:
    spec: NetworkSpec
    counts: dict[str, int]


@dataclass(frozen=True, slots=True)
class ImportedNetwork:
    """What an import did; `written` is False where the very same content was there."""

    network_id: str
    counts: dict[str, int]
    dangling: int
    written: bool


class KnowledgeStore(KnowledgeNetwork, Protocol):
    """The KnowledgeNetwork port of stored networks, with what changes them."""

    async def networks(self) -> list[StoredNetwork]:
        """Return the networks, by id. Raises StoreError."""
        ...

    async def has(self, network_id: str) -> bool: ...

    async def content(self, network_id: str) -> CheckedContent:
        """Return all that a network holds. Raises KnowledgeRefused (404), KnowledgeFailed."""
        ...

    async def put(self, content: CheckedContent, progress: Progress) -> ImportedNetwork:
        """Make this the content of its network, as a whole or not at all; `progress` gets (done, total).

        Raises StoreLocked, StoreFull, StoreError.
        """
        ...

    async def remove(self, network_id: str) -> dict[str, int]:
        """Remove a network and return how much it held, nothing where that cannot be read.

        Raises KnowledgeRefused (404), StoreLocked.
        """
        ...

    async def close(self) -> None: ...


def sizes(content: CheckedContent) -> dict[str, int]:
    return {
        "object_types": len(content.spec.object_types),
        "relation_types": len(content.spec.relation_types),
        "instances": content.instances,
        "relations": content.relations,
    }
