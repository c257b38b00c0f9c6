"""`ingest`: a source into a library, one chapter at a time, resumable after a crash at any point.

A chapter is complete when its row stands in the catalog: passages and graph records are written before it, under ids
that depend only on the chapter's place, so that a second run writes the same again. What the library holds as a whole
(order, entities, imported records) is settled from the stored passages after the last chapter, and the source's note,
written at the very end, makes an unchanged second run stop at once.
"""

import asyncio
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

from tools.errors import LibraryNotFound
from tools.ports import Embedder
from wenmai.ingestion.chapter_reader import ChapterReader, Engine
from wenmai.ingestion.contracts import (
    Extractor,
    IngestReport,
    Progress,
    SourceNote,
    Stores,
)
from wenmai.ingestion.library.decisions import Decisions, load_decisions, save_decisions
from wenmai.ingestion.library.extractions import Drawn, realign, save_drawn
from wenmai.ingestion.library.losses import is_graph_lost, lost_chapters
from wenmai.ingestion.library.write_plan import forget_chapter, imports, load_note, save_note, settle
from wenmai.ingestion.local import LocalEngine
from wenmai.ingestion.making import Clock, Made, Maker
from wenmai.ingestion.material import Material, fingerprint, language, read_material
from wenmai.ingestion.model.findings import ReadingExtractor
from wenmai.ingestion.model.naming import named, prune
from wenmai.ingestion.model.reading import UNREAD, ReadBy, Readings, read_source
from wenmai.ingestion.passages.layout import Key, Layout, arrange, chapter_key
from wenmai.ingestion.passages.passages import DEFAULT_POLICY, PassagePolicy
from wenmai.ingestion.patterns.extraction import PatternExtractor
from wenmai.ingestion.reports import count, unchanged


@dataclass(frozen=True, slots=True)
class _Known:
    """What the catalog knows of a library and a source of it, and what other stores have lost of the library."""

    note: SourceNote = field(default_factory=SourceNote)
    decisions: Decisions = field(default_factory=Decisions)
    graph_lost: bool = False
    lost: frozenset[Key] = frozenset()

    @property
    def is_whole(self) -> bool:
        """Whether all that was settled, and all of the source, is still there."""
        return self.decisions.settled and not any(task in self.note.tasks for task, _, _ in self.lost)

    def lost_beside(self, tasks: Sequence[str]) -> list[str]:
        """Return the other tasks that have lost vectors: their own sources bring them back."""
        return sorted({task for task, _, _ in self.lost} - set(tasks))


@dataclass(slots=True, kw_only=True)
class _Run:
    """One ingest: what it writes with."""

    library: str
    source: str
    title: str
    stores: Stores
    maker: Maker
    readings: Readings
    decisions: Decisions
    report: IngestReport


async def ingest(
    path: Path,
    library: str,
    *,
    stores: Stores,
    embedder: Embedder,
    title: str | None = None,
    aliases: Path | None = None,
    graph_files: Sequence[Path] = (),
    progress: Progress | None = None,
    extractor: Extractor | None = None,
    policy: PassagePolicy = DEFAULT_POLICY,
    reading: ReadBy | None = None,
    engine: Engine | None = None,
) -> IngestReport:
    """Read a source and write what changed of it into a library; `engine` reads its chapters (default: here).

    Raises:
        IngestError: a file cannot be used; nothing was written.
        EmbedderMismatch: the library was built with another embedder.
        ModelError: the model that reads failed; its answers until then are kept, and a second run goes on.
    """
    started = time.perf_counter()
    known = await _known(stores, library, path.stem)
    note, old = known.note, known.decisions
    reading = reading.or_kept(note.reader) if reading else None
    read_by = reading.mark if reading else None
    mark = await asyncio.to_thread(fingerprint, path, aliases, graph_files, policy, embedder.name, read_by)
    if note.fingerprint == mark and title in (None, note.title) and known.is_whole:
        return await unchanged(stores, library, note, old, known.lost_beside(note.tasks), started)
    material = await asyncio.to_thread(read_material, path, aliases, graph_files)
    shown = title or note.title or path.stem
    await stores.catalog.create(library, shown, embedder.name, embedder.dimension, language(material.chapters))
    report = IngestReport(library=library, graph_restored=known.graph_lost)
    read = await read_source(reading, library, material, progress, report) if read_by and reading else UNREAD
    material, decisions = await named(material, read, read_by, old, path.stem, report)
    engine = engine or LocalEngine()
    await engine.prepare(
        ChapterReader(
            namer=material.namer,
            title=shown,
            readings=read,
            decisions=decisions,
            extractor=extractor or (ReadingExtractor(read, material.namer) if read_by else PatternExtractor()),
        )
    )
    run = _Run(
        library=library,
        source=path.stem,
        title=shown,
        stores=stores,
        maker=Maker(library, stores.passages, embedder, engine, Clock(progress)),
        readings=read,
        decisions=decisions,
        report=report,
    )
    await _complete(run, material, replace(known, note=replace(note, reader=read_by)), policy, mark)
    report.seconds = time.perf_counter() - started
    return report


