"""The findings of a model in a chapter as records: checked against the text, joined with those of patterns."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tools.records import MajorEvent, Participant, Relation
from wenmai.ingestion.contracts import Extraction, TaggedChapter
from wenmai.ingestion.model.pieces import Piece
from wenmai.ingestion.model.reader import Read, Readings
from wenmai.ingestion.model.schema import RELATION_TYPES, Findings, FoundEvent, FoundReference, FoundRelation
from wenmai.ingestion.names.names import Namer, TextMention
from wenmai.ingestion.patterns.extraction import EVENT_EVIDENCE, extract
from wenmai.ingestion.patterns.quoting import EVIDENCE, Quotation, order_at, relation_record
from wenmai.ingestion.sources.imports import EVENT_TYPES, ROLES

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
        read = [(piece, answer.found) for piece, answer in rows if answer.found]
        accepted = [_accepted(tagged, piece, found, self.namer) for piece, found in read]
        relations = [row for one in accepted for row in one.relations]
        events = [event for one in accepted for event in one.events]
        pairs = {frozenset((row.source, row.target)) for row in relations}
        relations += [row for row in own.relations if frozenset((row.source, row.target)) not in pairs]
        events += [
            event for event in own.events if not any(piece.start <= (event.start or 0) < piece.end for piece, _ in read)
        ]
        dropped = sum(one.dropped for one in accepted) + (own.dropped if len(read) < len(rows) else 0)
        return Extraction(tuple(relations), tuple(sorted(events, key=lambda event: event.start or 0)), dropped)


def _accepted(tagged: TaggedChapter, piece: Piece, found: Findings, namer: Namer) -> Extraction:
    """Return what a piece tells that its text bears out; the rest is counted."""
    relations = [row for one in found.relations if (row := _relation(one, tagged, namer, piece))]
    events = [event for told in found.events if (event := _event(told, tagged, namer, piece))]
    # The key of a library's events is (chapter, type, primary character, name).
    distinct = {(event.event_type, event.primary_character, event.name): event for event in events}
    dropped = len(found.relations) - len(relations) + len(found.events) - len(events)
    return Extraction(tuple(relations), tuple(distinct.values()), dropped)


def _relation(row: FoundRelation, tagged: TaggedChapter, namer: Namer, piece: Piece) -> Relation | None:
    """Return a relation of known names and a known type whose evidence stands in the piece."""
    source, target = namer.canonical(row.source.strip()), namer.canonical(row.target.strip())
    evidence = row.evidence.strip()[:EVIDENCE]
    start = tagged.chapter.text.find(evidence, piece.start, piece.end) if evidence else -1
    known = source in namer.entries and target in namer.entries and source != target
    if start < 0 or not known or row.type not in RELATION_TYPES:
        return None
    description = row.description.strip()[:DESCRIPTION]
    record = relation_record(
        tagged, source, target, type=row.type, description=description, piece=Quotation(evidence, start), at=start
    )
    return replace(record, source_kind=namer.kind(source), target_kind=namer.kind(target))


def _event(row: FoundEvent, tagged: TaggedChapter, namer: Namer, piece: Piece) -> MajorEvent | None:
    """Return an event of a known type and known people whose evidence stands in the piece.

    The primary character is the first subject, else the first person.
    """
    evidence, name = row.evidence.strip()[:EVENT_EVIDENCE], row.name.strip()[: NAME[piece.language]]
    start = tagged.chapter.text.find(evidence, piece.start, piece.end) if evidence else -1
    event_type = EVENT_TYPES.get(row.event_type)
    people = tuple(
        Participant(known, ROLES.get(person.role, "witness"))
        for person in row.characters
        if (known := namer.canonical(person.name)) in namer.entries
    )
    if start < 0 or not people or not name or event_type is None:
        return None
    chapter = tagged.chapter
    return MajorEvent(
        name=name,
        event_type=event_type,
        primary_character=next((person for person in people if person.role == "subject"), people[0]).name,
        participants=people,
        part=chapter.part,
        chapter=chapter.number,
        task_id=chapter.task_id,
        event_order=order_at(tagged.passages, start),
        summary=row.summary.strip()[: SUMMARY[piece.language]],
        evidence=evidence,
        outcome=row.outcome or None,
        start=start,
    )


def resolve_references(
    rows: Sequence[Read], text: str, mentions: Sequence[TextMention], namer: Namer, resolve: Callable[[str], str]
) -> tuple[list[TextMention], int]:
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


def _resolve_reference(reference: FoundReference, piece: Piece, text: str, namer: Namer) -> TextMention | None:
    """Find the word of a reference: its quotation stands once in the piece and holds the word."""
    quote, word = reference.quote.strip(), reference.word.strip()
    entity = namer.canonical(reference.entity.strip())
    start = text.find(quote, piece.start, piece.end) if quote else -1
    again = text.find(quote, start + 1, piece.end) if start >= 0 else -1
    inside = quote.find(word) if word else -1
    if start < 0 or again >= 0 or inside < 0 or entity not in namer.entries:
        return None
    return TextMention(start + inside, start + inside + len(word), entity, sure=False)
