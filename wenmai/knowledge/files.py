"""Networks in files: a YAML schema beside CSV or JSON lines, and how they are written out.

Files are read strictly: what a parser would drop or overflow on is refused.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

import yaml

from tools.errors import InputError
from tools.messages import Message, Names, Text, say
from tools.networks.records import NUMBER_TYPES, TEXT_TYPES
from wenmai.knowledge.content import (
    CheckedContent,
    Link,
    NetworkSpec,
    ObjectSpec,
    PropertySpec,
    RelationSpec,
    Row,
    ordered_content,
    to_spec,
)

KEY_SHOWN = 40  # characters of a key, in a message
LONGEST_CELL = 2**31 - 1  # characters; the parser's own limit of 131,072 holds for CSV alone, not for JSON lines
CSV_ERRORS = {
    "unexpected end of data": Message("network.file.csv_quote_not_closed"),
    "',' expected after '\"'": Message("network.file.csv_after_quote"),
}


class StrictLoader(yaml.SafeLoader):
    """YAML without objects, in which no key of a mapping stands twice: the first would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping. Raises ConstructorError for a double key."""
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                problem = say("network.file.yaml_key_repeated", key=key.value[:KEY_SHOWN])
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else "")
        return super().construct_mapping(node, deep)


def parsed_yaml(path: Path) -> Any:
    try:
        return yaml.load(text_of(path), Loader=StrictLoader)
    except (RecursionError, yaml.YAMLError) as error:
        where, mark = Message("network.file.whole_file", path=path), getattr(error, "problem_mark", None)
        if mark:
            where = Message("network.file.line", path=path, line=mark.line + 1)
        reason = getattr(error, "problem", None) or Message("network.file.not_parsed")
        if isinstance(error, RecursionError):
            reason = Message("file.nested_too_deep")
        raise InputError(Message("network.file.bad_yaml", where=where, reason=reason)) from error


def parsed_json(text: str, where: Message) -> Any:
    """Return what a JSON text holds; no key of an object stands twice. Raises InputError."""
    try:
        return json.loads(text, object_pairs_hook=single)
    except (RecursionError, ValueError) as error:
        reason = Message("file.nested_too_deep") if isinstance(error, RecursionError) else error
        raise InputError(Message("network.file.bad_json", where=where, reason=reason)) from error


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs. Raises ValueError for a double key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        double = first_double([name for name, _ in pairs])
        raise ValueError(Message("network.file.yaml_key_repeated", key=double[:KEY_SHOWN]))
    return found


def first_double(names: list[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(Message("file.not_utf8", path=path)) from error
    except OSError as error:
        raise InputError(Message("file.not_read", path=path, reason=error.strerror)) from error


def is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the records of a CSV or JSON lines file with their line numbers. Raises InputError."""
    if is_csv(path):
        yield from csv_records(path, text_of(path))
    elif path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if line.strip():
                row = parsed_json(line, Message("network.file.line", path=path, line=number))
                if not isinstance(row, dict):
                    raise InputError(Message("network.file.line_not_an_object", path=path, line=number))
                yield number, row
    else:
        raise InputError(Message("network.file.wrong_extension", path=path))


def csv_records(path: Path, text: str, delimiter: str = ",") -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows of a CSV file with this text as texts; an empty cell is null."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        names = list(reader.fieldnames or ())
        if not names:
            raise InputError(Message("network.file.header_missing", path=path))
        if len(set(names)) < len(names):
            raise InputError(Message("network.file.column_repeated", path=path, name=first_double(names)))
        for row in reader:
            if None in row or None in row.values():
                raise InputError(Message("network.file.wrong_number_of_columns", path=path, line=reader.line_num))
            yield reader.line_num, {name: cell or None for name, cell in row.items()}
    except csv.Error as error:
        reason = CSV_ERRORS.get(str(error), str(error))
        raise InputError(Message("network.file.bad_csv", path=path, line=reader.line_num, reason=reason)) from error


ZIP = ".zip"
PACKED = frozenset({".csv", ".json", ".jsonl", ".yaml", ".yml"})


