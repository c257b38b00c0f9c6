"""What was drawn from each chapter before any merge: so that merges can be made, and undone exactly, at any time."""

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
class Drawn:
    """Tags by passage id, relations and events, under the names that the text uses."""

    tags: Mapping[str, Tags]
    relations: Sequence[Relation]
    events: Sequence[MajorEvent]

    @classmethod
    def of(cls, passages: Iterable[Passage], extraction: Extraction) -> "Drawn":
        """Return what a chapter yields."""
        tags = {passage.id: (passage.entities, passage.characters) for passage in passages}
        return cls(tags, extraction.relations, extraction.events)

    def under(self, decisions: Decisions) -> "Drawn":
        """Return the same under the entities that the names stand for."""
        tags = {id: (decisions.tags(one), decisions.tags(other)) for id, (one, other) in self.tags.items()}
        return Drawn(tags, decisions.relations(self.relations), decisions.events(self.events))


@dataclass(slots=True)
class Change:
    """How many stored records a merge or a split changed."""

    passages: int = 0
    relations: int = 0
    events: int = 0


def note_key(key: Key | str) -> str:
    """Return where a chapter's, or an import's, record is kept."""
    place = ["import", key] if isinstance(key, str) else ["chapter", *key]
    return "drawn:" + "/".join(map(str, place))


async def save_drawn(catalog: CatalogWriter, library: str, key: Key | str, drawn: Drawn | None) -> None:
    """Keep or remove what was drawn from a chapter or from an imported file."""
    await catalog.put_note(library, note_key(key), asdict(drawn) if drawn else None)


async def load_drawn(catalog: CatalogWriter, library: str, key: Key | str) -> Drawn | None:
    """Return what was drawn from a chapter or from an imported file."""
    note = await catalog.note(library, note_key(key))
    return _drawn(note) if note else None


def _drawn(note: Mapping[str, Any]) -> Drawn:
    tags = {id: (tuple(entities), tuple(characters)) for id, (entities, characters) in note["tags"].items()}
    relations = [Relation(**row) for row in note["relations"]]
    events = [
        MajorEvent(**{**row, "participants": tuple(Participant(**person) for person in row["participants"])})
        for row in note["events"]
    ]
    return Drawn(tags, relations, events)


async def realign(
    stores: Stores, library: str, old: Decisions, new: Decisions, imports: Collection[str], *, everything: bool = False
) -> Change:
    """Bring passages and graph from old decisions to new ones; `everything`: whatever the old ones were."""
    change = Change()
    tags: dict[str, Tags] = {}
    for chapter in await stores.catalog.chapters(library):
        drawn = await load_drawn(stores.catalog, library, chapter_key(chapter))
        if drawn:
            tags |= drawn.under(new).tags
            await _redraw(stores, chapter, drawn, (old, new), change, everything)
    for stem in imports:
        drawn = await load_drawn(stores.catalog, library, stem)
        if drawn and _differing(drawn, (old, new), change, everything):
            after = drawn.under(new)
            await stores.graph.put_imported(library, stem, after.relations, after.events)
    change.passages = await _retag(stores, library, tags)
    return change


async def _redraw(
    stores: Stores, chapter: Chapter, drawn: Drawn, pair: tuple[Decisions, Decisions], change: Change, everything: bool
) -> None:
    if _differing(drawn, pair, change, everything):
        after = drawn.under(pair[1])
        await stores.graph.put_chapter(chapter.library, *chapter_key(chapter), after.relations, after.events)


def _differing(drawn: Drawn, pair: tuple[Decisions, Decisions], change: Change, everything: bool) -> bool:
    """Tell whether the graph's records must be written anew, and count those that differ."""
    before, after = drawn.under(pair[0]), drawn.under(pair[1])
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
