"""The entities of a library, counted over its passages; two names are one entity from where the story reveals it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.records import Entity, Position, VisibleName
from wenmai.ingestion.library.identities import Identity, trace_identity
from wenmai.ingestion.library.sightings import Sighting
from wenmai.ingestion.sources.aliases import KnownName


@dataclass(frozen=True, slots=True)
class EntityIndex:
    """The entities of a library.

    Attributes:
        entities: every entity, and the stand-ins for one until the story reveals who they are (`Entity.until`).
        guises: by passage id, the entities that are not known by name there.
        secrets: the identities that the story reveals late.
    """

    entities: list[Entity]
    guises: dict[str, tuple[VisibleName, ...]]
    secrets: dict[str, Identity]


@dataclass(slots=True)
class _Occurrences:
    mentions: int = 0
    first: Position | None = None
    rows: list[tuple[Position, frozenset[str]]] = field(default_factory=list)


def count_entities(
    passages: Sequence[Sighting], known: Mapping[str, KnownName], extra: Iterable[str] = ()
) -> EntityIndex:
    """Make an entity of every name that tags a passage, and of `extra` names; passages come in story order."""
    tagged = dict.fromkeys(name for passage in passages for name in passage.entities)
    seen: dict[str, _Occurrences] = {name: _Occurrences() for name in (*tagged, *extra)}
    for passage in passages:
        place = passage.place
        for name in passage.entities:
            seen[name].mentions += 1
            if place is not None:
                seen[name].rows.append((place, passage.spellings[name]))
    identities = {name: trace_identity(name, _base(known.get(name), name), found.rows) for name, found in seen.items()}
    secrets = {name: one for name, one in identities.items() if one.secret}
    guises = _guises(passages, secrets, shared_spellings(known) | seen.keys())
    _note_first(seen, passages, guises)
    entities = [_entity(name, found, known.get(name), identities[name]) for name, found in seen.items()]
    return EntityIndex([*entities, *_persons(guises, known, secrets)], guises, secrets)


def shared_spellings(known: Mapping[str, KnownName]) -> frozenset[str]:
    """Return the spellings that several entities bear: a stand-in under one could not be distinguished from them."""
    owners = Counter(spelling for entry in known.values() for spelling in {entry.name, entry.base, *entry.aliases})
    return frozenset(spelling for spelling, times in owners.items() if times > 1)


def _base(entry: KnownName | None, name: str) -> str:
    return entry.base if entry else name


def _guises(
    passages: Sequence[Sighting], secrets: Mapping[str, Identity], shared: frozenset[str]
) -> dict[str, tuple[VisibleName, ...]]:
    """Return by passage id the names under which a reader knows the entities that are not yet revealed there."""
    found: dict[str, tuple[VisibleName, ...]] = {}
    for passage in passages:
        place = passage.place
        hidden = [secrets[name] for name in passage.entities if name in secrets]
        rows = [row for one in hidden if place for row in _guises_of(one, passage, place)]
        if rows:
            found[passage.id] = tuple(_anonymous(row) if row.known_as in shared else row for row in rows)
    return found


def _guises_of(one: Identity, passage: Sighting, place: Position) -> tuple[VisibleName, ...]:
    """Return the guises of an entity in a passage; a bare given name (操曰) follows its full name."""
    if one.entity in passage.given_only:
        return ()
    return one.guises(sorted(passage.spellings[one.entity]), place)


def _anonymous(row: VisibleName) -> VisibleName:
    return VisibleName(entity=row.entity, known_as="", since=row.since, until=row.until)


def _note_first(
    seen: Mapping[str, _Occurrences], passages: Iterable[Sighting], guises: Mapping[str, Sequence[VisibleName]]
) -> None:
    """Note where every entity first appears under a name of its own."""
    for passage in passages:
        place, hidden = passage.place, {row.entity for row in guises.get(passage.id, ())}
        for name in passage.entities:
            if place and name not in hidden:
                seen[name].first = seen[name].first or place


def _persons(
    guises: Mapping[str, Sequence[VisibleName]], known: Mapping[str, KnownName], secrets: Mapping[str, Identity]
) -> list[Entity]:
    """Return a stand-in entity for each name under which an unrevealed entity is known."""
    borne: dict[tuple[str, str], list[VisibleName]] = {}
    for row in (row for found in guises.values() for row in found if row.known_as):
        borne.setdefault((row.known_as, row.entity), []).append(row)
    return [_person(name, rows, known.get(entity), secrets[entity]) for (name, entity), rows in borne.items()]


def _person(name: str, rows: Sequence[VisibleName], entry: KnownName | None, identity: Identity) -> Entity:
    aliases = _aliases_of(name, identity)
    return Entity(
        name=name,
        kind=entry.kind if entry else "Character",
        aliases=tuple(aliases),
        alias_first=tuple(aliases.values()),
        first=min(row.since for row in rows),
        mentions=len(rows),
        until=max(row.until for row in rows),
    )


def _aliases_of(name: str, one: Identity) -> dict[str, Position | None]:
    """Return the spellings that stood for the same person, with the position since when."""
    rows = ((spelling, since, label) for spelling, steps in one.steps.items() for since, label in steps)
    return {spelling: since for spelling, since, label in rows if label == name != spelling}


def _entity(name: str, found: _Occurrences, entry: KnownName | None, identity: Identity) -> Entity:
    aliases = _aliases(name, entry)
    return Entity(
        name=name,
        kind=entry.kind if entry else "Character",
        description=entry.description if entry else "",
        aliases=aliases,
        alias_first=tuple(identity.known_since(alias) for alias in aliases),
        first=found.first,
        mentions=found.mentions,
    )


def _aliases(name: str, entry: KnownName | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    return tuple(alias for alias in dict.fromkeys((entry.base, *entry.aliases)) if alias != name)
