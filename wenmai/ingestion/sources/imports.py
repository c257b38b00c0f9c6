"""Ready-made entities, relations and events from CSV, JSONL and JSON lists (`--graph`).

JSON rows carry `source`/`target` (a relation), `event_type` (an event) or `name` with `kind`, `aliases` and
`description` or `gloss` (an entity). An entity without a kind is what the text shows it to be.
A CSV is a table of relations when its name says 关系_<kind>_<relation>_<kind> or its header has source and target, else
a table of entities named by its file (主公.csv: characters, 战役.csv: events). A bad row is named with file and line;
the others go in.
"""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from tools.language import is_chinese
from tools.messages import Message, Names, say
from tools.records import PERSON, EventType, MajorEvent, Participant, Relation, Role
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.ingestion.sources.decoding import Contents, decode, read_bytes, refuse
from wenmai.language.lexicon import KINDS, kind_of

Rows = Iterator[tuple[int, Mapping[str, Any] | str]]
"""Each row with its line; a text says why a row cannot be used."""
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
TARGET_KINDS = {
    "HOMETOWN": "Location", "LOCATED_IN": "Location", "OCCURRED_AT": "Location", "PARTICIPATED_IN": "Event",
    "OWNER_OF": "Object",
}  # fmt: skip
"""What a relation leads to, where its row does not say and it is no person."""
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
    reader = csv.DictReader(io.StringIO(text))
    columns = [(column or "").strip() for column in reader.fieldnames or []]
    reader.fieldnames = columns
    match = _RELATION_FILE.match(path.stem)
    _check_header(path, columns, match)
    for row in reader:
        cells = {key: value.strip() for key, value in row.items() if isinstance(key, str) and isinstance(value, str)}
        if len(cells) < len(columns) or None in row:
            yield (
                reader.line_num,
                say(
                    "graph_file.wrong_number_of_columns",
                    count=len(cells) + len(row.get(None) or []),
                    columns=len(columns),
                ),
            )
        elif {"source", "target"} <= set(columns):
            yield reader.line_num, cells
        elif match and len(columns) >= 2:
            yield reader.line_num, _named_relation(cells, columns, match)
        else:
            yield reader.line_num, _named_entity(cells, columns, path.stem)


def _check_header(path: Path, columns: Sequence[str], match: re.Match[str] | None) -> None:
    """Refuse a table whose columns do not tell what its rows are."""
    if not any(columns):
        raise refuse(path, Message("graph_file.header_missing"), Message("graph_file.shape"))
    names = Names(one[:40] for one in columns[:10])
    if len(set(columns)) < len(columns):
        raise refuse(path, Message("graph_file.column_twice", columns=names), Message("graph_file.shape"))
    if missing := {"source", "target"} - set(columns):
        if len(missing) == 1:
            raise refuse(
                path,
                Message("graph_file.column_missing", name=missing.pop(), columns=names),
                Message("graph_file.shape"),
            )
        if "event_type" in columns:
            raise refuse(path, Message("graph_file.events_in_csv"), Message("graph_file.use_jsonl"))
        named = match is not None and len(columns) >= 2
        if not named and "name" not in columns and _word_of(path.stem) is None:
            raise refuse(
                path,
                Message("graph_file.name_columns_missing", columns=names),
                Message("graph_file.shape"),
            )


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
    known = {"name", "kind", "type", "aliases", "description", "gloss", columns[0]}
    rest = [f"{COLUMN_WORDS.get(key, key)}: {value}" for key, value in cells.items() if key not in known and value]
    return {
        "name": cells.get("name") or cells.get(columns[0], ""),
        "kind": cells.get("kind") or cells.get("type") or (_table_kind(stem) if is_chinese(stem) else ""),
        "aliases": [alias for alias in re.split(r"[|;；、]", cells.get("aliases", "")) if alias],
        "description": "；".join(filter(None, [cells.get("description") or cells.get("gloss"), "，".join(rest)])),
    }


def _table_kind(word: str) -> str:
    return TABLE_KINDS.get(_word_of(word) or "", "Character")


def _word_of(name: str) -> str | None:
    return next((word for word in TABLE_KINDS if name.endswith(word)), None)


_TYPE = re.compile(r"^[A-Z][A-Z0-9_]{0,39}$")
EVENT_TYPES: dict[str, EventType] = {name: name for name in get_args(EventType)}
LABELS = frozenset(KINDS.values())
ROLES: dict[str, Role] = {name: name for name in get_args(Role)}


@dataclass(slots=True)
class GraphFile:
    """What one file holds; `bad` rows are named as "file:line: reason"."""

    stem: str
    entities: list[KnownName] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    events: list[MajorEvent] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)

    @property
    def ends(self) -> list[KnownName]:
        """The names that its relations and events bear."""
        ends = [end for row in self.relations for end in ((row.source, row.source_kind), (row.target, row.target_kind))]
        people = [(person.name, PERSON) for event in self.events for person in event.participants]
        return [KnownName(name=name, kind=kind) for name, kind in dict((*people, *ends)).items()]


class _BadRow(ValueError):
    """A row that cannot be used; the message says why."""


def load_graph(path: Path, contents: Contents = read_bytes) -> GraphFile:
    """Return the records of one file. Raises IngestError where none can be read."""
    text = decode(path, contents(path))
    found = GraphFile(stem=path.stem)
    rows = table_rows(path, text) if path.suffix.lower() == ".csv" else _json_rows(text)
    for line, row in rows:
        try:
            _take(found, row)
        except _BadRow as exc:
            found.bad.append(f"{path.name}:{line}: {exc}")
    if not (found.entities or found.relations or found.events):
        raise refuse(
            path, found.bad[0] if found.bad else Message("graph_file.no_usable_rows"), Message("graph_file.shape")
        )
    return found


