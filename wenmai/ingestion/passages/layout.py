"""Where the chapters of a source stand in a library: part, reading order, event_order (STO-02)."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tools.records import Chapter
from wenmai.ingestion.passages.passages import Chunk, PassagePolicy, split_passages
from wenmai.ingestion.sources.sources import SourceChapter

RULES = 6
"""Version of the rules that turn a text into records: a new one makes every chapter count as changed."""

Key = tuple[str, int, int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
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

    placed: tuple[Placed, ...]
    gone: tuple[Chapter, ...]
    orders: tuple[tuple[Key, int], ...]
    """Every chapter of the library with the event_order of its first passage, in reading order."""


def chapter_key(chapter: Chapter) -> Key:
    """Return the identity of a chapter inside its library."""
    return chapter.task_id, chapter.part, chapter.number


def digest(*parts: object) -> str:
    """Return a digest of plain values."""
    return hashlib.sha256(json.dumps(parts, ensure_ascii=False, sort_keys=True).encode()).hexdigest()


def arrange(
    library: str,
    source: Sequence[SourceChapter],
    stored: Sequence[Chapter],
    tasks: Iterable[str],
    counts: dict[Key, int],
    settings: str,
    policy: PassagePolicy,
) -> Layout:
    """Place a source among the stored chapters; `tasks` are those that this source held before.

    Parts continue in the order of first ingestion; a task keeps its part for good.
    """
    parts = _parts(source, stored)
    drafts = [_chapter(library, chapter, parts[chapter.task_id], settings) for chapter in source]
    old = {chapter_key(chapter): chapter for chapter in stored}
    new = {chapter_key(chapter) for chapter in drafts}
    owned = {chapter.task_id for chapter in source} | set(tasks)
    gone = tuple(c for key, c in old.items() if key not in new and c.task_id in owned)
    kept = [c for key, c in old.items() if key not in new and c.task_id not in owned]
    chunks = {chapter_key(chapter): tuple(split_passages(chapter.text, policy)) for chapter in drafts}
    sizes = {**counts, **{key: len(found) for key, found in chunks.items()}}
    orders = _orders([*kept, *drafts], sizes)
    places = {key: (order, first) for order, (key, first) in enumerate(orders)}
    names = {chapter.task_id: chapter.task_name for chapter in source}
    placed = tuple(
        Placed(
            chapter=replace(chapter, order=places[chapter_key(chapter)][0]),
            task_name=names[chapter.task_id],
            chunks=chunks[chapter_key(chapter)],
            first_order=places[chapter_key(chapter)][1],
            changed=chapter_key(chapter) not in old or old[chapter_key(chapter)].digest != chapter.digest,
        )
        for chapter in drafts
    )
    return Layout(placed=placed, gone=gone, orders=tuple(orders))


def _parts(source: Sequence[SourceChapter], stored: Sequence[Chapter]) -> dict[str, int]:
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
    )


def _orders(chapters: Sequence[Chapter], sizes: dict[Key, int]) -> list[tuple[Key, int]]:
    """Count passages over the library in reading order: (part, order inside it)."""
    orders, count = [], 0
    for chapter in sorted(chapters, key=lambda c: (c.part, c.order)):
        orders.append((chapter_key(chapter), count))
        count += sizes.get(chapter_key(chapter), 0)
    return orders
