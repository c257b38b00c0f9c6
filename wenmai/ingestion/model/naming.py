"""Names of a source after a model has read it, and what is kept of its answers."""

import asyncio

from wenmai.ingestion.contracts import AnswerStore, IngestReport
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.material import Material, language
from wenmai.ingestion.model.entity_merge import join
from wenmai.ingestion.model.pieces import pieces_of
from wenmai.ingestion.model.reading import Readings


async def named(
    material: Material, read: Readings, mark: str | None, old: Decisions, source: str, report: IngestReport
) -> tuple[Material, Decisions]:
    """Add the names that a model found, with the merges that it proposes, and compile all names."""
    decisions = old.proposed(source, {})
    if mark:
        texts = {(chapter.task_id, chapter.number): chapter.text for chapter in material.chapters}
        found = await asyncio.to_thread(join, read.rows, material.given, texts)
        material = material.with_findings(found.names, mark)
        decisions = old.proposed(source, found.proposals)
        report.dropped += found.dropped
        report.unread = read.unread
    await asyncio.to_thread(lambda: material.namer)
    report.merges = len(decisions.merged)
    return material, decisions


async def prune(answers: AnswerStore, library: str, material: Material) -> None:
    """Forget what was answered about texts that the source no longer holds."""
    contents: dict[str, set[str]] = {chapter.task_id: set() for chapter in material.chapters}
    for piece in pieces_of(material.chapters, language(material.chapters)):
        contents[piece.task_id].add(piece.content)
    for task, held in contents.items():
        await answers.prune(library, task, held)
