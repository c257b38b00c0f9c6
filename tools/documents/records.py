"""The records of uploaded documents: owners and scopes, locations of chunks, results of searches."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal
from uuid import NAMESPACE_OID, uuid5

from state.context import Language
from tools.errors import InputError
from tools.messages import Message, say, speaking

MatchMode = Literal["all", "any"]
Span = tuple[int, int]

HEADING_JOINT = " › "
OPEN_TASK, DONE_TASK = "☐", "☑"
"""What begins a task of a list in the text of a document."""


# Controls, invisible formats (among them those that turn a name around) and separators of lines.
DROPPED_CATEGORIES = ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def visible_name(name: str) -> str:
    """Return a name of a file or folder as it is kept: composed (NFC), one blank between words, nothing invisible."""
    kept = "".join(char for char in name if unicodedata.category(char) not in DROPPED_CATEGORIES)
    return " ".join(unicodedata.normalize("NFC", kept).split())


def is_named(name: str | None) -> bool:
    return name is not None and bool(name.strip())


@dataclass(frozen=True, slots=True)
class DocumentScope:
    """The documents that a run sees: preloaded ones, those of this user's collection, and of this user's session.

    User and session come from the run's context, never from a model: without a user only preloaded ones are seen. It is
    a condition inside every query of a store, never a filter afterwards.

    Attributes:
        folders: the folders of the collection that are seen; None: all of them.
    """

    user_id: str | None = None
    session_id: str | None = None
    folders: tuple[str, ...] | None = None

    @property
    def owns(self) -> bool:
        return is_named(self.user_id) and is_named(self.session_id)

    @property
    def collects(self) -> bool:
        return is_named(self.user_id) and self.folders != ()


@dataclass(frozen=True, slots=True)
class DocumentOwner:
    """The owner of a document: a user's session, a folder of a user's collection, or all users (a preloaded document).

    A file name is unique per owner. The folder `""` is the top of the collection. Raises InputError for half an owner.
    """

    user_id: str | None = None
    session_id: str | None = None
    folder: str | None = None

    def __post_init__(self) -> None:
        """Refuse half an owner: no run would see such a document."""
        is_session = is_named(self.user_id) and is_named(self.session_id) and self.folder is None
        is_folder = is_named(self.user_id) and self.session_id is None and self.folder is not None
        is_nobody = (self.user_id, self.session_id, self.folder) == (None, None, None)
        if not (is_session or is_folder or is_nobody):
            raise InputError(Message("document.half_an_owner"))

    @property
    def is_preloaded(self) -> bool:
        return self.user_id is None


PRELOADED = DocumentOwner()


@dataclass(frozen=True, slots=True, kw_only=True)
class Location:
    """The location of a chunk for people: page, slide, sheet and rows, headings, or lines; numbers count from 1.

    Attributes:
        sheet: name of a worksheet; None for CSV, which has one.
        rows: first and last row of a table file, as its program counts them.
        heading: the headings above it, the outermost first.
        lines: first and last line of a plain text.
        day: the day that it is of, as ISO writes it: of a dated section, a message, a note, a file.
    """

    page: int | None = None
    slide: int | None = None
    sheet: str | None = None
    rows: Span | None = None
    heading: tuple[str, ...] = ()
    lines: Span | None = None
    day: str | None = None

    def label(self, language: Language = "zh") -> str:
        """Return the text for a citation, such as 工作表 价格，第 4–9 行; '' if nothing is known."""
        with speaking(language):
            parts = [HEADING_JOINT.join(self.heading)] if self.heading else []
            for name, at in (("page", self.page), ("slide", self.slide), ("sheet", self.sheet)):
                parts += [] if at is None else [say(f"document.place.{name}", at=at)]
            for name, span in (("row", self.rows), ("line", self.lines)):
                if span is not None:
                    first, last = span
                    one = say(f"document.place.{name}", at=first)
                    parts.append(one if first == last else say(f"document.place.{name}s", first=first, last=last))
            if self.day and self.day[:4] not in HEADING_JOINT.join(self.heading):
                parts.append(self.day)
            return say("sign.comma").join(parts)

    def to_plain(self) -> dict[str, Any]:
        known = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in known.items() if v not in (None, ())}

    @classmethod
    def from_plain(cls, row: Mapping[str, Any]) -> "Location":
        known: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in row.items()}
        return cls(**known)


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentEntry:
    """One document, without its text.

    Attributes:
        id: a UUID, new with every upload; an upload that replaces a file has another.
        filename: a bare name, never a path.
        uploaded_at: timezone-aware, in UTC.
        chunks: their number.
    """

    id: str
    filename: str
    mime_type: str
    uploaded_at: datetime
    owner: DocumentOwner = PRELOADED
    chunks: int = 0

    @property
    def is_preloaded(self) -> bool:
        return self.owner.is_preloaded

    @property
    def folder(self) -> str | None:
        return self.owner.folder

    @property
    def path(self) -> str:
        """The file name behind its folder of the collection, as lists and citations show it."""
        return path_of(self.folder, self.filename)


def path_of(folder: str | None, filename: str) -> str:
    return f"{folder}/{filename}" if folder else filename


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a document. `content` equals the document's stored text `[start:end]`.

    Chunks overlap, cover the whole text, and none reaches over the end of a page, slide, sheet or section. A row of a
    table carries its column names: `姓名: 张三 | 年龄: 30`. `windows` are its parts' vectors (`tools.story.windows`).
    """

    document: DocumentEntry
    chunk_index: int
    content: str
    start: int
    end: int
    location: Location = Location()
    windows: str = field(default="", repr=False)

    @property
    def chunk_id(self) -> str:
        return str(uuid5(NAMESPACE_OID, f"chunk {self.document.id} {self.chunk_index}"))

    @property
    def filename(self) -> str:
        return self.document.filename


@dataclass(frozen=True, slots=True)
class RankedChunk:
    chunk: Chunk
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchedChunk:
    """A chunk with the terms that it contains, in the order of the question, and the number of occurrences."""

    chunk: Chunk
    terms: tuple[str, ...]
    occurrences: int


@dataclass(frozen=True, slots=True)
class Matches:
    """The best chunks of a keyword search, and the total; `mode` is whether each has all terms or any."""

    mode: MatchMode
    total: int
    rows: tuple[MatchedChunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Removed:
    documents: tuple[DocumentEntry, ...] = ()
    chunks: int = 0


def place_of(chunk: Chunk) -> tuple[str, int, str]:
    """Return the sort key that breaks ties: filename, chunk_index, document id."""
    return chunk.filename, chunk.chunk_index, chunk.document.id


def listed_order(document: DocumentEntry) -> tuple[bool, float, str]:
    """Return the sort key of a list: preloaded first, then the newest, then by name."""
    return not document.is_preloaded, -document.uploaded_at.timestamp(), document.filename
