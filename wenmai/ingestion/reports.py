"""The parts of an ingest's report that are counted at its end."""

from collections import Counter
from collections.abc import Sequence

from tools.ports import StoryGraph
from tools.records import Name
from wenmai.ingestion.contracts import IngestReport, SourceNote, Stores
from wenmai.ingestion.library.known_state import KnownState
from wenmai.ingestion.library.write_plan import Applied
from wenmai.ingestion.passages.layout import Layout

MOST_PEOPLE = 8


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
    """Say which parts the source has, who is named most in the library, and what is odd."""
    outline = await stores.catalog.outline(report.library)
    counts = Counter(chapter.task_id for chapter in outline)
    report.parts = [(note.parts.get(task, task), counts[task]) for task in note.tasks]
    report.people = main_people(await stores.graph.names(report.library, None))
    report.odd, report.left_out, report.bad_rows = note.odd, note.left_out, note.bad_rows
    await _add_graph_counts(report, stores.graph)


def main_people(names: Sequence[Name]) -> list[str]:
    people = [name for name in names if name.kind == "Character" and name.text == name.entity and name.mentions]
    return [name.text for name in sorted(people, key=lambda name: (-name.mentions, name.text))[:MOST_PEOPLE]]


async def _add_graph_counts(report: IngestReport, graph: StoryGraph) -> None:
    counts = await graph.counts(report.library)
    report.entities = counts.get("entities", 0)
    report.relations = counts.get("relations", 0)
    report.events = counts.get("events", 0)


async def unchanged_report(stores: Stores, library: str, known: KnownState) -> IngestReport:
    note = known.note
    chapters = [one for one in await stores.catalog.outline(library) if one.task_id in note.tasks]
    passages = sum(chapter.passages for chapter in chapters)
    report = IngestReport(
        library=library,
        tasks=note.tasks,
        chapters=len(chapters),
        passages=passages,
        unchanged=passages,
        vectors_lost=known.tasks_with_losses(note.tasks),
        merges=len(known.decisions.merged),
    )
    await add_summary(report, stores, note)
    return report
