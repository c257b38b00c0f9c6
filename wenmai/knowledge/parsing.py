"""The formats that networks are written in, read strictly: what a parser would drop or overflow on is refused."""

import csv
import io
import json
from collections import Counter
from collections.abc import Hashable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from zipfile import BadZipFile, ZipFile

import yaml

from tools.errors import InputError
from tools.wording import Message, Words

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
SHOWN = 40  # characters of a key, in a message
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
                problem = DOUBLE_KEY.say(key=key.value[:SHOWN])
                raise yaml.constructor.ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value if isinstance(key, yaml.ScalarNode) else "")
        return super().construct_mapping(node, deep)


def parsed_yaml(path: Path) -> Any:
    """Return what a YAML file holds. Raises InputError."""
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
        raise ValueError(DOUBLE_KEY.of(key=first_double([name for name, _ in pairs])[:SHOWN]))
    return found


def first_double(names: list[str]) -> str:
    """Return the first name that is there twice."""
    return next(name for name, count in Counter(names).items() if count > 1)


def text_of(path: Path) -> str:
    """Return a file's text. Raises InputError."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(NOT_UTF8.of(path=path)) from error
    except OSError as error:
        raise InputError(NOT_READ.of(path=path, reason=error.strerror)) from error


def is_csv(path: Path) -> bool:
    """Return True if a file of records has columns."""
    return path.suffix.lower() == ".csv"


def records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the records of a CSV or JSON lines file with their line numbers. Raises InputError."""
    if is_csv(path):
        yield from csv_records(path, text_of(path))
    elif path.suffix.lower() == ".jsonl":
        yield from json_records(path)
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


def json_records(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Give the objects of a JSON lines file."""
    for number, line in enumerate(text_of(path).split("\n"), 1):
        if not line.strip():
            continue
        row = parsed_json(line, LINE.of(path=path, line=number))
        if not isinstance(row, dict):
            raise InputError(NO_OBJECT.of(path=path, line=number))
        yield number, row


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
