"""Networks in files: a YAML schema beside CSV or JSON lines, and how they are written out."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from tools.errors import InputError
from tools.wording import Message, Names, Text, Words
from wenmai.knowledge.content import Content, Key, Link, Row, settled
from wenmai.knowledge.parsing import LINE, is_csv, parsed_yaml, records
from wenmai.knowledge.spec import NUMBERS, TEXTS, NetworkSpec, ObjectSpec, PropertySpec, RelationSpec, to_spec

UNKNOWN = Words("{where}有 {type} 没有的属性：{names}", "{where} has properties that {type} lacks: {names}")
FIELD = Words("{where} {name}", "{where}, {name}")
WRONG = Words("{where}：{reason}，收到 {value!r}", "{where}: {reason}, got {value!r}")
NO_TEXT = Words("应为文本", "a text is expected")
NO_UNICODE = Words("含有不成对的代理字符", "it has unpaired surrogates")
NO_NUMBER = Words("应为数字", "a number is expected")
NOT_FINITE = Words("应为有限的数字", "a finite number is expected")
NOT_WHOLE = Words("应为整数", "a whole number is expected")
NO_TRUTH = Words("应为 true 或 false", "true or false is expected")
NOT_SINGLE = Words("应为单个值", "a single value is expected")
MORE_COLUMNS = Words(
    "{where}有多余的列：{names}（关系没有属性）", "{where} has more columns: {names} (relations have no properties)"
)
NO_END = Words("{where}缺少 {name}", "{where} lacks {name}")
NO_COLUMNS = Words("{path} 缺少列：{names}", "{path} lacks the columns {names}")
NOT_WRITTEN = Words("无法写入 {folder}（{reason}）", "{folder} cannot be written ({reason})")
NO_SCHEMA = Words(
    "{path} 里没有 {schema}：它描述对象类型、属性和关系类型",
    "{path} has no {schema}, which describes object types, properties and relation types",
)
SCHEMA_FILE = "network.yaml"
TRUE, FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
YAML_WIDTH = 120
SHOWN = 60  # characters of a wrong value, in a message


def read_network(path: Path, network_id: str | None) -> Content:
    """Return the network of a folder or a schema file, under this id if one is given. Raises InputError."""
    schema = path / SCHEMA_FILE if path.is_dir() else path
    if not schema.is_file():
        raise InputError(NO_SCHEMA.of(path=path, schema=SCHEMA_FILE))
    data = parsed_yaml(schema)
    if isinstance(data, dict) and network_id is not None:
        data["id"] = network_id
    spec = to_spec(data, str(schema))
    rows = {kind.id: read_rows(schema.parent, kind) for kind in spec.object_types}
    links = {one.id: read_links(schema.parent, one, spec) for one in spec.relation_types if one.links}
    return settled(spec, rows, links)


def read_rows(folder: Path, kind: ObjectSpec) -> list[Row]:
    """Return the instances of a type, every property of each. Raises InputError naming file, line and column."""
    path = folder / kind.instances
    readers = {one.name: reader_of(one) for one in kind.properties}
    rows: list[Row] = []
    for number, row in records(path):
        where = LINE.of(path=path, line=number)
        unknown = [name for name in row if name not in readers]
        if unknown:
            raise InputError(UNKNOWN.of(where=where, type=kind.id, names=Names(unknown)))
        missing = [one.name for one in kind.properties if one.name not in row and one.type != "binary"]
        if missing and is_csv(path):  # JSON lines leave nulls out, columns do not
            raise InputError(NO_COLUMNS.of(path=path, names=Names(missing)))
        rows.append(
            {name: value_of(row.get(name), read, FIELD.of(where=where, name=name)) for name, read in readers.items()}
        )
    return rows


def value_of(value: Any, read: Callable[[Any], Any], where: Text) -> Any:
    """Return a value of its property's type, of a list each. Raises InputError."""
    try:
        return [read(one) for one in value] if isinstance(value, list) else None if value is None else read(value)
    except ValueError as error:
        raise InputError(WRONG.of(where=where, reason=error, value=str(value)[:SHOWN])) from error


def reader_of(known: PropertySpec) -> Callable[[Any], Any]:
    """Return what reads a property's values, which raises ValueError."""
    if known.type in TEXTS:
        return text_value
    if known.type in NUMBERS:
        return whole_value if known.type.endswith("integer") else number_value
    return truth_value if known.type == "boolean" else lambda value: value


def text_value(value: Any) -> str:
    """Return a text; one that no store can keep is refused."""
    if not isinstance(value, str):
        raise ValueError(NO_TEXT)
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(NO_UNICODE)
    return value


