"""The sides of a move: the stores of a library there, what was moved, and which library may be replaced.

Several data folders may share the catalog of a server, and name their libraries alike: one is replaced where it is a
copy, or has nothing of its own.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from hashlib import sha256
from itertools import islice
from typing import Any, Protocol, TypeVar

from tools.errors import LibraryNotFound, StoreForeign
from tools.records import Chapter, LibraryInfo
from tools.wording import Words
from wenmai.ingestion.contracts import CatalogWriter, Stores
from wenmai.ingestion.library.known_state import UNFINISHED_COPY
from wenmai.ingestion.library.sightings import NOTE as SIGHTINGS
from wenmai.ingestion.passages import chapter_key
from wenmai.stores.files.owners import Owner


class MovableCatalog(CatalogWriter, Protocol):
    """A catalog that returns all its notes at once, and its own identity."""

    async def notes(self, library: str) -> dict[str, Any]:
        """Return every note by its key."""
        ...

    async def owner(self) -> Owner:
        """Return the identity of the catalog. Raises StoreError."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The stores of one side. Where both sides have the very same store, there is nothing to move."""

    stores: Stores
    catalog: MovableCatalog

    async def info(self, library: str) -> LibraryInfo:
        """Describe a library. Raises LibraryNotFound."""
        return await self.catalog.info(library)


async def chapters_of(side: Side, library: str) -> list[tuple[Chapter, list[str]]]:
    """Return the chapters in reading order, each with the ids of its passages."""
    chapters = await side.catalog.chapters(library)
    return [(one, await side.catalog.passage_ids(library, *chapter_key(one))) for one in chapters]


T = TypeVar("T")
BATCH = 500
SAME_FLOATS = 1e-5  # both engines keep 32 bits, and make unit vectors of what they are given
CHECKSUM_DIGITS = 12


class Progress(Protocol):
    """Shows how far a part is; the command line draws a bar."""

    def __call__(self, part: str, done: int, total: int | None) -> None:
        """Show a step."""
        ...


@dataclass(frozen=True, slots=True)
class Tally:
    """How many records of a kind a side holds, and a checksum that does not depend on their order."""

    count: int
    checksum: str

    @classmethod
    def of(cls, records: Iterable[Any]) -> "Tally":
        """Count records and add up their digests."""
        count = total = 0
        for record in records:
            count += 1
            total += int.from_bytes(sha256(canonical(record).encode("utf-8", "surrogatepass")).digest())
        return cls(count, f"{total % 2**256:064x}"[:CHECKSUM_DIGITS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """One kind of records: what the source holds, what the target holds of it now, and how many had to be written."""

    kind: str
    source: Tally
    target: Tally
    written: int

    @property
    def is_same(self) -> bool:
        """True if both sides hold the same."""
        return self.source == self.target


def canonical(record: Any) -> str:
    """Return a record as the same text on every machine."""
    plain = asdict(record) if is_dataclass(record) and not isinstance(record, type) else record
    return json.dumps(plain, ensure_ascii=False, sort_keys=True, default=str)


def same_vector(one: Sequence[float] | None, other: Sequence[float] | None) -> bool:
    """Return True if two vectors are equal but for what the engines round."""
    if one is None or other is None or len(one) != len(other):
        return False
    return all(abs(a - b) <= SAME_FLOATS for a, b in zip(one, other, strict=True))


def batches(rows: Iterable[T], size: int = BATCH) -> Iterable[list[T]]:
    """Yield rows in lists."""
    left = iter(rows)
    return iter(lambda: list(islice(left, size)), [])


def silent(part: str, done: int, total: int | None) -> None:
    """Show nothing."""


ORIGIN = "origin"  # the note of a copy: the catalog that it was copied from
MADE_THERE = Words("在那里导入", "ingested there")
COPIED = Words("复制自 {place}", "copied from {place}")
TAKEN = Words(
    "{place} 的登记库里已有另一个资料库 {name}《{title}》（{chapters} 章，{passages} 段，{origin}），没有改动它："
    "确定要用来源的这个替换它，请加 --replace；要两个都留下，请把来源用另一个名称重新 wenmai ingest 后再复制",
    "the catalog of {place} has another library {name} ({title}, {chapters} chapters, {passages} passages, {origin}), "
    "which was not changed: add --replace to put the source's in its place; to keep both, wenmai ingest the source "
    "under another name and copy that",
)


async def require_replaceable(source: Side, target: Side, library: str) -> None:
    """Raise StoreForeign where the target has a library of this name that is no copy of the source's.

    A copy was made from the source's catalog, or is what the source was copied from, or has nothing that the source
    has not, as a copy of a version that left no note.
    """
    if source.catalog is target.catalog:
        return
    try:
        info = await target.info(library)
    except LibraryNotFound:
        return
    here, there = await source.catalog.owner(), await target.catalog.owner()
    came_from = _origin(await target.catalog.note(library, ORIGIN))
    if came_from is None:
        own = _origin(await source.catalog.note(library, ORIGIN))
        is_kin = own is not None and own.id == there.id
    else:
        is_kin = came_from.id == here.id
    if not is_kin and not await _is_contained(source, target, library):
        raise _taken(info, there, came_from)


async def note_origin(source: Side, target: Side, library: str) -> None:
    """Note in a copy where it comes from."""
    await target.catalog.put_note(library, ORIGIN, asdict(await source.catalog.owner()))


def carried(notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the notes that a copy has in common with its source."""
    return {key: value for key, value in notes.items() if key not in (ORIGIN, UNFINISHED_COPY, SIGHTINGS)}


def _origin(note: Any) -> Owner | None:
    return Owner(**note) if note else None


async def _is_contained(source: Side, target: Side, library: str) -> bool:
    """Return True if the source has every chapter and every note of the target."""
    chapters, notes = await chapters_of(source, library), await source.catalog.notes(library)
    if any(row not in chapters for row in await chapters_of(target, library)):
        return False
    held = carried(await target.catalog.notes(library))
    return all(key in notes and notes[key] == value for key, value in held.items())


def _taken(info: LibraryInfo, there: Owner, came_from: Owner | None) -> StoreForeign:
    origin = COPIED.of(place=came_from.place) if came_from else MADE_THERE
    held = {kind: info.counts[kind] for kind in ("chapters", "passages")}
    return StoreForeign(TAKEN.of(place=there.place, name=info.name, title=info.title, origin=origin, **held))
