"""What the catalog remembers of the sources of a library, and of what stood in their texts and is no story."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from tools.records import Horizon
from tools.text.books import BOOKS, BookPart, stem_of
from wenmai.ingestion.chapters.records import NoteKind, SourceChapter
from wenmai.ingestion.contracts import CatalogWriter, SourceNote
from wenmai.ingestion.passages import Layout
from wenmai.ingestion.sources.aliases import KnownName

SOURCES = "sources"


def key_of(source: str) -> str:
    return f"source:{source}"


def tables_key(source: str) -> str:
    return f"tables:{source}"


async def load_note(catalog: CatalogWriter, library: str, source: str) -> SourceNote:
    row = await catalog.note(library, key_of(source))
    if not row:
        return SourceNote()
    names = [KnownName(**{**entry, "aliases": tuple(entry["aliases"])}) for entry in row["names"]]
    return SourceNote(**{**row, "names": names})


async def save_note(catalog: CatalogWriter, library: str, source: str, note: SourceNote | None) -> None:
    """Keep or remove the note of a source, its place in the list of sources, and what its tasks belong to."""
    known, old = await sources(catalog, library), await load_note(catalog, library, source)
    books = {task: book for task, book in (await catalog.note(library, BOOKS) or {}).items() if task not in old.tasks}
    shown = {task: asdict(book) for task, book in books_of(source, note)} if note else {}
    await catalog.put_note(library, BOOKS, {**books, **shown})
    if note and source not in known:
        await catalog.put_note(library, SOURCES, [*known, source])
    if note is None:
        await catalog.put_note(library, SOURCES, [name for name in known if name != source])
    await catalog.put_note(library, key_of(source), asdict(note) if note else None)


def books_of(source: str, note: SourceNote) -> Iterator[tuple[str, BookPart]]:
    """Yield the part of a book that each task of a source is; a folder's title goes before what its files say."""
    is_titled = note.title not in (None, source)
    for task in note.tasks:
        stem, name = stem_of(task), note.parts.get(task, "")
        own, authors = note.books.get(stem, ("", ()))
        authors = authors if note.authors is None else note.authors
        is_part = stem != source and (is_titled or not own)
        parts = note.tasks if is_part else [one for one in note.tasks if stem_of(one) == stem]
        number = parts.index(task) + 1
        unnamed = () if is_part else (stem, f"{stem} {number}")
        title = (note.title if is_part or stem == source else own) or source
        yield task, BookPart(title, tuple(authors), number, len(parts), "" if name in unnamed else name)


async def load_notes(catalog: CatalogWriter, library: str) -> dict[str, SourceNote]:
    return {name: await load_note(catalog, library, name) for name in await sources(catalog, library)}


async def sources(catalog: CatalogWriter, library: str) -> list[str]:
    return list(await catalog.note(library, SOURCES) or [])


async def imports(catalog: CatalogWriter, library: str) -> list[str]:
    """Return the stem of every graph file that a library holds."""
    notes = await load_notes(catalog, library)
    return [stem for note in notes.values() for stem in note.imports]


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
        await catalog.put_note(library, f"notes:{task}", [asdict(note) for note in rows.get(task, ())] or None)


async def load_text_notes(catalog: CatalogWriter, library: str, horizon: Horizon | None = None) -> list[KeptNote]:
    """Return the notes of a library in reading order, under a guard those that a reader may know."""
    sources = (await catalog.info(library)).sources
    found = [KeptNote(**row) for task in sources for row in await catalog.note(library, f"notes:{task}") or ()]
    return [note for note in found if note.is_shown(horizon)]


async def forget_text_notes(catalog: CatalogWriter, library: str, task_id: str) -> None:
    await catalog.put_note(library, f"notes:{task_id}", None)
