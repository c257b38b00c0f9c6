"""Aliases, relations and events that come as files: kept with the text that they belong to, and added to one later."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from tools.errors import LibraryNotFound
from tools.records import PERSON, MajorEvent, Participant, Relation
from tools.story.names import Spellings
from wenmai.ingestion.contracts import CatalogWriter, SourceNote, Stores
from wenmai.ingestion.library.changes import ready_decisions
from wenmai.ingestion.library.decisions import (
    Decision,
    Decisions,
    Extractions,
    apply_decisions,
    change_extractions,
    save_decisions,
)
from wenmai.ingestion.library.entity_writes import LibraryNames, rewrite_entities
from wenmai.ingestion.library.notes import imports, load_notes, save_note, tables_key
from wenmai.ingestion.library.write_plan import Story, put_graph_file
from wenmai.ingestion.names.names import Namer
from wenmai.ingestion.sources.aliases import KnownName, merge
from wenmai.ingestion.sources.imports import GraphFile


@dataclass(frozen=True, slots=True)
class Tables:
    """What files say of a story: names with their aliases, and records by the stem of their file."""

    names: Sequence[KnownName] = ()
    files: Sequence[GraphFile] = ()

    def __bool__(self) -> bool:
        return bool(self.names or self.files)

    def counts(self) -> dict[str, int]:
        """Return how many names, relations and events there are."""
        return {
            "names": len(self.names) + sum(len(one.entities) for one in self.files),
            "relations": sum(len(one.relations) for one in self.files),
            "events": sum(len(one.events) for one in self.files),
        }

    def and_then(self, more: "Tables") -> "Tables":
        """Return these with others; of two files of one name the later one counts."""
        stems = {one.stem for one in more.files}
        return Tables(
            merge(self.names, more.names), [*(one for one in self.files if one.stem not in stems), *more.files]
        )


@dataclass(frozen=True, slots=True)
class KeptTables:
    """The tables of a text: those that came with it, and those that were added since, which stay."""

    given: Tables = field(default_factory=Tables)
    added: Tables = field(default_factory=Tables)


async def load_tables(catalog: CatalogWriter, library: str, source: str) -> KeptTables:
    """Return what is kept with a text, nothing for one that is new."""
    try:
        note = await catalog.note(library, tables_key(source)) or {}
    except LibraryNotFound:
        note = {}
    return KeptTables(*(_from_note(note.get(one) or {}) for one in ("given", "added")))


async def save_tables(catalog: CatalogWriter, library: str, source: str, tables: KeptTables) -> None:
    note = {"given": asdict(tables.given), "added": asdict(tables.added)}
    await catalog.put_note(library, tables_key(source), note if tables.given or tables.added else None)


def _from_note(note: Mapping[str, Any]) -> Tables:
    def name(row: Mapping[str, Any]) -> KnownName:
        return KnownName(**{**row, "aliases": tuple(row["aliases"])})

    def event(row: Mapping[str, Any]) -> MajorEvent:
        return MajorEvent(**{**row, "participants": tuple(Participant(**one) for one in row["participants"])})

    files = [
        GraphFile(
            stem=row["stem"],
            entities=[name(one) for one in row["entities"]],
            relations=[Relation(**one) for one in row["relations"]],
            events=[event(one) for one in row["events"]],
            bad=row["bad"],
        )
        for row in note.get("files", ())
    ]
    return Tables([name(one) for one in note.get("names", ())], files)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedTables:
    """What was added: names with aliases, relations, events; `bad` rows were left out."""

    names: int
    relations: int
    events: int
    passages: int
    bad: list[str]


async def add_tables(stores: Stores, library: str, source: str, tables: Tables) -> AddedTables:
    """Add aliases, relations and events to a text that is there; later ingests of it keep them. Raises InputError."""
    catalog, old = stores.catalog, await ready_decisions(stores, library)
    notes, kept = await load_notes(catalog, library), await load_tables(catalog, library, source)
    names = merge(tables.names, (entry for file in tables.files for entry in file.entities))
    known = merge(names, LibraryNames.of(notes, Decisions()).known.values())
    namer = Namer.build(known, [one.text for one in await catalog.chapters(library)])
    found = {name.entity for name in await stores.graph.names(library, None)}
    joined = _joined(names, found, old)
    new = replace(old, rows=(*(row for row in old.rows if row.name not in joined), *joined.values()))
    note = replace(notes[source], names=merge(notes[source].names, names))
    await save_tables(catalog, library, source, KeptTables(kept.given, kept.added.and_then(tables)))
    await save_note(catalog, library, source, note)
    await save_decisions(catalog, library, replace(new, settled=False))
    await _tag(stores, library, names)
    stems = await imports(catalog, library)
    change = await apply_decisions(stores, library, old, new, stems, everything=not old.settled)
    rows = (await rewrite_entities(stores, library, new)).rows
    if tables.files:
        story = Story.of(rows, await catalog.chapters(library))
        pins: dict[str, KnownName] = {}
        for file in tables.files:
            pins |= await put_graph_file(stores, library, file, story, namer, new)
        await save_note(catalog, library, source, _with_files(note, tables.files, pins))
        await rewrite_entities(stores, library, new)
    await save_decisions(catalog, library, replace(new, settled=True))
    return AddedTables(
        names=len(names),
        relations=sum(len(one.relations) for one in tables.files),
        events=sum(len(one.events) for one in tables.files),
        passages=change.passages,
        bad=[row for one in tables.files for row in one.bad],
    )


def _joined(names: Sequence[KnownName], found: set[str], old: Decisions) -> dict[str, Decision]:
    """Return the merges of aliases that are entities of their own until now."""
    return {
        alias: Decision(name=alias, into=entry.name, by="person")
        for entry in names
        for alias in entry.aliases
        if alias in found and alias != entry.name and old.resolve(entry.name) != alias
    }


async def _tag(stores: Stores, library: str, names: Sequence[KnownName]) -> None:
    """Tag the passages in which a name, or an alias that nobody has, stands; nothing else is read anew."""
    owners = defaultdict[str, set[str]](set)
    for one in await stores.graph.names(library, None):
        owners[one.text].add(one.entity)
    spelled = {word: entry for entry in names for word in (entry.base, *entry.aliases)}
    words = {word: entry for word, entry in spelled.items() if owners.get(word, {entry.name}) == {entry.name}}
    spellings = Spellings.compile([*words, *owners])  # a longer name of another is none of these

    def tagged(found: Extractions, texts: Mapping[str, str]) -> Extractions:
        tags = dict(found.tags)
        for id, (entities, people) in found.tags.items():
            text = texts.get(id, "")
            here = {text[start:end] for start, end in spellings.longest(text)} & words.keys()
            more = [words[word] for word in sorted(here) if word not in entities]
            everyone = dict.fromkeys([*entities, *(one.name for one in more)])
            persons = dict.fromkeys([*people, *(one.name for one in more if one.kind == PERSON)])
            tags[id] = tuple(everyone), tuple(persons)
        return replace(found, tags=tags)

    await change_extractions(stores, library, (), tagged)


def _with_files(note: SourceNote, files: Sequence[GraphFile], pins: Mapping[str, KnownName]) -> SourceNote:
    return replace(
        note,
        imports=list(dict.fromkeys([*note.imports, *(one.stem for one in files)])),
        names=merge(note.names, pins.values()),
        pinned=sorted({*note.pinned, *pins}),
        bad_rows=[*note.bad_rows, *(row for one in files for row in one.bad)],
    )
