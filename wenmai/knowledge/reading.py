"""What a file or folder is read as, and corrections: names and labels, keys, and where relations go."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from tools.errors import InputError
from tools.messages import Message, Names
from wenmai.knowledge.content import (
    CheckedContent,
    Id,
    PropertyName,
    SpecPart,
    check_id,
    identifier,
    key_of,
    ordered_content,
    reason,
    to_spec,
)
from wenmai.knowledge.files import SCHEMA_FILE, read_network
from wenmai.knowledge.inferring import read_folder
from wenmai.knowledge.triples import read_triples

FIELD = "mending"
Label = Annotated[str, Field(min_length=1, max_length=200)]


class Joined(SpecPart):
    """A column of a type whose values are keys of another one."""

    source: Id
    column: PropertyName
    target: Id


class Mending(SpecPart):
    """What is corrected; what is not named stays.

    Attributes:
        keys: the primary keys of types.
        relations: where relations go now, None for one that is none.
        added: further relations.
        types: what types are called.
        labels: what the columns of types are called.
        names: what relations are called, also those that are added: these have the id `type_column`.
    """

    name: str = Field(default="", max_length=200)
    keys: dict[Id, list[PropertyName]] = Field(default_factory=dict)
    relations: dict[Id, Id | None] = Field(default_factory=dict)
    added: list[Joined] = Field(default_factory=list)
    types: dict[Id, Label] = Field(default_factory=dict)
    labels: dict[Id, dict[PropertyName, Label]] = Field(default_factory=dict)
    names: dict[Id, Label] = Field(default_factory=dict)


def to_mending(given: str | None) -> Mending | None:
    """Return corrections that are sent as JSON, None for none. Raises InputError."""
    if given is None:
        return None
    try:
        return Mending.model_validate_json(given)
    except ValidationError as error:
        raise InputError(Message("network.mending.wrong", reasons="; ".join(map(reason, error.errors())))) from error


def corrected(content: CheckedContent, by: Mending) -> CheckedContent:
    """Return a network with its corrections. Raises InputError for a key that is empty or double, or a name unknown."""
    spec = content.spec.model_dump()
    spec["name"] = by.name.strip() or spec["name"]
    for kind in spec["object_types"]:
        kind["primary_keys"] = by.keys.get(kind["id"], kind["primary_keys"])
        kind["name"] = by.types.get(kind["id"], kind["name"])
        labels = by.labels.get(kind["id"], {})
        check_known([*labels], [one["name"] for one in kind["properties"]])
        for one in kind["properties"]:
            one["display_name"] = labels.get(one["name"], one["display_name"])
    check_known([*by.keys, *by.types, *by.labels], [one.id for one in content.spec.object_types])
    check_known([*by.relations], [one.id for one in content.spec.relation_types])
    keys = {kind["id"]: kind["primary_keys"] for kind in spec["object_types"]}
    kept = [one for one in spec["relation_types"] if by.relations.get(one["id"], one["target"]) is not None]
    for one in kept:
        target = by.relations.get(one["id"]) or one["target"]
        if target != one["target"]:
            if not one["mapping"]:
                raise InputError(Message("network.mending.relation_of_table", relation=one["id"]))
            one |= {"target": target, "mapping": joining(one["mapping"][0]["source"], target, keys)}
    taken = {one.id for one in content.spec.relation_types}
    for added in by.added:  # named after its column
        id = identifier(f"{added.source}_{added.column}", taken)
        ends = {"source": added.source, "target": added.target}
        name = next((label for one, label in column_labels(spec) if one == (added.source, added.column)), added.column)
        kept.append({"id": id, "name": name, **ends, "mapping": joining(added.column, added.target, keys)})
        taken.add(id)
    check_known([*by.names], [*dict.fromkeys(one["id"] for one in (*spec["relation_types"], *kept))])
    for one in kept:
        one["name"] = by.names.get(one["id"], one["name"])
    spec["relation_types"] = kept
    new = to_spec(spec, FIELD)
    keyed = {
        kind.id: {key_of(row, kind): key_of(row, new.object_type(kind.id)) for row in content.rows[kind.id]}
        for kind in content.spec.object_types
    }
    links = {
        one.id: [(keyed[one.source][source], keyed[one.target][target]) for source, target in content.links[one.id]]
        for one in new.relation_types
        if one.links
    }
    return ordered_content(new, content.rows, links)


def column_labels(spec: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for kind in spec["object_types"]:
        for one in kind["properties"]:
            yield (kind["id"], one["name"]), one["display_name"] or one["name"]


def check_known(named: Sequence[str], known: Sequence[str]) -> None:
    """Check that every id is one of the network. Raises InputError."""
    unknown = [one for one in named if one not in known]
    if unknown:
        raise InputError(Message("network.mending.unknown", unknown=Names(unknown), known=Names(known)))


def joining(column: str, target: str, keys: Mapping[str, Sequence[str]]) -> list[dict[str, str]]:
    """Return the pair of properties that a column makes with the key of its target. Raises InputError."""
    key = keys.get(target, [])
    if len(key) != 1:
        raise InputError(Message("network.mending.target_without_key", target=target))
    return [{"source": column, "target": key[0]}]


YAML = frozenset({".yaml", ".yml"})


def read_content(path: Path, network_id: str | None) -> tuple[CheckedContent, bool]:
    """Return the network of a folder, a schema file or a file of triples, and whether it was inferred.

    A folder without a schema is one of plain CSV files.

    Raises InputError.
    """
    if network_id is not None:
        check_id(network_id)
    if path.suffix.lower() in YAML or (path / SCHEMA_FILE).is_file():
        return read_network(path, network_id), False
    if path.is_dir():
        return read_folder(path, network_id or identifier(path.resolve().name, ())), True
    if path.suffix.lower() != ".json":
        raise InputError(Message("network.file.unknown_path", path=path, schema=SCHEMA_FILE))
    if network_id is None:
        raise InputError(Message("network.file.id_missing"))
    return read_triples(path, network_id), True


def read_mended(path: Path, network_id: str | None, mending: Mending | None) -> tuple[CheckedContent, bool]:
    """Return the network of a path with its corrections, and whether it was inferred. Raises InputError."""
    content, is_inferred = read_content(path, network_id)
    return (corrected(content, mending) if mending else content), is_inferred
