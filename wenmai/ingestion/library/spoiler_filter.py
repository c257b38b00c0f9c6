"""Keeping a late reveal from a reader who is not there yet: in the tags of passages, relations and events."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tools.records import MajorEvent, Relation
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.library.entities import EntityIndex
from wenmai.ingestion.library.extractions import from_note, note_key
from wenmai.ingestion.library.sightings import Sighting
from wenmai.ingestion.library.spoiler_wordings import Scene, event_wordings, relation_wordings
from wenmai.ingestion.passages.layout import Key, chapter_key

NOTE = "veiled"
BATCH = 256
"""Passages that are written in one request."""


@dataclass(frozen=True, slots=True)
class HiddenRecords:
    """The stand-ins in the graph of a library, and the chapters and imports whose records have several wordings."""

    persons: frozenset[str] = frozenset()
    records: frozenset[Key | str] = frozenset()


async def apply_spoiler_filter(
    stores: Stores,
    library: str,
    index: EntityIndex,
    rows: Sequence[Sighting],
    decisions: Decisions,
    imports: Collection[str],
) -> None:
    """Bring tags, relations and events in line with who is known where.

    Passages whose tags change are written; so are the records of chapters and imports with several wordings.
    """
    await _tag(stores, library, index, rows)
    old = await _load(stores, library)
    persons = frozenset(entity.name for entity in index.entities if entity.until)
    gone = sorted(old.persons - {entity.name for entity in index.entities})
    if gone:
        await stores.graph.delete_entities(library, gone)
    records: frozenset[Key | str] = frozenset()
    if index.secrets or old.records:
        scene = Scene.of(rows, index)
        records = await _reword(stores, library, scene, decisions, imports, old)
    new = HiddenRecords(persons, records)
    if new != old:
        await _save(stores, library, new)


async def _tag(stores: Stores, library: str, index: EntityIndex, rows: Sequence[Sighting]) -> None:
    """Write the passages whose guises differ, with the vectors that they have."""
    guises = {row.id: index.guises.get(row.id, ()) for row in rows if row.guises != index.guises.get(row.id, ())}
    ids = list(guises)
    for at in range(0, len(ids), BATCH):
        stored = [one.passage for one in await stores.passages.fetch(library, ids[at : at + BATCH])]
        stale = [replace(passage, guises=guises[passage.id]) for passage in stored]
        vectors = await stores.passages.vectors(library, stale)
        await stores.passages.upsert(library, stale, [vectors[passage.id] for passage in stale])


async def _reword(
    stores: Stores, library: str, scene: Scene, decisions: Decisions, imports: Collection[str], old: HiddenRecords
) -> frozenset[Key | str]:
    """Write the records of every chapter and import that has or had a wording of its own; return which have one."""
    keys: list[Key | str] = [*(chapter_key(c) for c in await stores.catalog.chapters(library)), *imports]
    hidden: set[Key | str] = set()
    notes = await stores.catalog.notes(library)
    for key in keys:
        note = notes.get(note_key(key))
        if not note:
            continue
        plain = from_note(note).under(decisions)
        relations = [wording for row in plain.relations for wording in relation_wordings(row, scene)]
        events = [wording for row in plain.events for wording in event_wordings(row, scene)]
        differs = relations != [*plain.relations] or events != [*plain.events]
        if differs or key in old.records:
            await _put(stores, library, key, relations, events)
        if differs:
            hidden.add(key)
    return frozenset(hidden)


async def _put(
    stores: Stores, library: str, key: Key | str, relations: Sequence[Relation], events: Sequence[MajorEvent]
) -> None:
    if isinstance(key, str):
        await stores.graph.put_imported(library, key, relations, events)
    else:
        await stores.graph.put_chapter(library, *key, relations, events)


async def _load(stores: Stores, library: str) -> HiddenRecords:
    note = await stores.catalog.note(library, NOTE)
    if not note:
        return HiddenRecords()
    keys = (key if isinstance(key, str) else (str(key[0]), int(key[1]), key[2]) for key in note["records"])
    return HiddenRecords(frozenset(note["persons"]), frozenset(keys))


async def _save(stores: Stores, library: str, hidden: HiddenRecords) -> None:
    records = sorted(hidden.records, key=str)
    note = {"persons": sorted(hidden.persons), "records": records}
    await stores.catalog.put_note(library, NOTE, note if hidden != HiddenRecords() else None)
