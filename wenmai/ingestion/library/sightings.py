"""The passages of a library as its entities are counted: places, names and spellings, without texts.

They are kept in one note of the catalog, so that an ingest reads the texts of what changed, not of the library.
The note counts only while the notes of sources and merges are those with which it was made: an interrupted run changes
them, and so does an older program.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tools.records import Passage, Position, VisibleName, number_of
from tools.story.names import Spellings
from wenmai.ingestion.contracts import CatalogWriter
from wenmai.ingestion.library import decisions
from wenmai.ingestion.library.notes import key_of, sources
from wenmai.ingestion.passages import Key, digest
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import given_character

NOTE = "sightings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """A passage without its text.

    Attributes:
        at: how many passages of its chapter stand before it.
        spellings: for each entity its spellings that stand in the passage.
        given_only: entities of which only the bare given name stands in it.
        guises: who is not known by name in the passage, as it is stored.
    """

    id: str
    part: int
    chapter: int | None
    at: int
    event_order: int
    start: int
    end: int
    entities: tuple[str, ...]
    spellings: Mapping[str, frozenset[str]]
    given_only: frozenset[str]
    guises: tuple[VisibleName, ...]

    @property
    def place(self) -> Position | None:
        return None if self.chapter is None else (self.part, self.chapter)


@dataclass(frozen=True, slots=True)
class SightedChapter:
    """The sightings of a chapter; `spelled` digests the spellings that were looked for."""

    spelled: str
    rows: tuple[Sighting, ...]


@dataclass(frozen=True, slots=True)
class Sightings:
    """What the last ingest has seen: chapters, and for each entity a digest of what the graph holds of it."""

    chapters: Mapping[Key, SightedChapter] = field(default_factory=dict)
    entities: Mapping[str, str] = field(default_factory=dict)


def spellings_of(name: str, known: Mapping[str, KnownName]) -> frozenset[str]:
    entry = known.get(name) or KnownName(name=name)
    return frozenset((name, entry.base, *entry.aliases))


def unread(passage: Passage, at: int) -> Sighting:
    """Return the passage `at` this place of its chapter, in which no spelling has been looked for."""
    return Sighting(
        id=passage.id,
        part=passage.part,
        chapter=passage.chapter,
        at=at,
        event_order=passage.event_order,
        start=passage.start,
        end=passage.end,
        entities=passage.entities,
        spellings={},
        given_only=frozenset(),
        guises=passage.guises,
    )


def observe(passages: Sequence[Passage], known: Mapping[str, KnownName]) -> list[Sighting]:
    """Return the passages with the spellings that stand in them."""
    spelled = {name: spellings_of(name, known) for passage in passages for name in passage.entities}
    given = {name: given_character(name.split("[")[0]) for name in spelled}
    every = Spellings.compile(spelling for found in spelled.values() for spelling in found)
    rows: list[Sighting] = []
    for at, passage in enumerate(passages):
        words = {passage.text[start:end] for start, end in every.every(passage.text)}
        found = {name: spelled[name] & words for name in passage.entities}
        given_only = (name for name, present in found.items() if not present and given[name])
        only = frozenset(name for name in given_only if given[name] in passage.text)
        rows.append(replace(unread(passage, at), spellings=found, given_only=only))
    return rows


def spelled_digest(rows: Iterable[Sighting], known: Mapping[str, KnownName]) -> str:
    names = {name for row in rows for name in row.entities}
    return digest([(name, sorted(spellings_of(name, known))) for name in sorted(names)])


async def load_sightings(catalog: CatalogWriter, library: str) -> Sightings:
    """Return the kept sightings, none where something else has been written since."""
    note = await catalog.note(library, NOTE)
    if not note or note["stamp"] != await _stamp(catalog, library):
        return Sightings()
    chapters = {
        (task, part, slot): SightedChapter(spelled, tuple(_row(part, number_of(slot)[0], row) for row in rows))
        for task, part, slot, spelled, rows in note["chapters"]
    }
    return Sightings(chapters, note["entities"])


async def save_sightings(catalog: CatalogWriter, library: str, sightings: Sightings) -> None:
    chapters = [
        [*key, chapter.spelled, [_plain(row) for row in chapter.rows]] for key, chapter in sightings.chapters.items()
    ]
    stamp = await _stamp(catalog, library)
    await catalog.put_note(library, NOTE, {"stamp": stamp, "chapters": chapters, "entities": dict(sightings.entities)})


async def forget_sightings(catalog: CatalogWriter, library: str) -> None:
    """Remove the note: the next ingest reads the whole library once."""
    await catalog.put_note(library, NOTE, None)


async def _stamp(catalog: CatalogWriter, library: str) -> str:
    names = await sources(catalog, library)
    notes = [await catalog.note(library, key_of(name)) for name in names]
    return digest(names, notes, await catalog.note(library, decisions.NOTE))


def _plain(row: Sighting) -> list[Any]:
    spellings = {name: sorted(found) for name, found in row.spellings.items() if found}
    guises = [[one.entity, one.known_as, one.since, one.until] for one in row.guises]
    place = [row.id, row.at, row.event_order, row.start, row.end]
    return [*place, list(row.entities), spellings, sorted(row.given_only), guises]


def _row(part: int, number: int | None, row: Sequence[Any]) -> Sighting:
    id, at, order, start, end, entities, spellings, given_only, guises = row
    return Sighting(
        id=id,
        part=part,
        chapter=number,
        at=at,
        event_order=order,
        start=start,
        end=end,
        entities=tuple(entities),
        spellings={name: frozenset(spellings.get(name, ())) for name in entities},
        given_only=frozenset(given_only),
        guises=tuple(
            VisibleName(entity=entity, known_as=known_as, since=(since[0], since[1]), until=(until[0], until[1]))
            for entity, known_as, since, until in guises
        ),
    )


def in_order(chapters: Mapping[Key, SightedChapter]) -> list[Sighting]:
    return sorted((row for chapter in chapters.values() for row in chapter.rows), key=lambda row: row.event_order)


def moved(chapter: SightedChapter, first: int) -> SightedChapter:
    """Return a chapter whose first passage has another place in the order of the library."""
    return replace(chapter, rows=tuple(replace(row, event_order=first + row.at) for row in chapter.rows))
