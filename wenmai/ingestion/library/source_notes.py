"""What the catalog remembers of the sources of a library."""

from collections.abc import Iterator
from dataclasses import asdict

from tools.text.books import BOOKS, BookPart, stem_of
from wenmai.ingestion.contracts import CatalogWriter, SourceNote
from wenmai.ingestion.sources.aliases import KnownName

SOURCES = "sources"


def key_of(source: str) -> str:
    return f"source:{source}"


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
