"""What a library holds as a whole, settled from its stored passages: order, entities, imported records; deletion."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from tools.errors import InputError
from tools.records import GRAPH_COUNTS, Chapter, Passage, PassageFilter
from wenmai.ingestion.contracts import CatalogWriter, IngestReport, Receipt, SourceNote, Stores
from wenmai.ingestion.library.decisions import Decisions, load_decisions, save_decisions
from wenmai.ingestion.library.entities import count_entities
from wenmai.ingestion.library.extractions import Drawn, realign, save_drawn
from wenmai.ingestion.library.positions import Story, settle_file
from wenmai.ingestion.library.spoiler_filter import veil
from wenmai.ingestion.material import Material
from wenmai.ingestion.passages.layout import Layout, chapter_key
from wenmai.ingestion.sources.aliases import KnownName, merge

SOURCES = "sources"


async def load_note(catalog: CatalogWriter, library: str, source: str) -> SourceNote:
    """Return what the catalog remembers of a source; an empty note where it is new."""
    row = await catalog.note(library, f"source:{source}")
    if not row:
        return SourceNote()
    names = [KnownName(**{**entry, "aliases": tuple(entry["aliases"])}) for entry in row["names"]]
    return SourceNote(**{**row, "names": names})


async def save_note(catalog: CatalogWriter, library: str, source: str, note: SourceNote | None) -> None:
    """Keep or remove a source's note, and the list of sources."""
    known = await sources(catalog, library)
    if note and source not in known:
        await catalog.put_note(library, SOURCES, [*known, source])
    if note is None:
        await catalog.put_note(library, SOURCES, [name for name in known if name != source])
    await catalog.put_note(library, f"source:{source}", asdict(note) if note else None)


async def forget_chapter(stores: Stores, library: str, chapter: Chapter) -> int:
    """Delete a chapter from vectors, graph and catalog; return how many passages there were."""
    key = chapter_key(chapter)
    deleted = await stores.passages.delete(library, await stores.catalog.passage_ids(library, *key))
    await stores.graph.put_chapter(library, *key, [], [])
    await save_drawn(stores.catalog, library, key, None)
    await stores.catalog.delete_chapter(library, *key)
    return deleted


async def settle(
    stores: Stores,
    library: str,
    source: str,
    layout: Layout,
    material: Material,
    note: SourceNote,
    report: IngestReport,
    decisions: Decisions,
) -> SourceNote:
    """Bring order, imported records and entities in line with the stored passages; return the source's new note."""
    passages = await _without_orphans(stores, library, report)
    passages = await _reordered(stores, library, layout, passages, report)
    pins = await _put_imports(stores, library, material, passages, note.imports, decisions)
    entities = {name for passage in passages for name in passage.entities}
    namer = material.namer
    named = {name for name in (*namer.entries, *entities) if decisions.resolve(name) in entities}
    pins |= {
        name: namer.entries[name] for c in material.chapters for name in namer.homonyms(c.text) if name not in named
    }
    settled = replace(
        note,
        tasks=list(dict.fromkeys(chapter.task_id for chapter in material.chapters)),
        imports=[file.stem for file in material.graph_files],
        names=merge((namer.described(name) for name in namer.entries if name in named), pins.values()),
        pinned=sorted(pins),
        bad_rows=[row for file in material.graph_files for row in file.bad],
    )
    await save_note(stores.catalog, library, source, settled)
    await put_entities(stores, library, passages, decisions)
    return settled


async def _without_orphans(stores: Stores, library: str, report: IngestReport) -> list[Passage]:
    """Return the stored passages; those of a chapter that was never completed are deleted."""
    known = set(await stores.catalog.passage_ids(library))
    passages = await stores.passages.scroll(library, PassageFilter())
    orphans = [passage.id for passage in passages if passage.id not in known]
    if orphans:
        report.removed += await stores.passages.delete(library, orphans)
    return [passage for passage in passages if passage.id in known]


async def _reordered(
    stores: Stores, library: str, layout: Layout, passages: Sequence[Passage], report: IngestReport
) -> list[Passage]:
    """Give every passage and chapter of the library the order that the layout counts."""
    orders = {
        id: first + at
        for key, first in layout.orders
        for at, id in enumerate(await stores.catalog.passage_ids(library, *key))
    }
    moved = {p.id: orders[p.id] for p in passages if orders.get(p.id, p.event_order) != p.event_order}
    if moved:
        await stores.passages.reorder(library, moved)
    report.reordered = len(moved)
    places = {key: place for place, (key, _) in enumerate(layout.orders)}
    shifted = [
        (*key, places[key])
        for key, order in ((chapter_key(c), c.order) for c in await stores.catalog.chapters(library))
        if key in places and places[key] != order
    ]
    if shifted:
        await stores.catalog.reorder(library, shifted)
    fresh = (replace(p, event_order=orders.get(p.id, p.event_order)) for p in passages)
    return sorted(fresh, key=lambda passage: passage.event_order)


