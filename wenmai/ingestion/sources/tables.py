"""Rows of CSV tables in the shape of JSONL rows: tables of relations and tables of entities."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tools.wording import Words
from wenmai.ingestion.sources.sources import refuse

NO_NAMES = Words(
    "缺少列 name，或 source 和 target，只有 {columns}",
    "the column name, or source and target, is missing, there are {columns}",
)
JSONL = Words("请使用 JSONL", "use JSON lines")
NO_EVENTS = Words("事件不能写在 CSV 里", "events cannot be told in CSV")
NO_COLUMN = Words("缺少列 {name}，只有 {columns}", "the column {name} is missing, there are {columns}")
DOUBLE_COLUMN = Words("表头有重复的列：{columns}", "its head has a column twice: {columns}")
NO_HEAD = Words("没有表头", "it has no head")
COLUMNS = Words("有 {count} 列，表头有 {columns} 列", "it has {count} columns, the head {columns}")
Rows = Iterator[tuple[int, Mapping[str, Any] | str]]
"""Each row with its line; a text says why a row cannot be used."""
SHAPE = Words(
    "请使用 JSONL，或带表头的 CSV（source,type,target）", "use JSON lines, or CSV with a head (source,type,target)"
)
RELATION_WORDS = {
    "父": ("FAMILY_OF", "Character"), "母": ("FAMILY_OF", "Character"), "兄": ("FAMILY_OF", "Character"),
    "弟": ("FAMILY_OF", "Character"), "妻": ("FAMILY_OF", "Character"), "夫": ("FAMILY_OF", "Character"),
    "子": ("FAMILY_OF", "Character"), "女": ("FAMILY_OF", "Character"), "姐": ("FAMILY_OF", "Character"),
    "妹": ("FAMILY_OF", "Character"), "友": ("FRIEND_OF", "Character"), "敌": ("ENEMY_OF", "Character"),
    "师": ("PARTNER_OF", "Character"), "主": ("MEMBER_OF", "Character"), "隶属": ("MEMBER_OF", "Character"),
    "成员": ("MEMBER_OF", "Organization"), "首领": ("LEADER_OF", "Organization"),
    "籍贯": ("HOMETOWN", "Location"), "出生地": ("HOMETOWN", "Location"), "位于": ("LOCATED_IN", "Location"),
    "参战": ("PARTICIPATED_IN", "Event"), "参与": ("PARTICIPATED_IN", "Event"),
}  # fmt: skip
"""Chinese relation names. 籍贯 has a type of its own, HOMETOWN: where one comes from is not where one is."""
TABLE_KINDS = {
    "州": "Location", "地": "Location", "城": "Location", "战役": "Event", "事件": "Event", "势力": "Organization",
    "组织": "Organization", "帮派": "Organization",
}  # fmt: skip
COLUMN_WORDS = {
    "camp": "阵营", "hometown": "籍贯", "family": "家族", "position": "职位", "father_position": "父亲职位",
    "caption": "治所", "start_time": "开始", "end_time": "结束", "state": "州",
}  # fmt: skip
_RELATION_FILE = re.compile(r"^关系_(?P<source>[^_]+)_(?P<relation>[^_]+)_(?P<target>[^_]+)$")


def table_rows(path: Path, text: str) -> Rows:
    """Yield the rows of a table in the shape of the JSONL rows."""
    reader = csv.DictReader(io.StringIO(text))
    columns = [(column or "").strip() for column in reader.fieldnames or []]
    reader.fieldnames = columns
    match = _RELATION_FILE.match(path.stem)
    _check_header(path, columns, match)
    for row in reader:
        cells = {key: value.strip() for key, value in row.items() if isinstance(key, str) and isinstance(value, str)}
        if len(cells) < len(columns) or None in row:
            yield reader.line_num, COLUMNS.say(count=len(cells) + len(row.get(None) or []), columns=len(columns))
        elif {"source", "target"} <= set(columns):
            yield reader.line_num, {**cells, "type": cells.get("type") or "RELATED_TO"}
        elif match and len(columns) >= 2:
            yield reader.line_num, _named_relation(cells, columns, match)
        else:
            yield reader.line_num, _named_entity(cells, columns, path.stem)


def _check_header(path: Path, columns: Sequence[str], match: re.Match[str] | None) -> None:
    """Refuse a table whose columns do not tell what its rows are."""
    if not any(columns):
        raise refuse(path, NO_HEAD, SHAPE)
    if len(set(columns)) < len(columns):
        raise refuse(path, DOUBLE_COLUMN.of(columns="、".join(columns)[:80]), SHAPE)
    if missing := {"source", "target"} - set(columns):
        if len(missing) == 1:
            raise refuse(path, NO_COLUMN.of(name=missing.pop(), columns="、".join(columns)[:80]), SHAPE)
        if "event_type" in columns:
            raise refuse(path, NO_EVENTS, JSONL)
        named = match is not None and len(columns) >= 2
        if not named and "name" not in columns and _word_of(path.stem) is None:
            raise refuse(path, NO_NAMES.of(columns="、".join(columns)[:80]), SHAPE)


def _named_relation(cells: Mapping[str, str], columns: list[str], match: re.Match[str]) -> dict[str, Any]:
    """Read a row of 关系_武将_隶属_主公.csv: first column the source, second the target."""
    word = match["relation"]
    relation, target_kind = RELATION_WORDS.get(word, (None, None))
    return {
        "source": cells.get(columns[0], ""),
        "type": relation or "RELATED_TO",
        "target": cells.get(columns[1], ""),
        "description": word,
        "source_kind": _table_kind(match["source"]),
        "target_kind": target_kind if target_kind not in (None, "Character") else _table_kind(match["target"]),
    }


def _named_entity(cells: Mapping[str, str], columns: list[str], stem: str) -> dict[str, Any]:
    """Read a row of 武将.csv: first column the name, the others its description."""
    known = {"name", "kind", "type", "aliases", "description", columns[0]}
    rest = [f"{COLUMN_WORDS.get(key, key)}: {value}" for key, value in cells.items() if key not in known and value]
    return {
        "name": cells.get("name") or cells.get(columns[0], ""),
        "kind": cells.get("kind") or cells.get("type") or _table_kind(stem),
        "aliases": [alias for alias in re.split(r"[|;；、]", cells.get("aliases", "")) if alias],
        "description": "；".join(filter(None, [cells.get("description", ""), "，".join(rest)])),
    }


def _table_kind(word: str) -> str:
    return TABLE_KINDS.get(_word_of(word) or "", "Character")


def _word_of(name: str) -> str | None:
    """Return the word of a table's name that tells what it holds."""
    return next((word for word in TABLE_KINDS if name.endswith(word)), None)
