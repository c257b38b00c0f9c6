"""The spoiler guard from what a caller names: a chapter, and a part or the one that the chapter means."""

from collections import Counter, defaultdict
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from tools.errors import InputError, LibraryNotFound
from tools.ports import PassageStore
from tools.records import ChapterOutline, Horizon, LibraryInfo, PassageFilter
from tools.wording import Words

NO_PART = Words(
    "资料库 {library} 有 {parts} 部，没有第 {part} 部：请检查 as_of_part。",
    "Library {library} has {parts} part(s), there is no part {part}: check as_of_part.",
)
GUARDED = Words("防剧透：只看到第 {part} 部第 {chapter} 章", "Spoiler guard: up to part {part}, chapter {chapter}")


class Outlines(Protocol):
    """The chapters of libraries without their texts."""

    async def outline(self, library: str) -> list[ChapterOutline]:
        """Return the chapters in reading order."""
        ...


async def read_horizon(catalog: Outlines, library: str, chapter: int | None, part: int | None) -> Horizon | None:
    """Return the guard that a caller means, None without a chapter. A library that is not known has one part.

    Raises:
        InputError: the library has no such part, so that the guard would hide nothing.
        StoreError: a store failed.
    """
    if chapter is None:
        return None
    outline: Collection[ChapterOutline] = ()
    if library:
        with suppress(LibraryNotFound):
            outline = await catalog.outline(library)
    parts = max((one.part for one in outline), default=part or 1)
    if part is not None and part > parts:
        raise InputError(NO_PART.say(library=library, parts=parts, part=part))
    return strictest(chapter, part if part is not None else meant_part(outline, chapter))


async def library_as_read(catalog: Outlines, info: LibraryInfo, horizon: Horizon | None) -> LibraryInfo:
    """Return a library with the sources and the counts of chapters and passages that a reader knows."""
    if horizon is None:
        return info
    shown = [one for one in await catalog.outline(info.name) if horizon.shows(one.part, one.number)]
    return replace(
        info,
        sources=tuple(dict.fromkeys(one.task_id for one in shown)),
        counts={"chapters": len(shown), "passages": sum(one.passages for one in shown)},
    )


def strictest(chapter: int, part: int | None) -> Horizon:
    """Return the guard that shows least where the part is not known: the first one."""
    return Horizon(part or 1, chapter)


def meant_part(outline: Collection[ChapterOutline], chapter: int) -> int:
    """Return the last part that begins at or before a chapter, of those that go on where the one before has ended.

    Numbers that begin again, side stories and other sources end the count: behind them a chapter could be another's.
    """
    numbers: dict[tuple[int, str], list[int]] = defaultdict(list)
    for one in outline:
        if one.number:
            numbers[one.part, one.task_id.partition("#")[0]].append(one.number)
    meant, last, source = 1, 0, ""
    for (part, stem), found in sorted(numbers.items()):
        if min(found) <= last or stem != (source or stem) or min(found) > chapter:
            break
        meant, last, source = part, max(found), stem
    return meant


Place = tuple[int, int | None]  # part and chapter


async def mentions_by_chapter(
    passages: PassageStore, library: str, horizon: Horizon | None
) -> dict[str, Counter[Place]]:
    """Return for each entity the passages of each chapter that name it, up to a guard. Raises StoreError."""
    found: defaultdict[str, Counter[Place]] = defaultdict(Counter)
    for one in await passages.scroll(library, PassageFilter(horizon=horizon), texts=False):
        for name in set(one.entities):
            found[name][one.part, one.chapter] += 1
    return found
