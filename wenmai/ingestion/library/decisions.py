"""Merges of names into entities, proposed by a model or decided by a person, and their use on records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Literal

from tools.records import MajorEvent, Participant, Passage, Relation
from wenmai.ingestion.contracts import CatalogWriter
from wenmai.ingestion.sources.aliases import KnownName

NOTE = "merges"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`name` stands for `into`, or by a person's decision for itself alone (None). `source`: where a model read it."""

    name: str
    into: str | None
    by: Literal["model", "person"]
    source: str = ""


@dataclass(frozen=True)
class Decisions:
    """The merges of a library; a person's decision goes before a model's.

    `settled` is False while they are not yet applied everywhere: an interrupted run is then made good.
    """

    rows: tuple[Decision, ...] = ()
    settled: bool = True

    @cached_property
    def merged(self) -> dict[str, str]:
        return {name: self._end(name) for name in self._direct}

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

    def _end(self, name: str) -> str:
        while name in self._direct:
            name = self._direct[name]
        return name

    def resolve(self, name: str) -> str:
        return self.merged.get(name, name)

    def effective(self, name: str) -> Decision | None:
        into = self._direct.get(name)
        return next((row for row in self._ranked if row.name == name and row.into == into and into is not None), None)

    def tags(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(self.resolve, names)))

    def passage(self, passage: Passage) -> Passage:
        return replace(passage, entities=self.tags(passage.entities), characters=self.tags(passage.characters))

    def relations(self, relations: Iterable[Relation]) -> list[Relation]:
        """Return relations between entities; what a merge makes a loop, or a repetition, is left out."""
        pairs = [
            (row, replace(row, source=self.resolve(row.source), target=self.resolve(row.target))) for row in relations
        ]
        taken = {_edge(new) for old, new in pairs if old == new}
        kept: list[Relation] = []
        for old, new in pairs:
            if old != new and (new.source == new.target or _edge(new) in taken):
                continue
            taken.add(_edge(new))
            kept.append(new)
        return kept

    def events(self, events: Iterable[MajorEvent]) -> list[MajorEvent]:
        """Return events with their characters resolved, each once with its first role."""
        return [self._event(event) for event in events]

    def _event(self, event: MajorEvent) -> MajorEvent:
        people: dict[str, Participant] = {}
        for person in event.participants:
            moved = replace(person, name=self.resolve(person.name))
            people.setdefault(moved.name, moved)
        primary = self.resolve(event.primary_character)
        return replace(event, primary_character=primary, participants=tuple(people.values()))

    def known(self, names: Mapping[str, KnownName]) -> dict[str, KnownName]:
        """Return the name table with merged names as aliases of their entity; a new name is an entry of its own."""
        kept = {name: entry for name, entry in names.items() if name not in self.merged}
        for name, into in sorted(self.merged.items()):
            if into not in kept and name in names:
                kept[into] = replace(names[name], name=into, aliases=())
            if into in kept:
                old, entry = kept[into], names.get(name) or KnownName(name=name)
                aliases = dict.fromkeys((*old.aliases, entry.base, *entry.aliases))
                kept[into] = replace(old, aliases=tuple(alias for alias in aliases if alias != old.base))
        return kept

    def proposed(self, source: str, proposals: Mapping[str, str]) -> "Decisions":
        """Return the decisions with what a model now proposes for a source in place of what it did before."""
        others = [row for row in self.rows if row.by == "person" or row.source != source]
        new = [Decision(name=name, into=into, by="model", source=source) for name, into in proposals.items()]
        return replace(self, rows=(*others, *new))


def _edge(row: Relation) -> tuple[object, ...]:
    return row.source, row.type, row.target, row.task_id, row.part, row.chapter


async def load_decisions(catalog: CatalogWriter, library: str) -> Decisions:
    note = await catalog.note(library, NOTE)
    return Decisions(tuple(Decision(**row) for row in note["rows"]), note["settled"]) if note else Decisions()


async def save_decisions(catalog: CatalogWriter, library: str, decisions: Decisions) -> None:
    rows = [asdict(row) for row in decisions.rows]
    note = {"rows": rows, "settled": decisions.settled}
    await catalog.put_note(library, NOTE, note if rows or not decisions.settled else None)