def unpack(archive: Path, most: int) -> None:
    """Write the files of an archive beside it, without their folders, and remove it.

    Raises InputError for what is no archive, is encrypted, or holds more than `most` bytes.
    """
    try:
        with opened(archive) as packed:
            files = {PurePosixPath(one.filename).name: one for one in packed.infolist() if not one.is_dir()}
            files = {name: one for name, one in files.items() if PurePosixPath(name).suffix.lower() in PACKED}
            if sum(one.file_size for one in files.values()) > most:
                raise InputError(Message("network.file.unpacked_too_large", name=archive.name, most=most >> 20))
            for name, one in files.items():
                if not name.startswith("."):
                    (archive.parent / name).write_bytes(packed.read(one))
    except (BadZipFile, RuntimeError, NotImplementedError, UnicodeDecodeError) as error:
        raise InputError(Message("network.file.bad_zip", name=archive.name)) from error
    archive.unlink()


def opened(archive: Path) -> ZipFile:
    """Return an archive. Names whose encoding it does not say are of macOS, of Chinese Windows, else of MS-DOS."""
    for encoding in ("utf-8", "gb18030"):
        with suppress(UnicodeDecodeError):
            return ZipFile(archive, metadata_encoding=encoding)
    return ZipFile(archive)


SCHEMA_FILE = "network.yaml"
TRUE, FALSE = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})
YAML_WIDTH = 120
SHOWN = 60  # characters of a wrong value, in a message


def read_network(path: Path, network_id: str | None) -> CheckedContent:
    """Return the network of a folder or a schema file, under this id if one is given. Raises InputError."""
    schema = path / SCHEMA_FILE if path.is_dir() else path
    if not schema.is_file():
        raise InputError(Message("network.file.no_schema", path=path, schema=SCHEMA_FILE))
    data = parsed_yaml(schema)
    if isinstance(data, dict) and network_id is not None:
        data["id"] = network_id
    spec = to_spec(data, str(schema))
    rows = {kind.id: read_rows(schema.parent, kind) for kind in spec.object_types}
    links = {one.id: read_links(schema.parent, one, spec) for one in spec.relation_types if one.links}
    return ordered_content(spec, rows, links)


def read_rows(folder: Path, kind: ObjectSpec) -> list[Row]:
    """Return the instances of a type, every property of each. Raises InputError naming file, line and column."""
    path = folder / kind.instances
    readers = {one.name: reader_of(one) for one in kind.properties}
    rows: list[Row] = []
    for number, row in records(path):
        where = Message("network.file.line", path=path, line=number)
        unknown = [name for name in row if name not in readers]
        if unknown:
            about = {"type": kind.id, "names": Names(unknown)}
            raise InputError(Message("network.file.unknown_properties", where=where, **about))
        missing = [one.name for one in kind.properties if one.name not in row and one.type != "binary"]
        if missing and is_csv(path):  # JSON lines leave nulls out, columns do not
            raise InputError(Message("network.file.columns_missing", path=path, names=Names(missing)))
        rows.append(
            {
                name: value_of(row.get(name), read, Message("network.file.field_of_row", where=where, name=name))
                for name, read in readers.items()
            }
        )
    return rows


def value_of(value: Any, read: Callable[[Any], Any], where: Text) -> Any:
    """Return a value of its property's type, of a list each. Raises InputError."""
    try:
        return [read(one) for one in value] if isinstance(value, list) else None if value is None else read(value)
    except ValueError as error:
        shown = str(value)[:SHOWN]
        raise InputError(Message("network.file.wrong_value", where=where, reason=error, value=shown)) from error


def reader_of(known: PropertySpec) -> Callable[[Any], Any]:
    if known.type in TEXT_TYPES:
        return text_value
    if known.type in NUMBER_TYPES:
        return whole_value if known.type.endswith("integer") else number_value
    return truth_value if known.type == "boolean" else lambda value: value