async def _complete(run: _Run, material: Material, known: _Known, policy: PassagePolicy, mark: str) -> None:
    """Write what changed of a source, or is lost; note and decisions tell meanwhile that it is not yet complete."""
    note, tasks = known.note, _tasks(material, known.note)
    layout = await _arrange(run.stores, run.library, material, known, policy)
    run.report.vectors_restored = sum(len(one.chunks) for one in layout.placed if one.key in known.lost)
    run.report.vectors_lost = known.lost_beside(tasks)
    note = SourceNote(tasks=tasks, title=run.title, imports=note.imports, names=note.names, reader=note.reader)
    await save_note(run.stores.catalog, run.library, run.source, note)
    await save_decisions(run.stores.catalog, run.library, replace(run.decisions, settled=False))
    run.maker.clock.start(sum(len(placed.chunks) for placed in layout.placed if placed.changed))
    await _write(run, layout)
    await _settle(run, layout, material, note, known.decisions, mark)
    run.report.embedding_seconds = run.maker.clock.embedding


async def _settle(run: _Run, layout: Layout, material: Material, note: SourceNote, old: Decisions, mark: str) -> None:
    """Bring what the library holds as a whole in line, then note that the source is complete."""
    stores, library, decisions = run.stores, run.library, run.decisions
    if decisions.merged != old.merged or not old.settled:
        stems = await imports(stores.catalog, library)
        await realign(stores, library, old, decisions, stems, everything=not old.settled)
    note = await settle(stores, library, run.source, layout, material, note, run.report, decisions)
    await save_decisions(stores.catalog, library, replace(decisions, settled=True))
    complete = mark if run.readings.complete else None
    await save_note(stores.catalog, library, run.source, replace(note, fingerprint=complete))
    if stores.answers and note.reader:
        await prune(stores.answers, library, material)
    await count(run.report, stores.graph, material)


async def _known(stores: Stores, library: str, source: str) -> _Known:
    """Return what the catalog knows and what of that is gone."""
    catalog = stores.catalog
    try:
        note, decisions = await load_note(catalog, library, source), await load_decisions(catalog, library)
        info = await catalog.info(library)
    except LibraryNotFound:
        return _Known()
    graph_lost, lost = await is_graph_lost(stores.graph, info), await lost_chapters(stores, info)
    decisions = replace(decisions, settled=decisions.settled and not graph_lost)  # without its graph nothing is settled
    return _Known(note, decisions, graph_lost, lost)


def _tasks(material: Material, note: SourceNote) -> list[str]:
    """Return every task that this source holds or held: what is no longer in it must go."""
    return list(dict.fromkeys([*note.tasks, *(chapter.task_id for chapter in material.chapters)]))


async def _arrange(stores: Stores, library: str, material: Material, known: _Known, policy: PassagePolicy) -> Layout:
    """Place the source's chapters; one that has lost vectors counts as changed."""
    stored = await stores.catalog.chapters(library)
    counts = {chapter_key(c): len(await stores.catalog.passage_ids(library, *chapter_key(c))) for c in stored}
    stored = [replace(c, digest="") if chapter_key(c) in known.lost else c for c in stored]
    settings = f"{material.settings}|{policy}"
    return await asyncio.to_thread(
        arrange, library, material.chapters, stored, known.note.tasks, counts, settings, policy
    )


async def _write(run: _Run, layout: Layout) -> None:
    """Write the chapters that changed and forget those that are gone."""
    for chapter in layout.gone:
        run.report.removed += await forget_chapter(run.stores, run.library, chapter)
    run.report.unchanged += sum(len(placed.chunks) for placed in layout.placed if not placed.changed)
    async with aclosing(run.maker.made(placed for placed in layout.placed if placed.changed)) as chapters:
        async for made in chapters:
            await _write_chapter(run, made)
    run.report.tasks = list(dict.fromkeys(placed.chapter.task_id for placed in layout.placed))
    run.report.chapters = len(layout.placed)
    run.report.passages = sum(len(placed.chunks) for placed in layout.placed)


async def _write_chapter(run: _Run, made: Made) -> None:
    """Write one chapter: vectors first, its row in the catalog last."""
    placed, tagged, extraction = made.placed, made.read.tagged, made.read.extraction
    drawn = Drawn.of(tagged.passages, extraction)
    ids = [passage.id for passage in tagged.passages]
    passages = [run.decisions.passage(passage) for passage in tagged.passages]
    await run.stores.passages.upsert(run.library, passages, made.vectors)
    old = await run.stores.catalog.passage_ids(run.library, *placed.key)
    run.report.removed += await run.stores.passages.delete(run.library, [id for id in old if id not in set(ids)])
    await save_drawn(run.stores.catalog, run.library, placed.key, drawn)
    after = drawn.under(run.decisions)
    await run.stores.graph.put_chapter(run.library, *placed.key, after.relations, after.events)
    await run.stores.catalog.put_chapter(placed.chapter, ids)
    run.report.written += len(ids)
    run.report.chapters_written += 1
    run.report.dropped += extraction.dropped + made.read.dropped
