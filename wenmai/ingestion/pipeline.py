"""`ingest`: a source into a library, one chapter at a time, resumable after a crash at any point.

A chapter is complete when its row stands in the catalog; passages and graph records are written before it. The
source's complete note, written at the very end, makes an unchanged second run stop at once.
"""

import asyncio
import json
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from tools.ports import Embedder
from wenmai.ingestion.chapter_reader import ChapterReader, ChapterResult, Engine
from wenmai.ingestion.contracts import IngestReport, Progress, SourceNote, Spending, Stores
from wenmai.ingestion.library.changes import delete_chapter
from wenmai.ingestion.library.decisions import (
    Decisions,
    Extractions,
    apply_decisions,
    note_key,
    save_decisions,
    save_extractions,
)
from wenmai.ingestion.library.known_state import KnownState, load_state
from wenmai.ingestion.library.mending import Parting, partings
from wenmai.ingestion.library.narrators import load_narrators, save_narrators
from wenmai.ingestion.library.notes import imports, save_note, save_text_notes
from wenmai.ingestion.library.sightings import Sightings, load_sightings, save_sightings
from wenmai.ingestion.library.summaries import NOTE
from wenmai.ingestion.library.tables import KeptTables, Tables, load_tables, save_tables
from wenmai.ingestion.library.write_plan import Applied, WritePlan, apply_write_plan
from wenmai.ingestion.model.budget import Purse
from wenmai.ingestion.model.findings import ReadingExtractor
from wenmai.ingestion.model.reading import ReadingOptions, add_found_names, prune_answers, read_source
from wenmai.ingestion.model.summary_requests import SummaryOptions
from wenmai.ingestion.names.spans import NameTagger
from wenmai.ingestion.passages import Layout, PassageEmbedder, PlacedChapter, arrange_chapters, chapter_key
from wenmai.ingestion.patterns.extraction import PatternExtractor
from wenmai.ingestion.source_bundle import IngestRequest, SourceBundle, SourceFiles
from wenmai.ingestion.sources.titles import declared_by_name

