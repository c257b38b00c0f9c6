"""Decide if a library of the same name on the other side may be replaced: it is a copy, or has nothing of its own.

Several data folders may share the catalog of a server, and name their libraries alike.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from tools.errors import LibraryNotFound, StoreForeign
from tools.records import LibraryInfo
from tools.wording import Words
from wenmai.ingestion.library.losses import UNFINISHED_COPY
from wenmai.ingestion.library.sightings import NOTE as SIGHTINGS
from wenmai.migration.side import Side, chapters_of
from wenmai.stores.files.owners import Owner

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
