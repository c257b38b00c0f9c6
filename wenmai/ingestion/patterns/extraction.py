"""The deterministic Extractor, and the check that every extractor's events pass."""

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from tools.records import MajorEvent, Participant
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.patterns.events import find_events
from wenmai.ingestion.patterns.masking import ReadChapter
from wenmai.ingestion.patterns.relation_records import order_at
from wenmai.ingestion.patterns.relations import find_relations
from wenmai.ingestion.sources.imports import EVENT_TYPES, ROLES

EVIDENCE = 50


class PatternExtractor:
    """Relations and events by the tables of `patterns`; no model."""

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        return await asyncio.to_thread(extract, tagged)


def extract(tagged: TaggedChapter) -> Extraction:
    """Find relations and events; a record whose evidence is not verbatim in the chapter is dropped and counted."""
    text, read = tagged.chapter.text, ReadChapter.of(tagged)
    relations = [r for r in find_relations(read) if _verbatim(text, r.evidence, r.start)]
    events = find_events(read)
    kept = [event for event in events if _verbatim(text, event.evidence, event.start)]
    return Extraction(tuple(relations), tuple(kept), dropped=len(events) - len(kept))


def _verbatim(text: str, evidence: str, start: int | None) -> bool:
    return bool(evidence) and start is not None and text.startswith(evidence, start)


def accept_events(
    answer: Mapping[str, Any],
    tagged: TaggedChapter,
    canonical: Callable[[str], str],
    span: tuple[int, int] | None = None,
) -> tuple[list[MajorEvent], int]:
    """Turn an extraction answer `{"events": […]}` into records; return them and how many were dropped.

    Names are canonicalised, primary_character is the first subject, else the first character. An event without
    verbatim evidence (in `span` of the chapter, else anywhere), of an unknown type or without characters is dropped.
    """
    rows = answer.get("events")
    rows = rows if isinstance(rows, list) else []
    events = [_accepted(row, tagged, canonical, span or (0, len(tagged.chapter.text))) for row in rows]
    kept = [event for event in events if event]
    return kept, len(events) - len(kept)


def _accepted(
    row: Any, tagged: TaggedChapter, canonical: Callable[[str], str], span: tuple[int, int]
) -> MajorEvent | None:
    if not isinstance(row, dict) or row.get("event_type") not in EVENT_TYPES:
        return None
    evidence = str(row.get("evidence") or "").strip()[:EVIDENCE]
    start = tagged.chapter.text.find(evidence, *span) if evidence else -1
    characters = tuple(_participants(row.get("characters"), canonical))
    if start < 0 or not characters or not row.get("name"):
        return None
    subject = next((person for person in characters if person.role == "subject"), characters[0])
    event = MajorEvent(
        name=str(row["name"]),
        event_type=row["event_type"],
        primary_character=subject.name,
        participants=characters,
        summary=str(row.get("summary") or ""),
        evidence=evidence,
        outcome=str(row["outcome"]) if row.get("outcome") else None,
        start=start,
    )
    chapter = tagged.chapter
    return replace(
        event,
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, start),
    )


def _participants(rows: Any, canonical: Callable[[str], str]) -> Iterable[Participant]:
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and row.get("name"):
            role = ROLES.get(str(row.get("role")), "witness")
            yield Participant(canonical(str(row["name"])), role)
