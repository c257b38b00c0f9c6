"""The schema of a network as a person writes it."""

import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from tools.errors import InputError
from tools.wording import Words

WRONG = Words("{where} 有误（{reason}）", "{where} is wrong ({reason})")
RULE = Words(
    "小写字母或数字开头，只含小写字母、数字、_ 和 -，最多 40 个字符",
    "begins with a small letter or a digit and has small letters, digits, _ and - alone, at most 40 of them",
)
BAD_ID = Words("知识网络的 id 必须{rule}，收到 {id!r}", "the id of a network {rule}, got {id!r}")
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
TEXTS = frozenset({"string", "text"})
NUMBERS = frozenset({"integer", "unsigned integer", "float", "decimal"})
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
        refuse_doubles(names, f"对象类型 {self.id} 的属性")
        for key in (*self.primary_keys, *([self.display_key] if self.display_key else [])):
            if key not in names:
                raise ValueError(f"对象类型 {self.id} 没有属性 {key}")
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
            raise ValueError(f"关系类型 {self.id} 需要 links（文件）或 mapping（属性对）中的一个")
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
        refuse_doubles([one.id for one in self.object_types], "object_types 的 id")
        refuse_doubles([one.id for one in self.relation_types], "relation_types 的 id")
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
            raise ValueError(f"关系类型 {relation.id} 的 {side} {end} 不是对象类型")
        if not kinds[end].primary_keys:
            raise ValueError(f"关系类型 {relation.id} 的 {side} {end} 没有 primary_keys")
        names = {one.name for one in kinds[end].properties}
        for join in relation.mapping:
            if getattr(join, side) not in names:
                raise ValueError(f"关系类型 {relation.id} 的 mapping：{end} 没有属性 {getattr(join, side)}")


def refuse_doubles(names: Iterable[str], what: str) -> None:
    """Raise for a name that is there twice."""
    doubles = [name for name, count in Counter(names).items() if count > 1]
    if doubles:
        raise ValueError(f"{what}重复：{'、'.join(doubles)}")


def check_id(network_id: str) -> str:
    """Return the id of a network. Raises InputError."""
    if ID.fullmatch(network_id):
        return network_id
    rule = RULE
    raise InputError(BAD_ID.of(rule=rule, id=network_id[:80]))


def to_spec(data: Any, where: str) -> NetworkSpec:
    """Return a checked schema. Raises InputError that names every wrong field."""
    try:
        return NetworkSpec.model_validate(data)
    except ValidationError as error:
        wrong = "；".join(f"{place(one['loc'])}{reason(one)}" for one in error.errors())
        raise InputError(WRONG.of(where=where, reason=wrong)) from error


def place(location: Iterable[Any]) -> str:
    """Return where in the file something is: object_types[0].id."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{text.removeprefix('.')}: " if text else ""


def reason(error: Any) -> str:
    """Return what is wrong with a field, with what came."""
    text = str(error["msg"]).removeprefix("Value error, ")
    return text if error["type"] == "value_error" else f"{text}，收到 {shown(error['input'])}"


def shown(value: Any) -> str:
    """Return the beginning of a value; aliases can make one that is endless when it is written out."""
    short = reprlib.Repr()
    short.maxlevel, short.maxstring = SHOWN_LEVELS, SHOWN_CHARACTERS
    return short.repr(value)[:SHOWN_CHARACTERS]
