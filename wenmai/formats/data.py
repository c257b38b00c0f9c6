"""JSON and XML that hold text: lorebooks, chats, dumps of wikis; of anything else the values with their names."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tools.messages import Message
from wenmai.formats.blocks import Block, Entry, Unreadable, entry_blocks
from wenmai.formats.chats import chat_blocks, telegram_messages
from wenmai.formats.epub import parsed_xml
from wenmai.formats.tables import headed_row
from wenmai.formats.wiki import is_wiki, wiki_entries

MAX_DEPTH = 50
JOINT = " › "


def json_of(text: str) -> Any:
    """Parse JSON. Raises Unreadable."""
    try:
        return json.loads(text.removeprefix("\ufeff"))
    except (json.JSONDecodeError, RecursionError) as error:
        raise Unreadable(Message("file.wrong_json", reason=error), Message("document.save_again")) from error


def lorebook_entries(shape: Any) -> list[Entry] | None:
    """Return the enabled entries of a lorebook (SillyTavern's, or a character card's book), None for other JSON."""
    if not isinstance(shape, dict):
        return None
    data = shape.get("data") if isinstance(shape.get("data"), dict) else {}
    book = shape.get("character_book") or (data or {}).get("character_book") or shape
    rows = book.get("entries") if isinstance(book, dict) else None
    rows = list(rows.values()) if isinstance(rows, dict) else rows
    if not isinstance(rows, list) or not rows:
        return None
    if not all(isinstance(row, dict) and isinstance(row.get("content"), str) for row in rows):
        return None
    if not any("key" in row or "keys" in row for row in rows):  # entries of something else
        return None
    return [
        _lore(row) for row in rows if row["content"].strip() and not row.get("disable") and row.get("enabled", True)
    ]


def _lore(row: Mapping[str, Any]) -> Entry:
    keys = row.get("key") or row.get("keys") or []
    names = [str(one).strip() for one in (keys if isinstance(keys, list) else [keys])]
    title = str(row.get("comment") or row.get("name") or next(iter(names), "")).strip()
    return Entry(
        title=title,
        aliases=tuple(name for name in names if name and name != title),
        blocks=tuple(Block(text=line) for line in row["content"].split("\n")),
    )


def json_blocks(text: str) -> list[Block]:
    """Return what a JSON file says. Raises Unreadable."""
    shape = json_of(text)
    if entries := lorebook_entries(shape):
        return list(entry_blocks(entries))
    if messages := telegram_messages(shape):
        return chat_blocks(messages)
    return [Block(text=line) for line in _value_lines(shape, "", 0)]


def xml_blocks(data: bytes) -> list[Block]:
    """Return what an XML file says: of a wiki's dump its pages, else each text with the name of its element."""
    root = parsed_xml(data)
    if is_wiki(root):
        return list(entry_blocks(wiki_entries(root)))
    return [Block(text=line) for line in _element_lines(root)]


def _value_lines(value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the values of JSON with their names: a row for an object of plain values, else a line each."""
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        plain = {str(key): _plain(one) for key, one in value.items() if _is_plain(one) and _plain(one)}
        if plain:
            row = headed_row(list(plain.values()), list(plain))
            yield f"{name}{JOINT}{row}" if name and len(plain) == 1 else row
        for key, one in value.items():
            if not _is_plain(one):
                yield from _value_lines(one, str(key), depth + 1)
    elif isinstance(value, list):
        if value and all(map(_is_plain, value)):
            yield from [headed_row([", ".join(filter(None, map(_plain, value)))], [name])]
            return
        for one in value:
            yield from _value_lines(one, name, depth + 1)
    elif text := _plain(value):
        yield headed_row([text], [name])


def _is_plain(value: Any) -> bool:
    return not isinstance(value, dict | list)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return " ".join((value if isinstance(value, str) else json.dumps(value)).split())


def _name(tag: Any) -> str:
    return str(tag.tag).rpartition("}")[2]


def _element_lines(root: Any) -> Iterator[str]:
    for tag in root.iter():
        if isinstance(tag.tag, str):  # not a comment or an entity
            own = {str(key).rpartition("}")[2]: str(value) for key, value in tag.attrib.items()}
            text = " ".join((tag.text or "").split())
            if own and not text:
                yield headed_row(list(own.values()), list(own))
            elif text:
                yield headed_row([text, *own.values()], [_name(tag), *own])
        if tail := " ".join((tag.tail or "").split()):
            yield tail
