"""Where imported relations and events stand in the story."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from tools.records import Chapter, MajorEvent, Relation
from wenmai.ingestion.library.sightings import Sighting
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.sources.imports import GraphFile

Record = TypeVar("Record", Relation, MajorEvent)


@dataclass(frozen=True, slots=True)
class Story:
    """The stored passages in story order, by entity, and the chapters' texts by (part, chapter)."""

    by_entity: Mapping[str, Sequence[Sighting]]
    chapters: Mapping[tuple[int, int | None], Chapter]

    @classmethod
    def of(cls, passages: Iterable[Sighting], chapters: Iterable[Chapter]) -> "Story":
        """Index passages and chapters."""
        by_entity: dict[str, list[Sighting]] = {}
        for passage in passages:
            for name in passage.entities:
                by_entity.setdefault(name, []).append(passage)
        return cls(by_entity, {(chapter.part, chapter.number): chapter for chapter in chapters})

    def first_with(self, names: Sequence[str]) -> Sighting | None:
        """Return the first passage that names all of these."""
        rows = min((self.by_entity.get(name, ()) for name in names), key=len, default=())
        return next((p for p in rows if p.chapter is not None and set(names) <= set(p.entities)), None)

    def place(self, record: Record, names: Sequence[str]) -> Record:
        """Give a record without a chapter the first one that names all; find its evidence verbatim."""
        if record.chapter is None:
            passage = self.first_with(names)
            return (
                record
                if passage is None
                else replace(record, part=passage.part, chapter=passage.chapter, event_order=passage.event_order)
            )
        return self._quoted(replace(record, part=record.part or 1), names)

    def _quoted(self, record: Record, names: Sequence[str]) -> Record:
        chapter = self.chapters.get((record.part or 1, record.chapter))
        start = chapter.text.find(record.evidence) if chapter and record.evidence else -1
        here = [p for name in names for p in self.by_entity.get(name, ()) if _inside(p, record)]
        holding = [p for p in here if start >= 0 and p.start <= start < p.end]
        order = min((p.event_order for p in holding or here), default=None)
        return replace(record, start=start if start >= 0 else None, event_order=order)


def _inside(passage: Sighting, record: Relation | MajorEvent) -> bool:
    return (passage.part, passage.chapter) == (record.part, record.chapter)


Resolve = Callable[[str], str]


def locate_records(
    file: GraphFile, story: Story, namer: Namer, resolve: Resolve
) -> tuple[list[Relation], list[MajorEvent]]:
    """Give a file's records canonical names, known kinds and their place in the story.

    `resolve` returns the entity under which the passages tag a name.
    """
    relations = [_relation(row, story, namer, resolve) for row in file.relations]
    return relations, [_event(row, story, namer, resolve) for row in file.events]


def _relation(row: Relation, story: Story, namer: Namer, resolve: Resolve) -> Relation:
    source, target = namer.canonical(row.source), namer.canonical(row.target)
    named = replace(
        row,
        source=source,
        target=target,
        source_kind=namer.kind(source) if source in namer.entries else row.source_kind,
        target_kind=namer.kind(target) if target in namer.entries else row.target_kind,
    )
    return story.place(named, (resolve(source), resolve(target)))


def _event(event: MajorEvent, story: Story, namer: Namer, resolve: Resolve) -> MajorEvent:
    participants = tuple(replace(person, name=namer.canonical(person.name)) for person in event.participants)
    named = replace(event, participants=participants, primary_character=namer.canonical(event.primary_character))
    return story.place(named, tuple(dict.fromkeys(resolve(person.name) for person in participants)))
