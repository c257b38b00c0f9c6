"""What is decided on names, by a model or a person, and its use on records: merges, new names, kinds, no names.

What was extracted from each chapter is kept as it was before any merge, so that merges are applied, and undone,
exactly.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from tools.records import PERSON, MajorEvent, Participant, Passage, PassageFilter, Relation
from wenmai.ingestion.contracts import CatalogWriter, Extraction, Stores
from wenmai.ingestion.passages import Key, chapter_key
from wenmai.ingestion.sources.aliases import KnownName

NOTE = "merges"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`name` stands for `into`, or by a person's decision for itself alone (None).

    Attributes:
        source: where a model read it.
        is_rename: whether `into` is a better name, which nothing else bears.
    """

    name: str
    into: str | None
    by: Literal["model", "person"]
    source: str = ""
    is_rename: bool = False


@dataclass(frozen=True)
class Decisions:
    """The merges of a library; a person's decision goes before a model's.

    `settled` is False while they are not yet applied everywhere: an interrupted run is then made good.
    `kinds` are a person's: what a name is, None where it is no name at all. So are the aliases that stand for
    themselves, `separate`, each with the entity whose alias it was.
    """

    rows: tuple[Decision, ...] = ()
    settled: bool = True
    kinds: Mapping[str, str | None] = field(default_factory=dict)
    separate: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def merged(self) -> dict[str, str]:
        """What each merged name stands for in the end."""
        ends: dict[str, str] = {}
        for name in self._direct:
            end = name
            while end in self._direct:
                end = self._direct[end]
            ends[name] = end
        return ends

    @cached_property
    def _ranked(self) -> list[Decision]:
        return sorted(self.rows, key=lambda row: row.by != "person")

    @cached_property
    def _direct(self) -> dict[str, str]:
        """One step of each name; a row that would lead back to its own name is left out."""
        chosen: dict[str, str | None] = {}
        for row in self._ranked:
            end: str | None = row.into
            while end is not None and end != row.name:
                end = chosen.get(end)
            if end is None:
                chosen.setdefault(row.name, row.into)
        return {name: into for name, into in chosen.items() if into is not None}

    def resolve(self, name: str) -> str:
        return self.merged.get(name, name)

    def effective(self, name: str) -> Decision | None:
        into = self._direct.get(name)
        return next((row for row in self._ranked if row.name == name and row.into == into and into is not None), None)

    @cached_property
    def decided_kinds(self) -> dict[str, str | None]:
        """The kinds of entities as they are called now: a new name keeps its kind, a merged one has the other's."""
        renamed = {row.name for row in self._ranked if row.is_rename and self._direct.get(row.name) == row.into}
        found = {self.resolve(name): kind for name, kind in self.kinds.items() if name in renamed}
        return found | {name: kind for name, kind in self.kinds.items() if name not in self.merged}

    def is_name(self, entity: str) -> bool:
        return self.decided_kinds.get(entity, "") is not None

    def tags(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(one for one in dict.fromkeys(map(self.resolve, names)) if self.is_name(one))

    def both_tags(self, entities: Sequence[str], characters: Sequence[str]) -> "Tags":
        """Return the entities of a passage, and who of them is a person."""
        kinds = self.decided_kinds
        named, people = self.tags(entities), self.tags(characters)
        known = [one for one in people if kinds.get(one, PERSON) == PERSON]
        return named, tuple(dict.fromkeys([*known, *(one for one in named if kinds.get(one) == PERSON)]))

    def relations(self, relations: Iterable[Relation]) -> list[Relation]:
        """Return relations between entities; what a merge makes a loop, or a repetition, is left out."""

        def edge(row: Relation) -> tuple[object, ...]:
            return row.source, row.type, row.target, row.task_id, row.part, row.chapter

        pairs = [(row, self._relation(row)) for row in relations]
        pairs = [(old, new) for old, new in pairs if self.is_name(new.source) and self.is_name(new.target)]
        taken = {edge(new) for old, new in pairs if old == new}
        kept: list[Relation] = []
        for old, new in pairs:
            if old == new or not (new.source == new.target or edge(new) in taken):
                taken.add(edge(new))
                kept.append(new)
        return kept

    def _relation(self, row: Relation) -> Relation:
        source, target, kinds = self.resolve(row.source), self.resolve(row.target), self.decided_kinds
        return replace(
            row,
            source=source,
            target=target,
            source_kind=kinds.get(source) or row.source_kind,
            target_kind=kinds.get(target) or row.target_kind,
        )

    def events(self, events: Iterable[MajorEvent]) -> list[MajorEvent]:
        """Return events with their characters resolved, each once with its first role; without its main one none."""
        found: list[MajorEvent] = []
        for event in events:
            people: dict[str, Participant] = {}
            for person in event.participants:
                name = self.resolve(person.name)
                people.setdefault(name, replace(person, name=name))
            primary = self.resolve(event.primary_character)
            left = tuple(one for name, one in people.items() if self.is_name(name))
            if self.is_name(primary):
                found.append(replace(event, primary_character=primary, participants=left))
        return found

    def known(self, names: Mapping[str, KnownName]) -> dict[str, KnownName]:
        """Return the name table with merged names as aliases of their entity; a new name is an entry of its own."""
        own = {
            name: KnownName(name=name, kind=names[entity].kind)
            for name, entity in self.separate.items()
            if entity in names and name not in names
        }
        names = {name: entry.without(self.separate) for name, entry in names.items()} | own
        kept = {name: entry for name, entry in names.items() if name not in self.merged}
        for name, into in sorted(self.merged.items()):
            if into not in kept and name in names:
                kept[into] = replace(names[name], name=into, aliases=())
            if into in kept:
                old, entry = kept[into], names.get(name) or KnownName(name=name)
                aliases = dict.fromkeys((*old.aliases, entry.base, *entry.aliases))
                kept[into] = replace(old, aliases=tuple(alias for alias in aliases if alias != old.base))
        for name, kind in self.decided_kinds.items():
            if kind is None:
                kept.pop(name, None)
            else:
                kept[name] = replace(kept.get(name) or KnownName(name=name), kind=kind)
        return kept

    def proposed(self, source: str, proposals: Mapping[str, str]) -> "Decisions":
        """Return the decisions with what a model now proposes for a source in place of what it did before."""
        others = [row for row in self.rows if row.by == "person" or row.source != source]
        new = [Decision(name=name, into=into, by="model", source=source) for name, into in proposals.items()]
        return replace(self, rows=(*others, *new))


async def load_decisions(catalog: CatalogWriter, library: str) -> Decisions:
    note = await catalog.note(library, NOTE)
    if not note:
        return Decisions()
    rows = tuple(Decision(**row) for row in note["rows"])
    return Decisions(rows, note["settled"], note.get("kinds", {}), note.get("separate", {}))


async def save_decisions(catalog: CatalogWriter, library: str, decisions: Decisions) -> None:
    rows = [asdict(row) for row in decisions.rows]
    own = {"kinds": dict(decisions.kinds), "separate": dict(decisions.separate)}
    note = {"rows": rows, "settled": decisions.settled, **own}
    await catalog.put_note(library, NOTE, note if rows or any(own.values()) or not decisions.settled else None)


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

    def renamed(self, name: str, to: str) -> "Extractions":
        return self.under(Decisions((Decision(name=name, into=to, by="person"),)))

    def under(self, decisions: Decisions) -> "Extractions":
        tags = {id: decisions.both_tags(one, other) for id, (one, other) in self.tags.items()}
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
    for key in await _keys(stores, library, imports):
        if extractions := await load_extractions(stores.catalog, library, key):
            before, after = extractions.under(old), extractions.under(new)
            tags |= after.tags
            relations, events = _moved(before.relations, after.relations), _moved(before.events, after.events)
            change.relations += relations
            change.events += events
            if everything or relations or events:
                await put_records(stores, library, key, after.relations, after.events)
    change.passages = await _retag(stores, library, tags)
    return change


async def change_extractions(
    stores: Stores,
    library: str,
    imports: Collection[str],
    change: Callable[[Extractions, Mapping[str, str]], Extractions],
) -> None:
    """Change what is kept as drawn from each chapter and imported file; `change` gets the texts of passages, by id."""
    texts = {one.id: one.text for one in await stores.passages.scroll(library, PassageFilter())}
    for key in await _keys(stores, library, imports):
        if found := await load_extractions(stores.catalog, library, key):
            changed = change(found, texts)
            if changed != found:
                await save_extractions(stores.catalog, library, key, changed)


async def _keys(stores: Stores, library: str, imports: Collection[str]) -> list[Key | str]:
    return [*(chapter_key(one) for one in await stores.catalog.chapters(library)), *imports]


async def put_records(
    stores: Stores, library: str, key: Key | str, relations: Sequence[Relation], events: Sequence[MajorEvent]
) -> None:
    """Write the records of a chapter or of an imported file."""
    if isinstance(key, str):
        await stores.graph.put_imported(library, key, relations, events)
    else:
        await stores.graph.put_chapter(library, *key, relations, events)


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
