"""What the service knows: networks from a folder of files, `network.yaml` beside CSV or JSON lines."""

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests.ontology_service.conditions import NUMBERS
from tests.ontology_service.refusals import Json

Key = tuple[Any, ...]
SCHEMA_FILE = "network.yaml"
STRING_OPERATIONS = ("==", "!=", "like", "not_like", "in", "not_in")
TEXT_OPERATIONS = ("==", "!=", "match", "multi_match")
FULL_TEXT_OPERATIONS = ("match", "multi_match")
INDEXED_OPERATIONS = ("==", "!=", "in", "not_in")


@dataclass
class Network:
    """One knowledge network: its schema as it is written, its rows, and which keys each relation joins."""

    schema: Json
    rows: Mapping[str, Sequence[Json]]
    links: Mapping[str, Sequence[tuple[Key, Key]]] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Its id."""
        return str(self.schema["id"])

    def object_type(self, id: str) -> Json | None:
        """Return an object type as the file writes it."""
        return next((one for one in self.schema["object_types"] if one["id"] == id), None)

    def relation_type(self, id: str) -> Json | None:
        """Return a relation type as the file writes it."""
        return next((one for one in self.schema.get("relation_types") or [] if one["id"] == id), None)


def key_of(row: Mapping[str, Any], kind: Json) -> Key:
    """Return the values of a row's primary keys."""
    return tuple(row.get(name) for name in kind.get("primary_keys") or [])


def operations(known: Json, indexed: bool) -> list[str]:
    """Return what may be asked of a property (KNO-11)."""
    if "operations" in known:
        return list(known["operations"])
    plain = {"string": STRING_OPERATIONS, "text": TEXT_OPERATIONS}.get(known["type"], ())
    if known["type"] == "binary":
        return []
    words = FULL_TEXT_OPERATIONS if known.get("fulltext") and known["type"] == "string" else ()
    return [*(plain or (INDEXED_OPERATIONS if indexed else ())), *words]


def load(folder: Path) -> Network:
    """Read a network."""
    schema = yaml.safe_load((folder / SCHEMA_FILE).read_text(encoding="utf-8"))
    kinds = {kind["id"]: kind for kind in schema["object_types"]}
    rows = {id: read_rows(folder / kind["instances"], kind) for id, kind in kinds.items()}
    links = {one["id"]: read_links(folder, one, kinds, rows) for one in schema.get("relation_types") or []}
    return Network(schema, rows, links)


def read_rows(path: Path, kind: Json) -> list[Json]:
    """Read the instances of a type; an empty cell of a CSV file is null."""
    types = {one["name"]: one["type"] for one in kind["properties"]}
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [{n: typed(v, types[n]) for n, v in row.items()} for row in csv.DictReader(file)]
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def typed(cell: str, type: str) -> Any:
    """Return a cell of a CSV file as its type."""
    if not cell:
        return None
    if type in NUMBERS:
        return float(cell) if "." in cell else int(cell)
    return cell == "true" if type == "boolean" else cell


def read_links(
    folder: Path, relation: Json, kinds: Mapping[str, Json], rows: Mapping[str, Sequence[Json]]
) -> list[tuple[Key, Key]]:
    """Read which keys a relation joins: from a file of pairs, or where properties are equal."""
    source, target = kinds[relation["source"]], kinds[relation["target"]]
    if "links" in relation:
        path = folder / relation["links"]
        pairs = read_pairs(path)
        return [(end(pair, "source", source), end(pair, "target", target)) for pair in pairs]
    return [
        (key_of(one, source), key_of(other, target))
        for one in rows[source["id"]]
        for other in rows[target["id"]]
        if all(one.get(r["source"]) == other.get(r["target"]) is not None for r in relation["mapping"])
    ]


def read_pairs(path: Path) -> list[Json]:
    """Read a file of pairs."""
    if path.suffix == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def end(pair: Json, side: str, kind: Json) -> Key:
    """Return one end of a pair: `source`, or `source.<key>` for each part of a composite key."""
    types = {one["name"]: one["type"] for one in kind["properties"]}
    keys = kind["primary_keys"]
    cells = [pair.get(f"{side}.{name}", pair.get(side) if len(keys) == 1 else None) for name in keys]
    return tuple(typed(c, types[n]) if isinstance(c, str) else c for n, c in zip(keys, cells, strict=True))
