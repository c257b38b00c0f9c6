"""The findings of a model in a chapter as records: checked against the text, joined with those of patterns."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

from tools.records import MajorEvent, Relation
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.model.pieces import Piece
from wenmai.ingestion.model.readings import Read, Readings
from wenmai.ingestion.model.schema import RELATION_TYPES, Findings, FoundReference, FoundRelation
from wenmai.ingestion.names.names import Mention, Namer
from wenmai.ingestion.patterns.extraction import accept_events, extract
from wenmai.ingestion.patterns.relation_records import EVIDENCE, order_at

DESCRIPTION = 100
NAME, SUMMARY = {"zh": 15, "en": 60}, {"zh": 50, "en": 200}
"""Characters of what a model writes of its own; an English word takes about four times as many."""


@dataclass(frozen=True, slots=True)
class ReadingExtractor:
    """The Extractor that hands out what a model answered; patterns stand in where it did not read."""

    readings: Readings
    namer: Namer

    async def extract(self, tagged: TaggedChapter) -> Extraction:
        rows = self.readings.of((tagged.chapter.task_id, tagged.chapter.number))
        return await asyncio.to_thread(self._extract, tagged, rows)

    def _extract(self, tagged: TaggedChapter, rows: Sequence[Read]) -> Extraction:
        own = extract(tagged)
        accepted = [_accepted(tagged, piece, answer.found, self.namer) for piece, answer in rows if answer.found]
        relations = list(chain.from_iterable(one.relations for one in accepted))
        events = list(chain.from_iterable(one.events for one in accepted))
        read = [(piece.start, piece.end) for piece, answer in rows if answer.found]
        pairs = {frozenset((row.source, row.target)) for row in relations}
        relations += [row for row in own.relations if frozenset((row.source, row.target)) not in pairs]
        events += [event for event in own.events if not _inside(event.start, read)]
        dropped = sum(one.dropped for one in accepted) + (own.dropped if len(read) < len(rows) else 0)
        return Extraction(tuple(relations), tuple(sorted(events, key=lambda event: event.start or 0)), dropped)


def _inside(at: int | None, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= (at or 0) < end for start, end in spans)


def _accepted(tagged: TaggedChapter, piece: Piece, found: Findings, namer: Namer) -> Extraction:
    span = (piece.start, piece.end)
    relations = [_relation(row, tagged, namer, span) for row in found.relations]
    rows = [event.model_dump() for event in found.events]
    for row in rows:
        row["characters"] = [person for person in row["characters"] if namer.canonical(person["name"]) in namer.entries]
        row["name"] = row["name"].strip()[: NAME[piece.language]]
        row["summary"] = row["summary"].strip()[: SUMMARY[piece.language]]
    events, dropped = accept_events({"events": rows}, tagged, namer.canonical, span)
    kept = [row for row in relations if row]
    return Extraction(tuple(kept), tuple(_distinct(events)), dropped + len(relations) - len(kept))


def _distinct(events: Iterable[MajorEvent]) -> list[MajorEvent]:
    """Return each event once: the key of a library's events is (chapter, type, primary character, name)."""
    return list({(event.event_type, event.primary_character, event.name): event for event in events}.values())


def _relation(row: FoundRelation, tagged: TaggedChapter, namer: Namer, span: tuple[int, int]) -> Relation | None:
    """Return a relation of known names and a known type whose evidence stands in the piece."""
    source, target = namer.canonical(row.source.strip()), namer.canonical(row.target.strip())
    evidence = row.evidence.strip()[:EVIDENCE]
    start = tagged.chapter.text.find(evidence, *span) if evidence else -1
    known = source in namer.entries and target in namer.entries and source != target
    if start < 0 or not known or row.type not in RELATION_TYPES:
        return None
    chapter = tagged.chapter
    return Relation(
        source=source,
        type=row.type,
        target=target,
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, start),
        evidence=evidence,
        description=row.description.strip()[:DESCRIPTION],
        start=start,
        source_kind=namer.kind(source),
        target_kind=namer.kind(target),
    )


def resolve_references(
    rows: Sequence[Read], text: str, mentions: Sequence[Mention], namer: Namer, resolve: Callable[[str], str]
) -> tuple[list[Mention], int]:
    """Return the entities that pronouns and titles refer to, and how many findings the text does not confirm.

    Only entities that the chapter names, under any name, count: a reader cannot know others by then.
    """
    named = {resolve(mention.entity) for mention in mentions}
    found = [
        (reference, _resolve_reference(reference, piece, text, namer))
        for piece, answer in rows
        if answer.found
        for reference in answer.found.references
    ]
    kept = [mention for _, mention in found if mention and resolve(mention.entity) in named]
    return kept, len(found) - len(kept)


def _resolve_reference(reference: FoundReference, piece: Piece, text: str, namer: Namer) -> Mention | None:
    """Find the word of a reference: its quotation stands once in the piece and holds the word."""
    quote, word = reference.quote.strip(), reference.word.strip()
    entity = namer.canonical(reference.entity.strip())
    start = text.find(quote, piece.start, piece.end) if quote else -1
    again = text.find(quote, start + 1, piece.end) if start >= 0 else -1
    inside = quote.find(word) if word else -1
    if start < 0 or again >= 0 or inside < 0 or entity not in namer.entries:
        return None
    return Mention(start + inside, start + inside + len(word), entity, sure=False)
