"""What was extracted from each chapter before any merge: merges are applied to it, and undone exactly."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tools.records import Chapter, MajorEvent, Participant, Passage, PassageFilter, Relation
from wenmai.ingestion.contracts import CatalogWriter, Extraction, Stores
from wenmai.ingestion.library.decisions import Decisions
from wenmai.ingestion.passages.layout import Key, chapter_key

Tags = tuple[tuple[str, ...], tuple[str, ...]]
"""Entities and characters of a passage."""


@dataclass(frozen=True, slots=True)
class Extractions:
    """Tags by passage id, relations and events, under the names that the text uses."""

    tags: Mapping[str, Tags]
    relations: Sequence[Relation]
    events: Sequence[MajorEvent]

    @classmethod
    def of(cls, passages: Iterable[Passage], extraction: Extraction) -> "Extractions":
        tags = {passage.id: (passage.entities, passage.characters) for passage in passages}
        return cls(tags, extraction.relations, extraction.events)

    def ends(self) -> list[tuple[str, str]]:
        """Return (name, kind) of every entity that relations and events name."""
        ends = [end for row in self.relations for end in ((row.source, row.source_kind), (row.target, row.target_kind))]
        return [*ends, *((person.name, "Character") for event in self.events for person in event.participants)]

    def under(self, decisions: Decisions) -> "Extractions":
        tags = {id: (decisions.tags(one), decisions.tags(other)) for id, (one, other) in self.tags.items()}
        return Extractions(tags, decisions.relations(self.relations), decisions.events(self.events))


@dataclass(slots=True)
class RecordChanges:
    """How many stored records a merge or a split changed."""

    passages: int = 0
    relations: int = 0
    events: int = 0


def note_key(key: Key | str) -> str:
    place = ["import", key] if isinstance(key, str) else ["chapter", *key]
    return "drawn:" + "/".join(map(str, place))


async def save_extractions(
    catalog: CatalogWriter, library: str, key: Key | str, extractions: Extractions | None
) -> None:
    """Keep or remove the extractions of a chapter or of an imported file."""
    await catalog.put_note(library, note_key(key), asdict(extractions) if extractions else None)


async def load_extractions(catalog: CatalogWriter, library: str, key: Key | str) -> Extractions | None:
    note = await catalog.note(library, note_key(key))
    return from_note(note) if note else None


def from_note(note: Mapping[str, Any]) -> Extractions:
    tags = {id: (tuple(entities), tuple(characters)) for id, (entities, characters) in note["tags"].items()}
    relations = [Relation(**row) for row in note["relations"]]
    events = [
        MajorEvent(**{**row, "participants": tuple(Participant(**person) for person in row["participants"])})
        for row in note["events"]
    ]
    return Extractions(tags, relations, events)


async def apply_decisions(
    stores: Stores, library: str, old: Decisions, new: Decisions, imports: Collection[str], *, everything: bool = False
) -> RecordChanges:
    """Bring passages and graph from old decisions to new ones; with `everything` every record is written anew."""
    change = RecordChanges()
    tags: dict[str, Tags] = {}
    for chapter in await stores.catalog.chapters(library):
        extractions = await load_extractions(stores.catalog, library, chapter_key(chapter))
        if extractions:
            tags |= extractions.under(new).tags
            await _rewrite(stores, chapter, extractions, (old, new), change, everything)
    for stem in imports:
        extractions = await load_extractions(stores.catalog, library, stem)
        if extractions and _differing(extractions, (old, new), change, everything):
            after = extractions.under(new)
            await stores.graph.put_imported(library, stem, after.relations, after.events)
    change.passages = await _retag(stores, library, tags)
    return change


async def _rewrite(
    stores: Stores,
    chapter: Chapter,
    extractions: Extractions,
    pair: tuple[Decisions, Decisions],
    change: RecordChanges,
    everything: bool,
) -> None:
    if _differing(extractions, pair, change, everything):
        after = extractions.under(pair[1])
        await stores.graph.put_chapter(chapter.library, *chapter_key(chapter), after.relations, after.events)


def _differing(
    extractions: Extractions, pair: tuple[Decisions, Decisions], change: RecordChanges, everything: bool
) -> bool:
    """Return True if the graph's records must be written anew; count those that differ."""
    before, after = extractions.under(pair[0]), extractions.under(pair[1])
    relations = _moved(before.relations, after.relations)
    events = _moved(before.events, after.events)
    change.relations += relations
    change.events += events
    return everything or bool(relations or events)


def _moved(before: Sequence[object], after: Sequence[object]) -> int:
    """Count the records that are changed, or that only one side has."""
    one, other = set(before), set(after)
    return max(len(one - other), len(other - one))


async def _retag(stores: Stores, library: str, tags: Mapping[str, Tags]) -> int:
    """Write the passages whose tags differ, with the vectors that they have; return how many."""
    stored = await stores.passages.scroll(library, PassageFilter())
    stale = [
        replace(passage, entities=tags[passage.id][0], characters=tags[passage.id][1])
        for passage in stored
        if passage.id in tags and tags[passage.id] != (passage.entities, passage.characters)
    ]
    if stale:
        vectors = await stores.passages.vectors(library, stale)
        await stores.passages.upsert(library, stale, [vectors[passage.id] for passage in stale])
    return len(stale)
