"""What every format is read to: headings, lines, rows of tables and notes, in reading order."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tools.extras import Extra, is_missing
from tools.messages import Message, Text
from tools.text.sentences import PROPERTY

NOTE = "注：{text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A line of a page.

    Attributes:
        level: 0 for a title, 1 to 6 for a heading, None for what is none.
        ids: anchors that stand at it.
        refers: anchors of the notes that it refers to.
        is_note: whether it is part of a footnote.
    """

    text: str
    level: int | None = None
    ids: tuple[str, ...] = ()
    refers: tuple[str, ...] = ()
    is_note: bool = False


class Unreadable(Exception):
    """A file of a format that cannot be read: what is wrong, and what to do."""

    def __init__(self, reason: Text, remedy: Text) -> None:
        super().__init__(reason)
        self.reason = reason
        self.remedy = remedy


def require_format(extra: Extra, kind: str) -> None:
    """Refuse to read a kind of file whose packages are not installed. Raises Unreadable, which names the extra."""
    if is_missing(extra):
        raise Unreadable(Message("extra.needed", kind=kind, extra=extra), Message("extra.install", extra=extra))


def notes_in_place(blocks: Iterable[Block]) -> Iterator[Block]:
    found = list(blocks)
    notes: dict[str, list[Block]] = {}
    key = ""
    for block in found:
        if block.is_note:
            key = next((anchor for anchor in block.ids), key)
            notes.setdefault(key, []).append(block)
    for block in found:
        if not block.is_note:
            yield block
            for anchor in block.refers:
                yield from notes.pop(anchor, ())
    for rest in notes.values():
        yield from rest


def property_lines(title: str, properties: Mapping[str, str]) -> list[str]:
    """Return the properties of a page as text, a line each: Lena Strand · phone: 555-0142."""
    head = f"{title}{PROPERTY}" if title else ""
    return [f"{head}{name}: {value}" for name, value in properties.items()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A page of a collection: a note, a page of a wiki, an entry of a lorebook."""

    title: str
    aliases: tuple[str, ...] = ()
    properties: Mapping[str, str] = field(default_factory=dict)
    blocks: tuple[Block, ...] = ()


ALIASES = "aliases"


def entry_blocks(entries: Iterable[Entry]) -> Iterator[Block]:
    """Yield the entries of a collection as one text: a heading each, other names and properties, what it says."""
    for entry in entries:
        yield Block(text=entry.title, level=1)
        others = {ALIASES: ", ".join(entry.aliases)} if entry.aliases else {}
        yield from (Block(text=line) for line in property_lines(entry.title, {**others, **entry.properties}))
        yield from entry.blocks
