"""What the catalog remembers of the sources of a library."""

from dataclasses import asdict

from wenmai.ingestion.contracts import CatalogWriter, SourceNote
from wenmai.ingestion.sources.aliases import KnownName

SOURCES = "sources"


def key_of(source: str) -> str:
    """Return the key under which the note of a source is kept."""
    return f"source:{source}"


async def load_note(catalog: CatalogWriter, library: str, source: str) -> SourceNote:
    """Return the note of a source, an empty one where the source is new."""
    row = await catalog.note(library, key_of(source))
    if not row:
        return SourceNote()
    names = [KnownName(**{**entry, "aliases": tuple(entry["aliases"])}) for entry in row["names"]]
    return SourceNote(**{**row, "names": names})


async def save_note(catalog: CatalogWriter, library: str, source: str, note: SourceNote | None) -> None:
    """Keep or remove the note of a source, and its place in the list of sources."""
    known = await sources(catalog, library)
    if note and source not in known:
        await catalog.put_note(library, SOURCES, [*known, source])
    if note is None:
        await catalog.put_note(library, SOURCES, [name for name in known if name != source])
    await catalog.put_note(library, key_of(source), asdict(note) if note else None)


async def load_notes(catalog: CatalogWriter, library: str) -> dict[str, SourceNote]:
    """Return the note of every source, in order of first ingestion."""
    return {name: await load_note(catalog, library, name) for name in await sources(catalog, library)}


async def sources(catalog: CatalogWriter, library: str) -> list[str]:
    """Return the sources of a library in order of first ingestion."""
    return list(await catalog.note(library, SOURCES) or [])


async def imports(catalog: CatalogWriter, library: str) -> list[str]:
    """Return the stem of every graph file that a library holds."""
    notes = await load_notes(catalog, library)
    return [stem for note in notes.values() for stem in note.imports]
