"""Keeping a late reveal from a reader who is not there yet: in passages' tags, relations and events (STO-19)."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from tools.records import MajorEvent, Passage, Relation
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.library.entities import Census
from wenmai.ingestion.library.extractions import load_drawn
from wenmai.ingestion.library.wordings import Scene, event_wordings, relation_wordings
from wenmai.ingestion.passages.layout import Key, chapter_key

NOTE = "veiled"


@dataclass(frozen=True, slots=True)
class Veiled:
    """What is veiled in a library now: persons of the graph, and the chapters and imports with such records."""

    persons: frozenset[str] = frozenset()
    records: frozenset[Key | str] = frozenset()


async def veil(
    stores: Stores,
    library: str,
    census: Census,
    passages: Sequence[Passage],
    decisions: Decisions,
    imports: Collection[str],
) -> None:
    """Bring tags, relations and events in line with who is known where.

    Of the passages those are written whose tags change; chapters and imports with veiled records are written anew.
    """
    await _tag(stores, library, census, passages)
    old = await _load(stores, library)
    persons = frozenset(entity.name for entity in census.entities if entity.until)
    gone = sorted(old.persons - {entity.name for entity in census.entities})
    if gone:
        await stores.graph.delete_entities(library, gone)
    records: frozenset[Key | str] = frozenset()
    if census.secrets or old.records:
        scene = Scene.of(passages, census)
        records = await _reword(stores, library, scene, decisions, imports, old)
    new = Veiled(persons, records)
    if new != old:
        await _save(stores, library, new)


async def _tag(stores: Stores, library: str, census: Census, passages: Sequence[Passage]) -> None:
    """Write the passages whose guises differ, with the vectors that they have."""
    stale = [
        replace(p, guises=census.guises.get(p.id, ())) for p in passages if p.guises != census.guises.get(p.id, ())
    ]
    if stale:
        vectors = await stores.passages.vectors(library, stale)
        await stores.passages.upsert(library, stale, [vectors[passage.id] for passage in stale])


async def _reword(
    stores: Stores, library: str, scene: Scene, decisions: Decisions, imports: Collection[str], old: Veiled
) -> frozenset[Key | str]:
    """Write the records of every chapter and import that has or had a wording of its own; return which have one."""
    keys: list[Key | str] = [*(chapter_key(c) for c in await stores.catalog.chapters(library)), *imports]
    veiled: set[Key | str] = set()
    for key in keys:
        drawn = await load_drawn(stores.catalog, library, key)
        if drawn is None:
            continue
        plain = drawn.under(decisions)
        relations = [wording for row in plain.relations for wording in relation_wordings(row, scene)]
        events = [wording for row in plain.events for wording in event_wordings(row, scene)]
        differs = relations != [*plain.relations] or events != [*plain.events]
        if differs or key in old.records:
            await _put(stores, library, key, relations, events)
        if differs:
            veiled.add(key)
    return frozenset(veiled)


async def _put(
    stores: Stores, library: str, key: Key | str, relations: Sequence[Relation], events: Sequence[MajorEvent]
) -> None:
    if isinstance(key, str):
        await stores.graph.put_imported(library, key, relations, events)
    else:
        await stores.graph.put_chapter(library, *key, relations, events)


async def _load(stores: Stores, library: str) -> Veiled:
    note = await stores.catalog.note(library, NOTE)
    if not note:
        return Veiled()
    keys = (key if isinstance(key, str) else (str(key[0]), int(key[1]), key[2]) for key in note["records"])
    return Veiled(frozenset(note["persons"]), frozenset(keys))


async def _save(stores: Stores, library: str, veiled: Veiled) -> None:
    records = sorted(veiled.records, key=str)
    note = {"persons": sorted(veiled.persons), "records": records}
    await stores.catalog.put_note(library, NOTE, note if veiled != Veiled() else None)
