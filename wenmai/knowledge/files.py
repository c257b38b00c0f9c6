"""Networks in files: a YAML schema beside CSV or JSON lines, and how they are written out.

Files are read strictly: what a parser would drop or overflow on is refused.
"""

import csv
import io
import json
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

import yaml

from tools.errors import InputError
from tools.networks.records import NUMBER_TYPES, TEXT_TYPES
from tools.wording import Message, Names, Text, Words
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

OTHER_FILE = Words(
    "{path}：实例和关系的文件必须是 .csv 或 .jsonl", "{path}: files of instances and relations are .csv or .jsonl"
)
NOT_READ = Words("无法读取 {path}（{reason}）", "{path} cannot be read ({reason})")
NOT_UTF8 = Words("{path} 不是 UTF-8 文本：请先转换编码", "{path} is no text in UTF-8: convert it first")
NO_OBJECT = Words("{path} 第 {line} 行不是 JSON 对象", "{path}, line {line} is no JSON object")
NO_CSV = Words("{path} 第 {line} 行不是有效的 CSV（{reason}）", "{path}, line {line} is no CSV ({reason})")
OTHER_COLUMNS = Words(
    "{path} 第 {line} 行的列数与表头不同", "{path}, line {line} has another number of columns than the head"
)
DOUBLE_HEAD = Words("{path} 的表头重复：{name}", "{path} has a column twice: {name}")
NO_HEAD = Words("{path} 没有表头：第一行应为列名", "{path} has no head: its first line names the columns")
TOO_DEEP = Words("嵌套太深", "nested too deep")
NO_YAML = Words("{where}不是有效的 YAML（{reason}）", "{where} is not valid YAML ({reason})")
NO_JSON = Words("{where}不是有效的 JSON（{reason}）", "{where} is not valid JSON ({reason})")
WHOLE = Words("{path} ", "{path}")  # as the place of what is wrong with a whole file
NOT_PARSED = Words("无法解析", "it cannot be parsed")
DOUBLE_KEY = Words("重复的键 {key}", "the key {key} stands twice")
LINE = Words("{path} 第 {line} 行", "{path}, line {line}")
KEY_SHOWN = 40  # characters of a key, in a message
LONGEST_CELL = 2**31 - 1  # characters; the parser's own limit of 131,072 holds for CSV alone, not for JSON lines
CSV_ERRORS = {
    "unexpected end of data": Words("引号没有闭合", "a quotation mark is not closed"),
    "',' expected after '\"'": Words(
        "引号之后应为逗号或行尾", "after a quotation mark a comma or the end of the line is expected"
    ),
}


class StrictLoader(yaml.SafeLoader):
    """YAML without objects, in which no key of a mapping stands twice: the first would be lost."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping. Raises ConstructorError for a double key."""
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                problem = DOUBLE_KEY.say(key=key.value[:KEY_SHOWN])
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else "")
        return super().construct_mapping(node, deep)


def parsed_yaml(path: Path) -> Any:
    try:
        return yaml.load(text_of(path), Loader=StrictLoader)
    except RecursionError as error:
        raise InputError(NO_YAML.of(where=WHOLE.of(path=path), reason=TOO_DEEP)) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = LINE.of(path=path, line=mark.line + 1) if mark else WHOLE.of(path=path)
        reason = getattr(error, "problem", None) or NOT_PARSED
        raise InputError(NO_YAML.of(where=where, reason=reason)) from error


def parsed_json(text: str, where: Message) -> Any:
    """Return what a JSON text holds; no key of an object stands twice. Raises InputError."""
    try:
        return json.loads(text, object_pairs_hook=single)
    except RecursionError as error:
        raise InputError(NO_JSON.of(where=where, reason=TOO_DEEP)) from error
    except ValueError as error:
        raise InputError(NO_JSON.of(where=where, reason=error)) from error


