"""What an ingest writes once its chapters are stored: order, imported records, entities of the whole library."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tools.records import UNTYPED, Chapter, MajorEvent, Passage, PassageFilter, Relation
from wenmai.ingestion.contracts import SourceNote, Stores
from wenmai.ingestion.library.changes import delete_import
from wenmai.ingestion.library.decisions import Decisions, Extractions, save_extractions
from wenmai.ingestion.library.entity_writes import LibraryNames, write_entities
from wenmai.ingestion.library.notes import load_notes
from wenmai.ingestion.library.sightings import (
    SightedChapter,
    Sighting,
    Sightings,
    in_order,
    moved,
    observe,
    spelled_digest,
    unread,
)
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.passages import Key, Layout
from wenmai.ingestion.source_bundle import SourceBundle
from wenmai.ingestion.sources.aliases import KnownName, merge
from wenmai.ingestion.sources.imports import GraphFile

Record = TypeVar("Record", Relation, MajorEvent)


@dataclass(frozen=True, slots=True)
class Story:
    """The stored passages in story order, by entity, the chapters' texts by (part, chapter), and each task's part."""

    by_entity: Mapping[str, Sequence[Sighting]]
    chapters: Mapping[tuple[int, int | None], Chapter]
    parts: Mapping[str, int]

    @classmethod
    def of(cls, passages: Iterable[Sighting], chapters: Sequence[Chapter]) -> "Story":
        by_entity: dict[str, list[Sighting]] = {}
        for passage in passages:
            for name in passage.entities:
                by_entity.setdefault(name, []).append(passage)
        return cls(
            by_entity,
            {(chapter.part, chapter.number): chapter for chapter in chapters},
            {chapter.task_id: chapter.part for chapter in chapters},
        )

    def place(self, record: Record, names: Sequence[str]) -> Record:
        """Give a record without a chapter the first one that names all; find its evidence verbatim."""
        if record.chapter is None:
            rows = min((self.by_entity.get(name, ()) for name in names), key=len, default=())
            first = next((p for p in rows if p.chapter is not None and set(names) <= set(p.entities)), None)
            if first is None:
                return record
            return replace(record, part=first.part, chapter=first.chapter, event_order=first.event_order)
        place = record.part or self.parts.get(record.task_id or "", 1), record.chapter
        chapter = self.chapters.get(place)
        start = chapter.text.find(record.evidence) if chapter and record.evidence else -1
        here = [p for name in names for p in self.by_entity.get(name, ()) if (p.part, p.chapter) == place]
        holding = [p for p in here if start >= 0 and p.start <= start < p.end]
        order = min((p.event_order for p in holding or here), default=None)
        return replace(record, part=place[0], start=start if start >= 0 else None, event_order=order)


def locate_records(
    file: GraphFile, story: Story, namer: Namer, resolve: Callable[[str], str]
) -> tuple[list[Relation], list[MajorEvent]]:
    """Give a file's records canonical names, known kinds and their place in the story.

    `resolve` returns the entity under which the passages tag a name.
    """
    relations: list[Relation] = []
    for row in file.relations:
        source, target = namer.canonical(row.source), namer.canonical(row.target)
        named = replace(
            row,
            source=source,
            target=target,
            source_kind=namer.kind(source) if source in namer.entries else row.source_kind,
            target_kind=namer.kind(target) if target in namer.entries else row.target_kind,
        )
        relations.append(story.place(named, (resolve(source), resolve(target))))
    events: list[MajorEvent] = []
    for event in file.events:
        people = tuple(replace(person, name=namer.canonical(person.name)) for person in event.participants)
        primary = namer.canonical(event.primary_character)
        known = replace(event, participants=people, primary_character=primary)
        events.append(story.place(known, tuple(dict.fromkeys(resolve(person.name) for person in people))))
    return relations, events


ANY = PassageFilter()
BATCH = 256
"""Passages that are fetched in one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WritePlan:
    """A source whose chapters are stored, and the library around it.

    Attributes:
        note: the source's note while the ingest is under way.
        seen: sightings of the chapters that this ingest did not touch; none where they cannot be relied on.
    """

    library: str
    source: str
    bundle: SourceBundle
    layout: Layout
    decisions: Decisions
    note: SourceNote
    seen: Sightings


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """The source's note and the library's sightings to be kept, and how many passages were moved and removed."""

    note: SourceNote
    sightings: Sightings
    reordered: int
    removed: int


