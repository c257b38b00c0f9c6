"""Where the chapters of a source stand in a library: part, reading order, event_order."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tools.records import Chapter, ChapterOutline, slot_of
from wenmai.ingestion.passages.passages import Chunk, PassagePolicy, split_passages
from wenmai.ingestion.sources.sources import SourceChapter

RULES = 9
"""Version of the rules that turn a text into records: a new one makes every chapter count as changed."""

Key = tuple[str, int, int | None]
"""Source, part and slot of a chapter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedChapter:
    """A chapter of the source with its place, its passages' spans and the event_order of the first."""

    chapter: Chapter
    task_name: str
    chunks: tuple[Chunk, ...]
    first_order: int
    changed: bool

    @property
    def key(self) -> Key:
        """Identity of the chapter inside the library."""
        return chapter_key(self.chapter)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """The library as it will be: the source's chapters, those that leave, and every chapter's order."""

    placed: tuple[PlacedChapter, ...]
    gone: tuple[Key, ...]
    orders: tuple[tuple[Key, int], ...]
    """Every chapter of the library with the event_order of its first passage, in reading order."""
    shifted: tuple[tuple[str, int, int | None, int], ...]
    """The stored chapters (task, part, slot) with a new order."""


def chapter_key(chapter: Chapter | ChapterOutline) -> Key:
    """Return the identity of a chapter inside its library."""
    return chapter.task_id, chapter.part, slot_of(chapter.number, chapter.copy)


def digest(*parts: object) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def arrange_chapters(
    library: str,
    source: Sequence[SourceChapter],
    stored: Sequence[ChapterOutline],
    tasks: Iterable[str],
    settings: str,
    policy: PassagePolicy,
) -> Layout:
    """Place the chapters of a source among the stored ones.

    Parts continue in the order of first ingestion; a task keeps its part for good.

    Args:
        library: the library that the chapters will belong to.
        source: the chapters of the source, in reading order.
        stored: every chapter of the library.
        tasks: the tasks that the source held before.
        settings: another value makes every chapter count as changed.
        policy: sizes of passages.
    """
    parts = _parts(source, stored)
    drafts = {chapter_key(one): one for one in (_chapter(library, row, parts[row.task_id], settings) for row in source)}
    old = {chapter_key(chapter): chapter for chapter in stored}
    owned = {chapter.task_id for chapter in source} | set(tasks)
    kept = [chapter for key, chapter in old.items() if key not in drafts and chapter.task_id not in owned]
    chunks = {key: tuple(split_passages(chapter.text, policy)) for key, chapter in drafts.items()}
    held = {chapter_key(one): one.passages for one in kept}
    sizes = held | {key: len(found) for key, found in chunks.items()}
    orders = _orders([*kept, *drafts.values()], sizes)
    places = {key: (order, first) for order, (key, first) in enumerate(orders)}
    names = {row.task_id: row.task_name for row in source}
    placed = [_placed(one, names[one.task_id], chunks[key], places[key], old.get(key)) for key, one in drafts.items()]
    return Layout(
        placed=tuple(placed),
        gone=tuple(key for key, chapter in old.items() if key not in drafts and chapter.task_id in owned),
        orders=tuple(orders),
        shifted=tuple((*key, at) for key, (at, _) in places.items() if key in old and old[key].order != at),
    )


def _placed(
    chapter: Chapter,
    task_name: str,
    chunks: tuple[Chunk, ...],
    place: tuple[int, int],
    stored: ChapterOutline | None,
) -> PlacedChapter:
    order, first = place
    return PlacedChapter(
        chapter=replace(chapter, order=order),
        task_name=task_name,
        chunks=chunks,
        first_order=first,
        changed=stored is None or stored.digest != chapter.digest,
    )


def _parts(source: Sequence[SourceChapter], stored: Sequence[ChapterOutline]) -> dict[str, int]:
    parts = {chapter.task_id: chapter.part for chapter in stored}
    for task in dict.fromkeys(chapter.task_id for chapter in source):
        parts.setdefault(task, max(parts.values(), default=0) + 1)
    return parts


def _chapter(library: str, source: SourceChapter, part: int, settings: str) -> Chapter:
    return Chapter(
        library=library,
        task_id=source.task_id,
        part=part,
        number=source.number,
        title=source.title,
        text=source.text,
        digest=digest(RULES, settings, source.task_name, source.title, source.source_file, source.text),
        order=source.order,
        source_file=source.source_file,
        copy=source.copy,
    )


def _orders(chapters: Sequence[Chapter | ChapterOutline], sizes: Mapping[Key, int]) -> list[tuple[Key, int]]:
    """Return the event_order of each chapter's first passage, in reading order: by part, then by order inside it."""
    orders, count = [], 0
    for chapter in sorted(chapters, key=lambda c: (c.part, c.order)):
        orders.append((chapter_key(chapter), count))
        count += sizes[chapter_key(chapter)]
    return orders
