"""Keeping a late reveal from a reader who is not there yet: in the tags of passages, relations and events.

A record is split at each position where the identity of one of its people is revealed: before it, people bear the names
that the reader knows. Where a person has no known name, or the words of the record would reveal more than the story
has, the record is left out until then.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

from tools.records import Horizon, MajorEvent, Participant, Position, Relation, VisibleName
from tools.story.names import Spellings
from wenmai.ingestion.contracts import Stores
from wenmai.ingestion.library.decisions import Decisions, from_note, note_key, put_records
from wenmai.ingestion.library.entities import EntityIndex, Identity
from wenmai.ingestion.library.sightings import Sighting
from wenmai.ingestion.passages import Key, chapter_key

Record = TypeVar("Record", Relation, MajorEvent)
Names = Mapping[str, str]
"""The name of each end of a record for a reader; '' where the reader knows none."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The passages by chapter, the guises in them, and the spellings of the identities that are revealed late."""

    passages: Mapping[Position, Sequence[Sighting]]
    guises: Mapping[str, Sequence[VisibleName]]
    secrets: Mapping[str, Identity]
    spellings: Spellings

    @classmethod
    def of(cls, passages: Iterable[Sighting], index: EntityIndex) -> "Scene":
        chapters: dict[Position, list[Sighting]] = {}
        for passage in passages:
            if passage.place is not None:
                chapters.setdefault(passage.place, []).append(passage)
        words = (word for one in index.secrets.values() for word in one.steps)
        return cls(chapters, index.guises, index.secrets, Spellings.compile(words))

    def guises_of(self, name: str, record: Relation | MajorEvent, place: Position) -> list[VisibleName]:
        """Return the guises of an entity where a record stands; one without a name where passages disagree."""
        if name not in self.secrets:
            return []
        here = [passage for passage in self.passages.get(place, ()) if name in passage.entities]
        exact = [passage for passage in here if _holds(passage, record)]
        worn = [[row for row in self.guises.get(p.id, ()) if row.entity == name] for p in exact or here]
        if not any(worn):
            return []
        if all(rows == worn[0] for rows in worn):
            return worn[0]
        revealed = max(row.until for rows in worn for row in rows)
        return [VisibleName(entity=name, known_as="", since=place, until=revealed)]

    def apart_until(self, texts: Sequence[str]) -> Position | None:
        """Return the position that reveals the names in these texts to be one person's, None without a secret."""
        words = {text[start:end] for text in texts for start, end in self.spellings.every(text)}
        if len(words) < 2:
            return None
        found = [one.apart_until([s for s in one.steps if s in words]) for one in self.secrets.values()]
        return max((place for place in found if place), default=None)

    def spoken(self, text: str, names: Names) -> str:
        """Return a text with the names that a reader knows in place of canonical ones."""
        for entity, name in names.items():
            for spelling in (entity, entity.split("[")[0]):
                if name and name != entity and name not in text:
                    text = text.replace(spelling, name)
        return text


def relation_wordings(row: Relation, scene: Scene) -> list[Relation]:
    """Return a relation as readers know it one after the other; the last is what it is in the end."""

    def worded(names: Names) -> Relation:
        named = replace(row, source=names[row.source], target=names[row.target])
        return replace(named, description=scene.spoken(row.description, names))

    return _wordings(row, (row.source, row.target), worded, scene)


def event_wordings(row: MajorEvent, scene: Scene) -> list[MajorEvent]:
    """Return an event as readers know it one after the other; the last is what it is in the end."""

    def worded(names: Names) -> MajorEvent:
        people = {names[one.name]: Participant(names[one.name], one.role) for one in reversed(row.participants)}
        return replace(
            row,
            name=scene.spoken(row.name, names),
            summary=scene.spoken(row.summary, names),
            outcome=scene.spoken(row.outcome, names) if row.outcome else row.outcome,
            primary_character=names[row.primary_character],
            participants=tuple(reversed(people.values())),
        )

    ends = (row.primary_character, *(one.name for one in row.participants))
    return _wordings(row, tuple(dict.fromkeys(ends)), worded, scene)


