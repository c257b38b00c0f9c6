"""Names of a source after a model has read it, and what is kept of its answers."""

import asyncio

from wenmai.ingestion.contracts import AnswerStore, IngestReport
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.model.entity_merge import merge_found_entities
from wenmai.ingestion.model.pieces import pieces_of
from wenmai.ingestion.model.readings import Readings
from wenmai.ingestion.source_bundle import SourceBundle


async def add_found_names(
    bundle: SourceBundle, read: Readings, mark: str | None, old: Decisions, source: str, report: IngestReport
) -> tuple[SourceBundle, Decisions]:
    decisions = old.proposed(source, {})
    if mark:
        texts = {(chapter.task_id, chapter.number): chapter.text for chapter in bundle.chapters}
        found = await asyncio.to_thread(merge_found_entities, read.rows, bundle.given, texts)
        bundle = bundle.with_findings(found.names, mark)
        decisions = old.proposed(source, found.proposals)
        report.dropped += found.dropped
        report.unread = read.unread
    await asyncio.to_thread(lambda: bundle.namer)
    report.merges = len(decisions.merged)
    return bundle, decisions


async def prune_answers(answers: AnswerStore, library: str, bundle: SourceBundle) -> None:
    """Forget what was answered about texts that the source no longer holds."""
    contents: dict[str, set[str]] = {chapter.task_id: set() for chapter in bundle.chapters}
    for piece in pieces_of(bundle.chapters, bundle.language):
        contents[piece.task_id].add(piece.content)
    for task, held in contents.items():
        await answers.prune(library, task, held)