async def apply_write_plan(plan: WritePlan, stores: Stores) -> Applied:
    """Bring order, imported records and entities in line with the stored passages."""
    removed = await _delete_orphans(plan, stores)
    chapters, passages = await _gather(plan, stores)
    chapters, reordered = await _reorder(plan, stores, chapters)
    rows = in_order(chapters)
    pins = await _put_imports(plan, stores, rows)
    note = _complete_note(plan, rows, pins)
    names = LibraryNames.of({**await load_notes(stores.catalog, plan.library), plan.source: note}, plan.decisions)
    chapters = await _look_again(plan, stores, chapters, passages, names.known)
    written = await write_entities(stores, plan.library, in_order(chapters), names, plan.decisions, plan.seen.entities)
    rows_by_id = {row.id: row for row in written.rows}
    kept = {key: replace(one, rows=tuple(rows_by_id[row.id] for row in one.rows)) for key, one in chapters.items()}
    return Applied(note=note, sightings=Sightings(kept, written.digests), reordered=reordered, removed=removed)


async def _delete_orphans(plan: WritePlan, stores: Stores) -> int:
    """Delete the passages of chapters that were never completed; return how many there were."""
    known = set(await stores.catalog.passage_ids(plan.library))
    if await stores.passages.count(plan.library, ANY) == len(known):
        return 0
    stored = await stores.passages.scroll(plan.library, ANY)
    orphans = [passage.id for passage in stored if passage.id not in known]
    return await stores.passages.delete(plan.library, orphans) if orphans else 0


async def _gather(plan: WritePlan, stores: Stores) -> tuple[dict[Key, SightedChapter], dict[str, Passage]]:
    """Return every chapter of the library, and the passages of those that were not seen before."""
    new = [key for key, _ in plan.layout.orders if key not in plan.seen.chapters]
    ids = {key: await stores.catalog.passage_ids(plan.library, *key) for key in new}
    passages = await _fetched(plan, stores, [id for found in ids.values() for id in found])
    chapters = {key: plan.seen.chapters[key] for key, _ in plan.layout.orders if key in plan.seen.chapters}
    for key, found in ids.items():
        rows = [unread(passages[id], at) for at, id in enumerate(found) if id in passages]
        chapters[key] = SightedChapter("", tuple(rows))
    return chapters, passages


async def _fetched(plan: WritePlan, stores: Stores, ids: list[str]) -> dict[str, Passage]:
    """Return passages by id; many are read in one pass over the library."""
    if not ids:
        return {}
    if not plan.seen.chapters:
        wanted = set(ids)
        stored = await stores.passages.scroll(plan.library, ANY)
        return {passage.id: passage for passage in stored if passage.id in wanted}
    batches = [ids[at : at + BATCH] for at in range(0, len(ids), BATCH)]
    found = [one.passage for batch in batches for one in await stores.passages.fetch(plan.library, batch)]
    return {passage.id: passage for passage in found}


async def _reorder(
    plan: WritePlan, stores: Stores, chapters: Mapping[Key, SightedChapter]
) -> tuple[dict[Key, SightedChapter], int]:
    """Give every passage and chapter of the library the order that the layout counts."""
    fresh = {key: moved(chapters[key], first) for key, first in plan.layout.orders if key in chapters}
    before = {row.id: row.event_order for chapter in chapters.values() for row in chapter.rows}
    rows = (row for chapter in fresh.values() for row in chapter.rows)
    shifted = {row.id: row.event_order for row in rows if before[row.id] != row.event_order}
    if shifted:
        await stores.passages.reorder(plan.library, shifted)
    if plan.layout.shifted:
        await stores.catalog.reorder(plan.library, plan.layout.shifted)
    return fresh, len(shifted)


