"""The parts of an ingest's report that are counted in the stores."""

import time

from tools.ports import StoryGraph
from wenmai.ingestion.contracts import IngestReport, SourceNote, Stores
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.material import Material


async def count(report: IngestReport, graph: StoryGraph, material: Material) -> None:
    """Report what the library now holds, and what was left out."""
    counts = await graph.counts(report.library)
    report.entities = counts.get("entities", 0)
    report.relations = counts.get("relations", 0)
    report.events = counts.get("events", 0)
    report.bad_rows = [row for file in material.graph_files for row in file.bad]


async def unchanged(
    stores: Stores, library: str, note: SourceNote, decisions: Decisions, lost: list[str], started: float
) -> IngestReport:
    """Report an ingest that had nothing to write; `lost` are the tasks of other sources that have lost vectors."""
    chapters = [c for c in await stores.catalog.chapters(library) if c.task_id in note.tasks]
    sizes = [len(await stores.catalog.passage_ids(library, task)) for task in note.tasks]
    counts = await stores.graph.counts(library)
    return IngestReport(
        library=library,
        tasks=note.tasks,
        chapters=len(chapters),
        passages=sum(sizes),
        unchanged=sum(sizes),
        entities=counts.get("entities", 0),
        relations=counts.get("relations", 0),
        events=counts.get("events", 0),
        bad_rows=note.bad_rows,
        vectors_lost=lost,
        merges=len(decisions.merged),
        seconds=time.perf_counter() - started,
    )