async def _put_imports(
    stores: Stores,
    library: str,
    material: Material,
    passages: Sequence[Passage],
    old: Iterable[str],
    decisions: Decisions,
) -> dict[str, KnownName]:
    """Write each graph file's records, drop those of files no longer given; return the entities that they name."""
    story = Story.of(passages, await stores.catalog.chapters(library))
    namer = material.namer
    pins: dict[str, KnownName] = {}
    for file in material.graph_files:
        relations, events = settle_file(file, story, namer, decisions.resolve)
        drawn = Drawn({}, relations, events)
        await save_drawn(stores.catalog, library, file.stem, drawn)
        after = drawn.under(decisions)
        await stores.graph.put_imported(library, file.stem, after.relations, after.events)
        ends = [end for row in relations for end in ((row.source, row.source_kind), (row.target, row.target_kind))]
        ends += [(person.name, "Character") for event in events for person in event.participants]
        ends += [(entry.name, entry.kind) for entry in file.entities]
        pins |= {name: namer.entries.get(name) or KnownName(name=name, kind=kind) for name, kind in ends}
    for stem in set(old) - {file.stem for file in material.graph_files}:
        await forget_import(stores, library, stem)
    return pins


async def forget_import(stores: Stores, library: str, stem: str) -> None:
    """Delete what was imported from a graph file."""
    await stores.graph.delete_source(library, stem)
    await save_drawn(stores.catalog, library, stem, None)


async def put_entities(
    stores: Stores, library: str, passages: Sequence[Passage], decisions: Decisions
) -> tuple[int, int]:
    """Write the entities of all sources and delete those that nothing names; return how many of each.

    Who is not known by name in a passage, a relation or an event is veiled there (STO-19).
    """
    notes = [await load_note(stores.catalog, library, name) for name in await sources(stores.catalog, library)]
    known = {entry.name: entry for entry in merge([], (entry for note in notes for entry in note.names))}
    pinned = {decisions.resolve(name) for note in notes for name in note.pinned}
    census = count_entities(passages, decisions.known(known), pinned)
    kept = {entity.name for entity in census.entities}
    stale = sorted({name.entity for name in await stores.graph.names(library, None)} - kept)
    await stores.graph.put_entities(library, census.entities)
    deleted = await stores.graph.delete_entities(library, stale) if stale else 0
    await veil(stores, library, census, passages, decisions, [stem for note in notes for stem in note.imports])
    await stores.catalog.put_note(library, GRAPH_COUNTS, await stores.graph.counts(library))
    return sum(entity.until is None for entity in census.entities), deleted


async def imports(catalog: CatalogWriter, library: str) -> list[str]:
    """Return the stems of every graph file that a library holds."""
    notes = [await load_note(catalog, library, name) for name in await sources(catalog, library)]
    return [stem for note in notes for stem in note.imports]


async def sources(catalog: CatalogWriter, library: str) -> list[str]:
    """Return the sources of a library in order of first ingestion."""
    return list(await catalog.note(library, SOURCES) or [])


async def delete_source(library: str, task_id: str | None, stores: Stores) -> Receipt:
    """Delete a task (None: every one) from vectors, graph and catalog.

    A source whose last task goes takes its imported records and its note along. Raises InputError for an unknown task.
    """
    chapters = await stores.catalog.chapters(library, task_id)
    if task_id is not None and not chapters:
        tasks = (await stores.catalog.info(library)).sources
        raise InputError(f"资料库 {library} 里没有来源 {task_id}，现有：{'、'.join(tasks) or '无'}")
    before = await stores.graph.counts(library)
    tasks = tuple(dict.fromkeys(chapter.task_id for chapter in chapters))
    passages = 0
    for chapter in chapters:
        passages += await forget_chapter(stores, library, chapter)
    for task in tasks:
        await stores.graph.delete_source(library, task)
    answers = sum([await stores.answers.forget(library, task) for task in tasks]) if stores.answers else 0
    old = await load_decisions(stores.catalog, library)
    await _forget_notes(stores, library, tasks, everything=task_id is None)
    decisions = await load_decisions(stores.catalog, library)
    if decisions.merged != old.merged:
        await realign(stores, library, old, decisions, await imports(stores.catalog, library))
    await put_entities(stores, library, await stores.passages.scroll(library, PassageFilter()), decisions)
    after = await stores.graph.counts(library)
    gone = {kind: before.get(kind, 0) - after.get(kind, 0) for kind in ("relations", "events", "entities")}
    return Receipt(library=library, tasks=tasks, passages=passages, chapters=len(chapters), answers=answers, **gone)


async def _forget_notes(stores: Stores, library: str, tasks: Sequence[str], *, everything: bool) -> None:
    """Shorten or remove the notes of the sources that held these tasks."""
    for source in await sources(stores.catalog, library):
        note = await load_note(stores.catalog, library, source)
        left = [task for task in note.tasks if task not in tasks]
        if left and not everything:
            if left != note.tasks:
                await save_note(stores.catalog, library, source, replace(note, fingerprint=None, tasks=left))
            continue
        for stem in note.imports:
            await forget_import(stores, library, stem)
        await _forget_proposals(stores.catalog, library, source)
        await save_note(stores.catalog, library, source, None)


async def _forget_proposals(catalog: CatalogWriter, library: str, source: str) -> None:
    """Take back the merges that a model read in a source; what a person decided stays."""
    decisions = await load_decisions(catalog, library)
    await save_decisions(catalog, library, decisions.proposed(source, {}))