def text_value(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(Message("network.file.text_expected"))
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ValueError(Message("network.file.lone_surrogates"))
    return value


def number_value(value: Any) -> float | int:
    """Return a number; infinite ones are none."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(Message("network.file.number_expected"))
    try:
        number = float(value)
    except OverflowError as error:
        raise ValueError(Message("network.file.finite_number_expected")) from error
    except ValueError as error:
        raise ValueError(Message("network.file.number_expected")) from error
    if number in (float("inf"), float("-inf")) or number != number:
        raise ValueError(Message("network.file.finite_number_expected"))
    return int(value) if isinstance(value, int) else number


def whole_value(value: Any) -> int:
    number = number_value(value)
    if number != int(number):
        raise ValueError(Message("network.file.integer_expected"))
    return int(value) if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() else int(number)


def truth_value(value: Any) -> bool:
    word = str(value).lower()
    if word not in TRUE | FALSE:
        raise ValueError(Message("network.file.boolean_expected"))
    return word in TRUE


def read_links(folder: Path, relation: RelationSpec, spec: NetworkSpec) -> list[Link]:
    """Return the pairs of a relation's file, which has no other columns. Raises InputError."""
    assert relation.links is not None
    path = folder / relation.links
    kinds = (("source", spec.object_type(relation.source)), ("target", spec.object_type(relation.target)))
    parts: list[tuple[str, str, Callable[[Any], Any]]] = []
    for side, kind in kinds:
        readers = {one.name: reader_of(one) for one in kind.properties}
        parts += [
            (name, part, readers[part]) for name, part in zip(columns_of(side, kind), kind.primary_keys, strict=True)
        ]
    known = {column for name, part, _ in parts for column in (name, f"{name}.{part}")}
    border = len(kinds[0][1].primary_keys)
    links: list[Link] = []
    for number, row in records(path):
        where = Message("network.file.line", path=path, line=number)
        unknown = [name for name in row if name not in known]
        if unknown and len(row) > len(parts):
            raise InputError(Message("network.file.extra_columns", where=where, names=Names(unknown)))
        keys: list[Any] = []
        for name, part, read in parts:
            value = row.get(name, row.get(f"{name}.{part}"))
            if value is None:
                raise InputError(Message("network.file.end_missing", where=where, name=name))
            field = Message("network.file.field_of_row", where=where, name=name)
            if isinstance(value, list | dict):
                why = Message("network.file.single_value_expected")
                raise InputError(Message("network.file.wrong_value", where=field, reason=why, value=str(value)[:SHOWN]))
            keys.append(value_of(value, read, field))
        links.append((tuple(keys[:border]), tuple(keys[border:])))
    return links


def columns_of(side: str, kind: ObjectSpec) -> list[str]:
    """Return the columns of one end: `source`, or `source.<key>` for each part of a composite key."""
    return [side] if len(kind.primary_keys) == 1 else [f"{side}.{name}" for name in kind.primary_keys]


def write_files(files: Mapping[str, str], folder: Path) -> None:
    """Write texts by their file names into a folder, which is made. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise InputError(Message("network.file.folder_not_written", folder=folder, reason=error.strerror)) from error


def network_files(content: CheckedContent) -> dict[str, str]:
    """Return a network as a schema and JSON lines, by file name; `read_network` of it is the same again."""
    kinds = [one.model_copy(update={"instances": f"{one.id}.jsonl"}) for one in content.spec.object_types]
    relations = [
        one.model_copy(update={"links": f"relation_{one.id}.jsonl"}) if one.links else one
        for one in content.spec.relation_types
    ]
    spec = content.spec.model_copy(update={"object_types": kinds, "relation_types": relations})
    data = spec.model_dump(exclude_defaults=True)
    files = {SCHEMA_FILE: yaml.safe_dump(data, allow_unicode=True, sort_keys=False, width=YAML_WIDTH)}
    for kind in spec.object_types:
        files[kind.instances] = json_lines(content.rows[kind.id])
    for one in spec.relation_types:
        if one.links:
            ends = (("source", one.source), ("target", one.target))
            names = [name for side, id in ends for name in columns_of(side, spec.object_type(id))]
            pairs = content.links[one.id]
            files[one.links] = json_lines(dict(zip(names, (*pair[0], *pair[1]), strict=True)) for pair in pairs)
    return files


def json_lines(rows: Iterable[Row]) -> str:
    kept = ({name: value for name, value in row.items() if value is not None} for row in rows)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in kept)
