"""Ready-made entities, relations and events from CSV and JSONL (`--graph`).

JSONL rows carry `source`/`target` (a relation), `event_type` (an event) or `name` with `kind`/`aliases` (an entity).
A CSV is a table of relations when its name says 关系_<kind>_<relation>_<kind> or its header has source and target, else
a table of entities named by its file (主公.csv: characters, 战役.csv: events). A bad row is named with file and line;
the others go in.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, get_args

from tools.records import EventType, MajorEvent, Participant, Relation, Role
from tools.wording import Words
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.ingestion.sources.decoding import Contents, decode, read_bytes
from wenmai.ingestion.sources.sources import refuse
from wenmai.ingestion.sources.tables import RELATION_WORDS, SHAPE, Rows, table_rows
from wenmai.language.lexicon import KINDS, kind_of

NO_ROWS = Words("没有可用的行", "no row can be used")
NO_JSON = Words("不是 JSON", "it is no JSON")
NO_OBJECT = Words("不是 JSON 对象", "it is no JSON object")
NO_INTEGER = Words("{key} 不是整数", "{key} is no integer")
NO_ALIASES = Words("aliases 不是文字列表", "aliases is no list of texts")
EVENT_ROLES = Words("role 只能是 {known}", "role is {known}")
NO_CHARACTER = Words("characters 的一项不是对象", "an item of characters is no object")
NO_CHARACTERS = Words("缺少 characters", "characters is missing")
EVENT_KINDS = Words("event_type 只能是 {known}", "event_type is {known}")
BAD_RELATION = Words(
    "关系类型 {relation} 只能用字母、数字和下划线", "the relation {relation} has letters, digits and _ alone"
)
OTHER_LABEL = Words("{key} 不认识 {given}，可用的有 {known}", "{key} is not {given}, but {known}")
MISSING = Words("缺少 {key}", "{key} is missing")
NO_TEXT = Words("{key} 不是文字", "{key} is no text")
UNKNOWN = Words("认不出是实体、关系还是事件", "it is no entity, relation or event")
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
        raise refuse(path, found.bad[0] if found.bad else NO_ROWS, SHAPE)
    return found


def _json_rows(text: str) -> Rows:
    for line, raw in enumerate(text.splitlines(), 1):
        if raw.strip():
            try:
                row = json.loads(raw)
            except (json.JSONDecodeError, RecursionError):
                yield line, NO_JSON.say()
                continue
            yield line, row if isinstance(row, dict) else NO_OBJECT.say()


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
        raise _BadRow(UNKNOWN)


def _text(row: Mapping[str, Any], key: str, *, required: bool = False) -> str:
    value = row.get(key)
    if value is not None and not isinstance(value, str):
        raise _BadRow(NO_TEXT.of(key=key))
    text = (value or "").replace("\0", "").strip()
    if required and not text:
        raise _BadRow(MISSING.of(key=key))
    return text


def _kind(row: Mapping[str, Any], key: str) -> str:
    """Return the label of an entity's kind; none is a person."""
    given = _text(row, key)
    kind = kind_of(given or None)
    if kind not in LABELS:
        raise _BadRow(OTHER_LABEL.of(key=key, given=given[:40], known=", ".join(sorted(LABELS))))
    return kind


def _number(row: Mapping[str, Any], key: str) -> int | None:
    value = row.get(key)
    if value in (None, ""):
        return None
    try:
        number = int(value)
    except (TypeError, ValueError):
        raise _BadRow(NO_INTEGER.of(key=key)) from None
    if number < 0 or isinstance(value, bool):
        raise _BadRow(NO_INTEGER.of(key=key))
    return number


def _relation(stem: str, row: Mapping[str, Any]) -> Relation:
    relation = _text(row, "type", required=True).upper().replace(" ", "_").replace("-", "_")
    relation = RELATION_WORDS[relation][0] if relation in RELATION_WORDS else relation
    if not _TYPE.match(relation):
        raise _BadRow(BAD_RELATION.of(relation=relation[:40]))
    return Relation(
        source=_text(row, "source", required=True),
        type=relation,
        target=_text(row, "target", required=True),
        part=_number(row, "part"),
        chapter=_number(row, "chapter"),
        task_id=stem,
        evidence=_text(row, "evidence"),
        description=_text(row, "description"),
        source_kind=_kind(row, "source_kind"),
        target_kind=_kind(row, "target_kind"),
    )


def _event(stem: str, row: Mapping[str, Any]) -> MajorEvent:
    participants = tuple(_participants(row.get("characters")))
    given = _text(row, "event_type", required=True).lower()
    event_type = EVENT_TYPES.get(given)
    if event_type is None:
        raise _BadRow(EVENT_KINDS.of(known=", ".join(EVENT_TYPES)))
    subject = next((p.name for p in participants if p.role == "subject"), participants[0].name)
    return MajorEvent(
        name=_text(row, "name", required=True),
        event_type=event_type,
        primary_character=_text(row, "primary_character") or subject,
        participants=participants,
        part=_number(row, "part"),
        chapter=_number(row, "chapter"),
        task_id=stem,
        summary=_text(row, "summary"),
        evidence=_text(row, "evidence"),
        outcome=_text(row, "outcome") or None,
    )


def _participants(value: Any) -> Iterator[Participant]:
    """Read characters given as names or as {"name", "role"}."""
    if not isinstance(value, list) or not value:
        raise _BadRow(NO_CHARACTERS)
    for item in value:
        row = {"name": item} if isinstance(item, str) else item
        if not isinstance(row, dict):
            raise _BadRow(NO_CHARACTER)
        given = _text(row, "role") or "subject"
        role = ROLES.get(given)
        if role is None:
            raise _BadRow(EVENT_ROLES.of(known=", ".join(ROLES)))
        yield Participant(_text(row, "name", required=True), role)


def _entity(row: Mapping[str, Any]) -> KnownName:
    aliases = row.get("aliases") or []
    if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
        raise _BadRow(NO_ALIASES)
    return KnownName(
        name=_text(row, "name", required=True),
        kind=_kind(row, "kind" if _text(row, "kind") else "type"),
        aliases=tuple(aliases),
        description=_text(row, "description"),
    )
