"""What stood in the texts of a library and is no story: kept in the catalog, never searched, never quoted."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from tools.records import Horizon
from wenmai.ingestion.chapters.records import NoteKind, SourceChapter
from wenmai.ingestion.contracts import CatalogWriter
from wenmai.ingestion.passages.layout import Layout

TELLING: frozenset[NoteKind] = frozenset({"contents"})
"""Kinds that tell of later chapters wherever they stand: they are hidden under a spoiler guard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptNote:
    """A note with the chapter in which, or before which, it stood; `line` counts from 1 in the file."""

    task_id: str
    part: int
    chapter: int
    title: str
    kind: NoteKind
    line: int
    text: str

    def is_shown(self, horizon: Horizon | None) -> bool:
        return horizon is None or (self.kind not in TELLING and horizon.shows(self.part, self.chapter))


def key_of(task_id: str) -> str:
    return f"notes:{task_id}"


async def save_text_notes(
    catalog: CatalogWriter, library: str, chapters: Sequence[SourceChapter], layout: Layout
) -> None:
    parts = {placed.chapter.task_id: placed.chapter.part for placed in layout.placed}
    rows: dict[str, list[KeptNote]] = defaultdict(list)
    for chapter in chapters:
        rows[chapter.task_id] += [
            KeptNote(
                task_id=chapter.task_id,
                part=parts[chapter.task_id],
                chapter=chapter.number,
                title=chapter.title,
                kind=note.kind,
                line=note.line,
                text=note.text,
            )
            for note in chapter.notes
        ]
    for task in {*rows, *(task for task, _, _ in layout.gone)}:
        await catalog.put_note(library, key_of(task), [asdict(note) for note in rows.get(task, ())] or None)


async def load_text_notes(catalog: CatalogWriter, library: str, horizon: Horizon | None = None) -> list[KeptNote]:
    """Return the notes of a library in reading order, under a guard those that a reader may know."""
    sources = (await catalog.info(library)).sources
    found = [KeptNote(**row) for task in sources for row in await catalog.note(library, key_of(task)) or ()]
    return [note for note in found if note.is_shown(horizon)]


async def forget_text_notes(catalog: CatalogWriter, library: str, task_id: str) -> None:
    await catalog.put_note(library, key_of(task_id), None)