def _wordings(row: Record, ends: Sequence[str], worded: Callable[[Names], Record], scene: Scene) -> list[Record]:
    if row.part is None or row.chapter is None:
        return [row]
    place = (row.part, row.chapter)
    guises: list[VisibleName] = [one for end in dict.fromkeys(ends) for one in scene.guises_of(end, row, place)]
    turns = sorted({place, *(one.since for one in guises), *(one.until for one in guises)})
    revealed = scene.apart_until([*_texts(row), *_people(row)])
    wordings: list[Record] = []
    for since, until in pairwise(turns):
        names: dict[str, str] = {}
        horizon = Horizon(*since)
        for end in ends:
            mine = [one for one in guises if one.entity == end]
            worn = [one.known_as for one in mine if one.worn(horizon)]
            is_hidden = any(not horizon.shows(*one.until) for one in mine)
            names[end] = worn[0] if worn else "" if is_hidden else end
        wording: Record = worded(names)
        reveals = scene.apart_until([*_texts(wording), *_people(wording)])
        if all(names.values()) and (reveals is None or reveals <= since):
            wordings.append(replace(wording, since=since if since > place else None, until=until))
    known = max((turn for turn in (turns[-1], revealed) if turn and turn > place), default=None)
    wordings.append(replace(row, since=known) if known else row)
    return wordings


def _texts(row: Relation | MajorEvent) -> list[str]:
    if isinstance(row, Relation):
        return [row.description, row.evidence]
    return [row.name, row.summary, row.evidence, row.outcome or ""]


def _people(row: Relation | MajorEvent) -> list[str]:
    if isinstance(row, Relation):
        return [row.source, row.target]
    return [row.primary_character, *(one.name for one in row.participants)]


def _holds(passage: Sighting, record: Relation | MajorEvent) -> bool:
    if record.start is not None:
        return passage.start <= record.start < passage.end
    return record.event_order == passage.event_order


NOTE = "veiled"
BATCH = 256
"""Passages that are written in one request."""


@dataclass(frozen=True, slots=True)
class HiddenRecords:
    """The stand-ins in the graph of a library, and the chapters and imports whose records have several wordings."""

    persons: frozenset[str] = frozenset()
    records: frozenset[Key | str] = frozenset()


async def apply_spoiler_filter(
    stores: Stores,
    library: str,
    index: EntityIndex,
    rows: Sequence[Sighting],
    decisions: Decisions,
    imports: Collection[str],
) -> None:
    """Bring tags, relations and events in line with who is known where.

    Passages whose tags change are written; so are the records of chapters and imports with several wordings.
    """
    await _tag(stores, library, index, rows)
    old = await _load(stores, library)
    persons = frozenset(entity.name for entity in index.entities if entity.until)
    gone = sorted(old.persons - {entity.name for entity in index.entities})
    if gone:
        await stores.graph.delete_entities(library, gone)
    records: frozenset[Key | str] = frozenset()
    if index.secrets or old.records:
        records = await _reword(stores, library, Scene.of(rows, index), decisions, imports, old)
    new = HiddenRecords(persons, records)
    if new != old:
        note = {"persons": sorted(persons), "records": sorted(records, key=str)}
        await stores.catalog.put_note(library, NOTE, note if new != HiddenRecords() else None)


async def _tag(stores: Stores, library: str, index: EntityIndex, rows: Sequence[Sighting]) -> None:
    """Write the passages whose guises differ, with the vectors that they have."""
    guises = {row.id: index.guises.get(row.id, ()) for row in rows if row.guises != index.guises.get(row.id, ())}
    ids = list(guises)
    for at in range(0, len(ids), BATCH):
        stored = [one.passage for one in await stores.passages.fetch(library, ids[at : at + BATCH])]
        stale = [replace(passage, guises=guises[passage.id]) for passage in stored]
        vectors = await stores.passages.vectors(library, stale)
        await stores.passages.upsert(library, stale, [vectors[passage.id] for passage in stale])


async def _reword(
    stores: Stores, library: str, scene: Scene, decisions: Decisions, imports: Collection[str], old: HiddenRecords
) -> frozenset[Key | str]:
    """Write the records of every chapter and import that has or had a wording of its own; return which have one."""
    hidden: set[Key | str] = set()
    notes = await stores.catalog.notes(library)
    keys: list[Key | str] = [*(chapter_key(one) for one in await stores.catalog.chapters(library)), *imports]
    for key in keys:
        if note := notes.get(note_key(key)):
            plain = from_note(note).under(decisions)
            relations = [wording for row in plain.relations for wording in relation_wordings(row, scene)]
            events = [wording for row in plain.events for wording in event_wordings(row, scene)]
            differs = relations != [*plain.relations] or events != [*plain.events]
            if differs or key in old.records:
                await put_records(stores, library, key, relations, events)
            if differs:
                hidden.add(key)
    return frozenset(hidden)


async def _load(stores: Stores, library: str) -> HiddenRecords:
    note = await stores.catalog.note(library, NOTE)
    if not note:
        return HiddenRecords()
    keys = (key if isinstance(key, str) else (str(key[0]), int(key[1]), key[2]) for key in note["records"])
    return HiddenRecords(frozenset(note["persons"]), frozenset(keys))