def number_value(value: Any) -> float | int:
    """Return a number; infinite ones are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(NO_NUMBER)
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError(NOT_FINITE) from error
    except ValueError as error:
        raise ValueError(NO_NUMBER) from error
    if number in (float("inf"), float("-inf")) or number != number:
        raise ValueError(NOT_FINITE)
    return int(value) if isinstance(value, int) else number


def whole_value(value: Any) -> int:
    """Return a whole number."""
    number = number_value(value)
    if number != int(number):
        raise ValueError(NOT_WHOLE)
    return int(value) if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() else int(number)


def truth_value(value: Any) -> bool:
    """Return a truth value."""
    word = str(value).lower()
    if word not in TRUE | FALSE:
        raise ValueError(NO_TRUTH)
    return word in TRUE


def read_links(folder: Path, relation: RelationSpec, spec: NetworkSpec) -> list[Link]:
    """Return the pairs of a relation's file. Raises InputError."""
    assert relation.links is not None
    path = folder / relation.links
    ends = [("source", spec.object_type(relation.source)), ("target", spec.object_type(relation.target))]
    columns = [(side, kind, columns_of(side, kind)) for side, kind in ends]
    links: list[Link] = []
    for number, row in records(path):
        where = LINE.of(path=path, line=number)
        refuse_unknown(row, columns, where)
        first, second = (end_of(row, names, kind, where) for _, kind, names in columns)
        links.append((first, second))
    return links


def refuse_unknown(
    row: Mapping[str, Any], columns: Sequence[tuple[str, ObjectSpec, list[str]]], where: Message
) -> None:
    """Raise InputError for a column that is no end of the pair: a relation has no properties."""
    known = {
        column
        for _, kind, names in columns
        for name, part in zip(names, kind.primary_keys, strict=True)
        for column in (name, f"{name}.{part}")
    }
    unknown = [name for name in row if name not in known]
    if unknown and len(row) > sum(len(names) for _, _, names in columns):
        raise InputError(MORE_COLUMNS.of(where=where, names=Names(unknown)))


def columns_of(side: str, kind: ObjectSpec) -> list[str]:
    """Return the columns of one end: `source`, or `source.<key>` for each part of a composite key."""
    return [side] if len(kind.primary_keys) == 1 else [f"{side}.{name}" for name in kind.primary_keys]


def end_of(row: Mapping[str, Any], names: Sequence[str], kind: ObjectSpec, where: Message) -> Key:
    """Return one end of a pair. Raises InputError."""
    known = {one.name: one for one in kind.properties}
    key: list[Any] = []
    for name, part in zip(names, kind.primary_keys, strict=True):
        value = row.get(name, row.get(f"{name}.{part}"))
        if value is None:
            raise InputError(NO_END.of(where=where, name=name))
        field = FIELD.of(where=where, name=name)
        if isinstance(value, list | dict):
            raise InputError(WRONG.of(where=field, reason=NOT_SINGLE, value=str(value)[:SHOWN]))
        key.append(value_of(value, reader_of(known[part]), field))
    return tuple(key)


def write_network(content: Content, folder: Path) -> None:
    """Write a network as a schema and JSON lines; `read_network` of it is the same again. Raises InputError."""
    write_files(network_files(content), folder)


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write texts by their file names into a folder, which is made. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(NOT_WRITTEN.of(folder=folder, reason=error.strerror)) from error


def network_files(content: Content) -> dict[str, str]:
    """Return a network as a schema and JSON lines, by file name."""
    spec = with_files(content.spec)
    data = spec.model_dump(exclude_defaults=True)
    files = {SCHEMA_FILE: yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=YAML_WIDTH)}
    for kind in spec.object_types:
        files[kind.instances] = json_lines(content.rows[kind.id])
    for relation in spec.relation_types:
        if relation.links:
            files[relation.links] = json_lines(link_rows(relation, spec, content.links[relation.id]))
    return files


def with_files(spec: NetworkSpec) -> NetworkSpec:
    """Return a schema whose files are named after the ids."""
    kinds = [one.model_copy(update={"instances": f"{one.id}.jsonl"}) for one in spec.object_types]
    relations = [
        one.model_copy(update={"links": f"relation_{one.id}.jsonl"}) if one.links else one
        for one in spec.relation_types
    ]
    return spec.model_copy(update={"object_types": kinds, "relation_types": relations})


def link_rows(relation: RelationSpec, spec: NetworkSpec, links: Sequence[Link]) -> Iterator[Row]:
    """Give the pairs of a relation as rows of a file."""
    names = [
        *columns_of("source", spec.object_type(relation.source)),
        *columns_of("target", spec.object_type(relation.target)),
    ]
    for source, target in links:
        yield dict(zip(names, (*source, *target), strict=True))


def json_lines(rows: Iterable[Row]) -> str:
    """Return rows as JSON lines; a null is left out."""
    kept = ({name: value for name, value in row.items() if value is not None} for row in rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