def single(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs. Raises ValueError for a double key."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError(DOUBLE_KEY.of(key=first_double([name for name, _ in pairs])[:KEY_SHOWN]))
    return found


def first_double(names: list[str]) -> str:
    return next(name for name, count in Counter(names).items() if count > 1)


def text_of(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(NOT_UTF8.of(path=path)) from error
    except OSError as error:
        raise InputError(NOT_READ.of(path=path, reason=error.strerror)) from error


def is_csv(path: Path) -> bool:
    return path.suffix.lower() == ".csv"


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the records of a CSV or JSON lines file with their line numbers. Raises InputError."""
    if is_csv(path):
        yield from csv_records(path, text_of(path))
    elif path.suffix.lower() == ".jsonl":
        for number, line in enumerate(text_of(path).split("\n"), 1):
            if line.strip():
                row = parsed_json(line, LINE.of(path=path, line=number))
                if not isinstance(row, dict):
                    raise InputError(NO_OBJECT.of(path=path, line=number))
                yield number, row
    else:
        raise InputError(OTHER_FILE.of(path=path))


def csv_records(path: Path, text: str, delimiter: str = ",") -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the rows of a CSV file with this text as texts; an empty cell is null."""
    csv.field_size_limit(LONGEST_CELL)
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True, delimiter=delimiter)
    try:
        names = list(reader.fieldnames or ())
        if not names:
            raise InputError(NO_HEAD.of(path=path))
        if len(set(names)) < len(names):
            raise InputError(DOUBLE_HEAD.of(path=path, name=first_double(names)))
        for row in reader:
            if None in row or None in row.values():
                raise InputError(OTHER_COLUMNS.of(path=path, line=reader.line_num))
            yield reader.line_num, {name: cell or None for name, cell in row.items()}
    except csv.Error as error:
        reason = CSV_ERRORS.get(str(error), str(error))
        raise InputError(NO_CSV.of(path=path, line=reader.line_num, reason=reason)) from error


NO_ZIP = Words(
    "{name} 不是能打开的 ZIP 文件：请检查文件是否完整、是否加密",
    "{name} is no ZIP file that can be opened: is it whole, is it encrypted?",
)
TOO_LARGE = Words(
    "{name} 解压后超过大小限制，上限是 {most} MB（MAX_SOURCE_MB）",
    "{name} unpacks to too much: at most {most} MB (MAX_SOURCE_MB)",
)
ZIP = ".zip"
PACKED = frozenset({".csv", ".json", ".jsonl", ".yaml", ".yml"})


def unpack(archive: Path, most: int) -> None:
    """Write the files of an archive beside it, without their folders, and remove it.

    Raises InputError for what is no archive, is encrypted, or holds more than `most` bytes.
    """
    try:
        with ZipFile(archive) as packed:
            files = {PurePosixPath(one.filename).name: one for one in packed.infolist() if not one.is_dir()}
            files = {name: one for name, one in files.items() if PurePosixPath(name).suffix.lower() in PACKED}
            if sum(one.file_size for one in files.values()) > most:
                raise InputError(TOO_LARGE.of(name=archive.name, most=most >> 20))
            for name, one in files.items():
                if not name.startswith("."):
                    (archive.parent / name).write_bytes(packed.read(one))
    except (BadZipFile, RuntimeError, NotImplementedError) as error:
        raise InputError(NO_ZIP.of(name=archive.name)) from error
    archive.unlink()


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


def read_network(path: Path, network_id: str | None) -> CheckedContent:
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
    return ordered_content(spec, rows, links)


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
    if known.type in TEXT_TYPES:
        return text_value
    if known.type in NUMBER_TYPES:
        return whole_value if known.type.endswith("integer") else number_value
    return truth_value if known.type == "boolean" else lambda value: value


def text_value(value: Any) -> str:
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
    number = number_value(value)
    if number != int(number):
        raise ValueError(NOT_WHOLE)
    return int(value) if isinstance(value, str) and value.strip().lstrip("+-").isdecimal() else int(number)


def truth_value(value: Any) -> bool:
    word = str(value).lower()
    if word not in TRUE | FALSE:
        raise ValueError(NO_TRUTH)
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
        where = LINE.of(path=path, line=number)
        unknown = [name for name in row if name not in known]
        if unknown and len(row) > len(parts):
            raise InputError(MORE_COLUMNS.of(where=where, names=Names(unknown)))
        keys: list[Any] = []
        for name, part, read in parts:
            value, field = row.get(name, row.get(f"{name}.{part}")), FIELD.of(where=where, name=name)
            if value is None:
                raise InputError(NO_END.of(where=where, name=name))
            if isinstance(value, list | dict):
                raise InputError(WRONG.of(where=field, reason=NOT_SINGLE, value=str(value)[:SHOWN]))
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
        raise InputError(NOT_WRITTEN.of(folder=folder, reason=error.strerror)) from error


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
