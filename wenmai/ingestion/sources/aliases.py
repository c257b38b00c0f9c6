"""Alias dictionaries that a user hands over: the sanguo shape, a flat JSON object, CSV of name,alias."""

import csv
import io
import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tools.messages import Message
from wenmai.ingestion.sources.decoding import Contents, decode, read_bytes, refuse
from wenmai.language.lexicon import kind_of


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownName:
    """An entity before anything was looked up: canonical name, kind ('': not told), other spellings."""

    name: str
    kind: str = "Character"
    aliases: tuple[str, ...] = ()
    description: str = ""

    @property
    def base(self) -> str:
        """The name without the qualifier that tells namesakes apart: 严纲[吴] is 严纲."""
        return self.name.split("[")[0].strip() or self.name

    @property
    def qualifier(self) -> str:
        return self.name.partition("[")[2].rstrip("]").strip()

    def without(self, aliases: Container[str]) -> "KnownName":
        kept = tuple(one for one in self.aliases if one not in aliases)
        return self if kept == self.aliases else replace(self, aliases=kept)


def load_aliases(path: Path, contents: Contents = read_bytes) -> list[KnownName]:
    """Return the names of an alias dictionary. Raises IngestError with the shapes that are understood."""
    text = decode(path, contents(path))
    if path.suffix.lower() == ".csv":
        return list(_from_rows(csv.reader(io.StringIO(text))))
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as exc:
        raise refuse(path, Message("file.wrong_json", reason=exc), Message("ingest.aliases_shape")) from exc
    if not isinstance(data, dict):
        raise refuse(path, Message("ingest.aliases_not_a_dictionary"), Message("ingest.aliases_shape"))
    return list(_from_object(path, data))


HEADS = frozenset({"name", "名称", "entity"})
ALIAS_HEADS = frozenset({"alias", "别名"})


def is_alias_list(path: Path, contents: Contents = read_bytes) -> bool:
    """Return True if a file is an alias dictionary, and none of records: a JSON object, or CSV of name,alias."""
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".json"):
        return False
    text = decode(path, contents(path))
    if suffix == ".json":
        return text.lstrip().startswith("{") and "\n{" not in text.strip()
    head = [cell.strip().lower() for cell in next(csv.reader(io.StringIO(text)), [])]
    return len(head) > 1 and head[0] in HEADS and head[1] in ALIAS_HEADS


def _from_object(path: Path, data: dict[str, Any]) -> Iterator[KnownName]:
    shaped = isinstance(data.get("mention"), dict)
    mentions, types = (data["mention"], data.get("type") or {}) if shaped else (data, {})
    for name, aliases in mentions.items():
        if isinstance(aliases, str):
            aliases = [aliases]
        if not isinstance(aliases, list) or not all(isinstance(alias, str) for alias in aliases):
            raise refuse(path, Message("ingest.aliases_not_a_list", name=name[:30]), Message("ingest.aliases_shape"))
        kind = kind_of(str(types[name]) if isinstance(types, dict) and name in types else None)
        if name.strip():
            yield KnownName(name=name.strip(), kind=kind, aliases=tuple(_distinct(aliases)))


def _from_rows(rows: Iterable[list[str]]) -> Iterator[KnownName]:
    """Group CSV rows by name; a header line name,alias[,kind] is skipped."""
    found: dict[str, tuple[list[str], str]] = {}
    for at, row in enumerate(rows):
        cells = [cell.strip() for cell in row]
        if not cells or not cells[0] or (at == 0 and cells[0].lower() in HEADS):
            continue
        aliases, kind = found.get(cells[0], ([], ""))
        if len(cells) > 1 and cells[1]:
            aliases.append(cells[1])
        found[cells[0]] = (aliases, cells[2] if len(cells) > 2 and cells[2] else kind)
    for name, (aliases, kind) in found.items():
        yield KnownName(name=name, kind=kind_of(kind or None), aliases=tuple(_distinct(aliases)))


def _distinct(texts: Iterable[str]) -> list[str]:
    return [text for text in dict.fromkeys(text.strip() for text in texts) if text]


def merge(known: Iterable[KnownName], more: Iterable[KnownName]) -> list[KnownName]:
    """Join two lists of names; the first keeps its kind, the second adds aliases and fills what is missing."""
    merged = {entry.name: entry for entry in known}
    for entry in more:
        if old := merged.get(entry.name):
            aliases = tuple(_distinct([*old.aliases, *entry.aliases]))
            told = {"kind": old.kind or entry.kind, "description": old.description or entry.description}
            entry = replace(old, aliases=aliases, **told)
        merged[entry.name] = entry
    return list(merged.values())