def _json_rows(text: str) -> Rows:
    if text.lstrip().startswith("["):
        yield from _json_list(text)
        return
    for line, raw in enumerate(text.splitlines(), 1):
        if raw.strip():
            try:
                row = json.loads(raw)
            except (json.JSONDecodeError, RecursionError):
                yield line, say("graph_file.not_json")
                continue
            yield line, row if isinstance(row, dict) else say("graph_file.not_an_object")


def _json_list(text: str) -> Rows:
    """Yield the rows of a JSON list, each with its number."""
    try:
        rows = json.loads(text)
    except (json.JSONDecodeError, RecursionError):
        yield 1, say("graph_file.not_json")
        return
    for number, row in enumerate(rows, 1):
        yield number, row if isinstance(row, dict) else say("graph_file.not_an_object")


def _take(found: GraphFile, row: Mapping[str, Any] | str) -> None:
    if isinstance(row, str):
        raise _BadRow(row)
    if "event_type" in row:
        found.events.append(_event(found.stem, row))
    elif "source" in row or "target" in row:
        found.relations.append(_relation(found.stem, row))
    elif "name" in row:
        found.entities.append(_entity(row))
    else:
        raise _BadRow(Message("graph_file.unknown_row"))


def _text(row: Mapping[str, Any], key: str, *, required: bool = False) -> str:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise _BadRow(Message("graph_file.not_a_text", key=key))
    text = (value or "").replace("\0", "").strip()
    if required and not text:
        raise _BadRow(Message("graph_file.field_missing", key=key))
    return text


def _task(row: Mapping[str, Any]) -> str:
    """Return the task that a record names, '' where it names none; a task's number is its name."""
    given = row.get("task_id")
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else _text(row, "task_id")


def _kind(row: Mapping[str, Any], key: str) -> str:
    """Return the label of an entity's kind; none is a person."""
    given = _text(row, key)
    kind = kind_of(given or None)
    if kind not in LABELS:
        raise _BadRow(Message("graph_file.unknown_label", key=key, given=given[:40], known=Names(sorted(LABELS))))
    return kind


def _number(row: Mapping[str, Any], key: str) -> int | None:
    value = row.get(key)
    if value in (None, ""):
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise _BadRow(Message("graph_file.not_an_integer", key=key)) from None
    if number < 0 or isinstance(value, bool):
        raise _BadRow(Message("graph_file.not_an_integer", key=key))
    return number


def _relation(stem: str, row: Mapping[str, Any]) -> Relation:
    relation = (_text(row, "type") or "RELATED_TO").upper().replace(" ", "_").replace("-", "_")
    relation = RELATION_WORDS[relation][0] if relation in RELATION_WORDS else relation
    if not _TYPE.match(relation):
        raise _BadRow(Message("graph_file.bad_relation_type", relation=relation[:40]))
    return Relation(
        source=_text(row, "source", required=True),
        type=relation,
        target=_text(row, "target", required=True),
        part=_number(row, "part"),
        chapter=_number(row, "chapter"),
        task_id=_task(row) or stem,
        evidence=_text(row, "evidence"),
        description=_text(row, "description"),
        source_kind=_kind(row, "source_kind"),
        target_kind=_kind(row, "target_kind") if _text(row, "target_kind") else TARGET_KINDS.get(relation, PERSON),
    )


def _event(stem: str, row: Mapping[str, Any]) -> MajorEvent:
    participants = tuple(_participants(row.get("characters")))
    given = _text(row, "event_type", required=True).lower()
    event_type = EVENT_TYPES.get(given)
    if event_type is None:
        raise _BadRow(Message("graph_file.unknown_event_type", known=Names(EVENT_TYPES)))
    subject = next((p.name for p in participants if p.role == "subject"), participants[0].name)
    return MajorEvent(
        name=_text(row, "name", required=True),
        event_type=event_type,
        primary_character=_text(row, "primary_character") or subject,
        participants=participants,
        part=_number(row, "part"),
        chapter=_number(row, "chapter"),
        task_id=_task(row) or stem,
        summary=_text(row, "summary"),
        evidence=_text(row, "evidence"),
        outcome=_text(row, "outcome") or None,
    )


def _participants(value: Any) -> Iterator[Participant]:
    """Read characters given as names or as {"name", "role"}."""
    if not isinstance(value, list) or not value:
        raise _BadRow(Message("graph_file.characters_missing"))
    for item in value:
        row = {"name": item} if isinstance(item, str) else item
        if not isinstance(row, dict):
            raise _BadRow(Message("graph_file.character_not_an_object"))
        given = _text(row, "role") or "subject"
        role = ROLES.get(given)
        if role is None:
            raise _BadRow(Message("graph_file.unknown_role", known=Names(ROLES)))
        yield Participant(_text(row, "name", required=True), role)


def _entity(row: Mapping[str, Any]) -> KnownName:
    aliases = row.get("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise _BadRow(Message("graph_file.aliases_not_a_list"))
    key = "kind" if _text(row, "kind") else "type"
    return KnownName(
        name=_text(row, "name", required=True),
        kind=_kind(row, key) if _text(row, key) else "",
        aliases=tuple(aliases),
        description=_text(row, "description") or _text(row, "gloss"),
    )