async def _put_imports(plan: WritePlan, stores: Stores, rows: list[Sighting]) -> dict[str, KnownName]:
    """Write each graph file's records, drop those of files no longer given; return the entities that they name."""
    files, namer = plan.bundle.graph_files, plan.bundle.namer
    pins: dict[str, KnownName] = {}
    if files:
        story = Story.of(rows, await stores.catalog.chapters(plan.library))
        for file in files:
            pins |= await put_graph_file(stores, plan.library, file, story, namer, plan.decisions)
    for stem in set(plan.note.imports) - {file.stem for file in files}:
        await delete_import(stores, plan.library, stem)
    return pins


async def put_graph_file(
    stores: Stores, library: str, file: GraphFile, story: Story, namer: Namer, decisions: Decisions
) -> dict[str, KnownName]:
    """Write the records of a graph file, and return the entities that they name."""
    relations, events = locate_records(file, story, namer, decisions.resolve)
    extractions = Extractions({}, relations, events)
    await save_extractions(stores.catalog, library, file.stem, extractions)
    after = extractions.under(decisions)
    await stores.graph.put_imported(library, file.stem, after.relations, after.events)
    ends = [*extractions.ends(), *((entry.name, entry.kind) for entry in file.entities)]
    return {name: namer.entries.get(name) or KnownName(name=name, kind=kind or UNTYPED) for name, kind in ends}


def _complete_note(plan: WritePlan, rows: list[Sighting], pins: Mapping[str, KnownName]) -> SourceNote:
    bundle, resolve = plan.bundle, plan.decisions.resolve
    namer, tagged = bundle.namer, {name for row in rows for name in row.entities}
    named = {name for name in (*namer.entries, *tagged) if resolve(name) in tagged}
    homonyms = {name for chapter in bundle.chapters for name in namer.homonyms(chapter.text)} - named
    kept = {**pins, **{name: namer.entries[name] for name in sorted(homonyms)}}
    return replace(
        plan.note,
        tasks=bundle.tasks,
        imports=[file.stem for file in bundle.graph_files],
        names=merge((namer.described(name) for name in namer.entries if name in named), kept.values()),
        pinned=sorted(kept),
        bad_rows=[row for file in bundle.graph_files for row in file.bad],
        parts={chapter.task_id: chapter.task_name for chapter in bundle.chapters},
        odd=list(bundle.odd),
        left_out=dict(Counter(note.kind for chapter in bundle.chapters for note in chapter.notes)),
    )


async def _look_again(
    plan: WritePlan,
    stores: Stores,
    chapters: Mapping[Key, SightedChapter],
    passages: Mapping[str, Passage],
    known: Mapping[str, KnownName],
) -> dict[Key, SightedChapter]:
    """Return the chapters with the spellings of all names; texts are read where others were looked for before."""
    spelled = {key: spelled_digest(chapter.rows, known) for key, chapter in chapters.items()}
    stale = {key: one for key, one in chapters.items() if one.spelled != spelled[key]}
    ids = [row.id for chapter in stale.values() for row in chapter.rows if row.id not in passages]
    texts = {**passages, **await _fetched(plan, stores, ids)}
    rows: dict[Key, tuple[Sighting, ...]] = {key: chapter.rows for key, chapter in chapters.items()}
    for key, chapter in stale.items():
        before = [row for row in chapter.rows if row.id in texts]
        seen = observe([texts[row.id] for row in before], known)
        rows[key] = tuple(
            replace(new, at=old.at, event_order=old.event_order) for new, old in zip(seen, before, strict=True)
        )
    return {key: SightedChapter(spelled[key], rows[key]) for key in chapters}