__all__ = ["IngestRequest", "ingest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prepared:
    """A source that is read and placed, but not yet written; `known` is the library before.

    Attributes:
        plan: its chapters and names, with the sightings of the chapters that stay as they are.
        fingerprint: digest of files and settings, None where a part was left unread.
        partings: the aliases that stand for themselves by a person's decision.
    """

    plan: WritePlan
    known: KnownState
    fingerprint: str | None
    reader: ChapterReader
    partings: Sequence[Parting]
    report: IngestReport


async def ingest(
    request: IngestRequest,
    *,
    stores: Stores,
    embedder: Embedder,
    progress: Progress | None = None,
    reading: ReadingOptions | None = None,
    summaries: SummaryOptions | None = None,
    purse: Purse | None = None,
    engine: Engine | None = None,
    tagger: NameTagger | None = None,
    alone: Callable[[], AbstractAsyncContextManager[None]] = nullcontext,
) -> IngestReport:
    """Read a source and write what changed of it into a library.

    Args:
        request: the source and the library.
        stores: where passages, graph and catalog are written.
        embedder: makes the vectors.
        progress: receives a step after each piece that was searched for names, batch of passages, call of a model.
        reading: a model that reads the text; patterns alone read it by default.
        summaries: who writes summaries when all else is written; by default none are written.
        purse: what may be spent on them; by default there is no limit.
        engine: a cluster that reads the chapters; this process reads them by default.
        tagger: marks names; without one only those are known that files or a model give.
        alone: keeps readers of the library out while it is not whole, from when the source is read on.

    Raises:
        IngestError: a file cannot be used; nothing was written.
        EmbedderMismatch: the library was built with another embedder.
        ModelError: the model failed; its answers until then are kept, and a second run goes on.
    """
    started = time.perf_counter()
    report = await _Ingest(request, stores, embedder, progress, reading, summaries, purse, engine, tagger, alone).run()
    report.seconds = time.perf_counter() - started
    return report


@dataclass(frozen=True, slots=True)
class _Ingest:
    request: IngestRequest
    stores: Stores
    embedder: Embedder
    progress: Progress | None
    reading: ReadingOptions | None
    summaries: SummaryOptions | None
    purse: Purse | None
    engine: Engine | None
    tagger: NameTagger | None
    alone: Callable[[], AbstractAsyncContextManager[None]]

    async def run(self) -> IngestReport:
        purse = self.purse or Purse(spending=Spending())
        report = IngestReport(library=self.request.library, spending=purse.spending)
        report = await self._written(report, purse)
        library, options = self.request.library, self.summaries
        if options and (options.writer or await self.stores.catalog.note(library, NOTE)):
            from wenmai.ingestion.model.summaries import summarise  # it loads LangChain

            await summarise(library, self.stores, options, purse, self.progress, report)
        return report

    async def _written(self, report: IngestReport, purse: Purse) -> IngestReport:
        """Write what changed of the source, and return the report."""
        library, catalog = self.request.library, self.stores.catalog
        known = await load_state(self.stores, library, self.request.source)
        reading = self.reading.or_kept(known.note.reader) if self.reading else None
        files = await asyncio.to_thread(SourceFiles.read, self.request)
        marks = reading.mark if reading else None, self.tagger.name if self.tagger else None
        tables, report.kept_tables = await self._tables(files)
        every = tables.given.and_then(tables.added)
        kept = [json.dumps(asdict(tables))] if every else []
        fingerprint = files.fingerprint(self.request, self.embedder.name, *marks, *kept)
        if known.is_current(fingerprint, self.request.title):
            return await unchanged_report(self.stores, library, known, report)
        bundle = await files.bundle(self.request, (every.names, every.files), self.tagger, self.progress)
        prepared = await self._prepare(bundle, known, reading, fingerprint, report, purse)
        if self.engine:
            await self.engine.prepare(prepared.reader)  # before anything is changed: it may refuse
        async with self.alone():
            # Until the end the source is noted as incomplete, and merges as not applied everywhere.
            await save_note(catalog, library, self.request.source, prepared.plan.note)
            await save_decisions(catalog, library, replace(prepared.plan.decisions, settled=False))
            await save_tables(catalog, library, self.request.source, tables)
            await self._write_chapters(prepared)
            await self._finish(prepared)
        return prepared.report

    async def _tables(self, files: SourceFiles) -> tuple[KeptTables, dict[str, int]]:
        """Return the tables of the source, and how much of them is an earlier ingest's. Raises IngestError.

        Names and records of an earlier one count where no file brings others.
        """
        kept = await load_tables(self.stores.catalog, self.request.library, self.request.source)
        given = Tables(*await asyncio.to_thread(files.tables, self.request))
        earlier = Tables() if self.request.drops_tables else kept.given
        has_names = self.request.aliases or given.names
        used = Tables(() if has_names else earlier.names, () if given.files else earlier.files)
        return KeptTables(used.and_then(given), kept.added), used.counts() if used else {}

    async def _prepare(
        self,
        bundle: SourceBundle,
        known: KnownState,
        reading: ReadingOptions | None,
        fingerprint: str,
        report: IngestReport,
        purse: Purse,
    ) -> _Prepared:
        library, source, catalog = self.request.library, self.request.source, self.stores.catalog
        # A title that an earlier ingest had from the name of the file does not count.
        earlier = known.note.title if known.note.title not in (source, declared_by_name(source).title) else None
        title = self.request.title or earlier or bundle.declared.title or source
        mark = reading.mark if reading else None
        await catalog.create(library, title, self.embedder.name, self.embedder.dimension, bundle.language)
        report.graph_restored, report.warnings = known.graph_lost, list(bundle.warnings)
        readings = await read_source(reading, library, bundle, self.progress, report, purse)
        bundle, decisions = await add_found_names(bundle, readings, mark, known.decisions, source, report)
        layout = await self._arrange(bundle, known)
        return _Prepared(
            plan=WritePlan(
                library=library,
                source=source,
                bundle=bundle,
                layout=layout,
                decisions=decisions,
                note=known.note_under_way(bundle, title, mark),
                seen=await self._seen(layout, known, decisions),
            ),
            known=known,
            fingerprint=fingerprint if readings.complete else None,
            reader=ChapterReader(
                namer=bundle.namer,
                narrators=bundle.narrators,
                known_narrators=await load_narrators(catalog, library),
                genders=await asyncio.to_thread(lambda: bundle.genders),
                title=title,
                readings=readings,
                decisions=decisions,
                extractor=ReadingExtractor(readings, bundle.namer) if mark else PatternExtractor(),
            ),
            partings=partings(decisions, bundle.namer.spelled),
            report=report,
        )

    async def _arrange(self, bundle: SourceBundle, known: KnownState) -> Layout:
        """Place the source's chapters; one that has lost vectors counts as changed."""
        library, policy = self.request.library, self.request.policy
        stored = [
            replace(chapter, digest="") if chapter_key(chapter) in known.lost else chapter
            for chapter in await self.stores.catalog.outline(library)
        ]
        narrators = await asyncio.to_thread(lambda: bundle.narrators)
        # Each chapter's own narrator is part of its tags: where it changes, the chapters are read anew.
        settings = f"{bundle.settings}|{policy}|{'|'.join(dict.fromkeys(narrators.tellers.values()))}"
        return await asyncio.to_thread(
            arrange_chapters, library, bundle.chapters, stored, known.note.tasks, settings, policy
        )

    async def _seen(self, layout: Layout, known: KnownState, decisions: Decisions) -> Sightings:
        """Return what is known of the other chapters, nothing where it cannot be relied on."""
        if known.lost or not known.decisions.settled or decisions.merged != known.decisions.merged:
            return Sightings()
        seen = await load_sightings(self.stores.catalog, self.request.library)
        changed = {placed.key for placed in layout.changed}
        return replace(seen, chapters={key: one for key, one in seen.chapters.items() if key not in changed})

    async def _write_chapters(self, prepared: _Prepared) -> None:
        report, changed = prepared.report, prepared.plan.layout.changed
        embedding = PassageEmbedder(
            library=self.request.library,
            store=self.stores.passages,
            embedder=self.embedder,
            progress=self.progress,
            total=sum(len(placed.chunks) for placed in changed),
        )
        for key in prepared.plan.layout.gone:
            report.removed += await delete_chapter(self.stores, self.request.library, key)
        read, at_a_time = (self.engine.read, self.engine.at_a_time) if self.engine else (prepared.reader.read, 1)

        async def work(placed: PlacedChapter) -> tuple[PlacedChapter, ChapterResult, list[list[float]]]:
            result = await read(placed)
            return placed, result, await embedding.embed(result.tagged)

        async with aclosing(map_ordered(changed, work, at_a_time)) as chapters:
            async for placed, result, vectors in chapters:
                await self._write_chapter(prepared, placed, result, vectors)
        report.embedding_seconds = embedding.seconds
        known, tellers = prepared.reader.known_narrators, prepared.reader.narrators.tellers
        gone = {note_key(key) for key in prepared.plan.layout.gone}
        found = {key: name for key, name in known.found.items() if key not in gone}
        for placed in changed:
            found.pop(note_key(placed.key), None)
            if name := tellers.get(placed.chapter.text):
                found[note_key(placed.key)] = name
        await save_narrators(self.stores.catalog, self.request.library, replace(known, found=found))

    async def _write_chapter(
        self, prepared: _Prepared, placed: PlacedChapter, result: ChapterResult, vectors: Sequence[Sequence[float]]
    ) -> None:
        """Write one chapter: vectors first, its row in the catalog last."""
        library, stores, report = self.request.library, self.stores, prepared.report
        tagged, decisions = result.tagged, prepared.plan.decisions
        ids = [passage.id for passage in tagged.passages]
        extractions = Extractions.of(tagged.passages, result.extraction)
        texts = {passage.id: passage.text for passage in tagged.passages}
        for parting in prepared.partings:
            extractions = parting.apply(extractions, texts)
        after = extractions.under(decisions)
        passages = [
            replace(one, entities=after.tags[one.id][0], characters=after.tags[one.id][1]) for one in tagged.passages
        ]
        await stores.passages.upsert(library, passages, vectors)
        old = await stores.catalog.passage_ids(library, *placed.key)
        report.removed += await stores.passages.delete(library, [id for id in old if id not in set(ids)])
        await save_extractions(stores.catalog, library, placed.key, extractions)
        await stores.graph.put_chapter(library, *placed.key, after.relations, after.events)
        await stores.catalog.put_chapter(placed.chapter, ids)
        report.written += len(ids)
        report.chapters_written += 1
        report.dropped += result.extraction.dropped + result.dropped

    async def _finish(self, prepared: _Prepared) -> None:
        """Bring what the library holds as a whole in line, then note that the source is complete."""
        library, source, catalog = self.request.library, self.request.source, self.stores.catalog
        plan, report, old, decisions = prepared.plan, prepared.report, prepared.known.decisions, prepared.plan.decisions
        if decisions.merged != old.merged or not old.settled:
            stems = await imports(catalog, library)
            await apply_decisions(self.stores, library, old, decisions, stems, everything=not old.settled)
        applied = await apply_write_plan(plan, self.stores)
        await save_decisions(catalog, library, replace(decisions, settled=True))
        await save_note(catalog, library, source, replace(applied.note, fingerprint=prepared.fingerprint))
        await save_sightings(catalog, library, applied.sightings)
        if self.stores.answers and plan.note.reader:
            await prune_answers(self.stores.answers, library, plan.bundle)
        await save_text_notes(catalog, library, plan.bundle.chapters, plan.layout)
        add_totals(report, plan.layout, prepared.known, applied)
        await add_summary(report, self.stores, applied.note)


MOST_PEOPLE = 8
GRAPH_KINDS = ("entities", "relations", "events")


def add_totals(report: IngestReport, layout: Layout, known: KnownState, applied: Applied) -> None:
    """Count the chapters and passages of the source, and what was left out, moved or lost."""
    report.tasks = list(dict.fromkeys(placed.chapter.task_id for placed in layout.placed))
    report.chapters = len(layout.placed)
    report.passages = sum(len(placed.chunks) for placed in layout.placed)
    report.unchanged = sum(len(placed.chunks) for placed in layout.placed if not placed.changed)
    report.vectors_restored = sum(len(placed.chunks) for placed in layout.placed if placed.key in known.lost)
    report.vectors_lost = known.tasks_with_losses([*known.note.tasks, *report.tasks])
    report.removed += applied.removed
    report.reordered = applied.reordered


async def add_summary(report: IngestReport, stores: Stores, note: SourceNote) -> None:
    """Say which parts the source has, who is named most in the library, what is odd, and what the graph holds."""
    outline = await stores.catalog.outline(report.library)
    counts = Counter(chapter.task_id for chapter in outline)
    report.parts = [(note.parts.get(task, task), counts[task]) for task in note.tasks]
    names = await stores.graph.names(report.library, None)
    people = [name for name in names if name.kind == "Character" and name.text == name.entity and name.mentions]
    people.sort(key=lambda name: (-name.mentions, name.text))
    report.people = [name.text for name in people[:MOST_PEOPLE]]
    report.odd, report.left_out, report.bad_rows = note.odd, note.left_out, note.bad_rows
    held = await stores.graph.counts(report.library)
    report.entities, report.relations, report.events = (held.get(kind, 0) for kind in GRAPH_KINDS)


async def unchanged_report(stores: Stores, library: str, known: KnownState, report: IngestReport) -> IngestReport:
    note = known.note
    chapters = [one for one in await stores.catalog.outline(library) if one.task_id in note.tasks]
    passages = sum(chapter.passages for chapter in chapters)
    report = replace(
        report,
        tasks=note.tasks,
        chapters=len(chapters),
        passages=passages,
        unchanged=passages,
        vectors_lost=known.tasks_with_losses(note.tasks),
        merges=len(known.decisions.merged),
    )
    await add_summary(report, stores, note)
    return report


Item = TypeVar("Item")
Result = TypeVar("Result")


async def map_ordered(
    items: Iterable[Item], work: Callable[[Item], Coroutine[Any, Any, Result]], at_a_time: int
) -> AsyncGenerator[Result, None]:
    """Yield the results of `work` in the order of the items, with `at_a_time` of them under way.

    What is under way when the generator is closed is cancelled.
    """
    under_way: deque[asyncio.Task[Result]] = deque()
    try:
        for item in items:
            under_way.append(asyncio.create_task(work(item)))
            if len(under_way) >= at_a_time:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    finally:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
