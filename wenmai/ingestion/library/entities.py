"""The entities of a library, counted over its stored passages (STO-19: who is who counts from where it is told)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.records import Entity, Guise, Passage, Position
from tools.story.spellings import Spellings
from wenmai.ingestion.library.identities import Identity, trace
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import given_character

Present = Mapping[str, frozenset[str]]
"""Which spellings of each entity stand in a passage that is tagged with it."""


@dataclass(frozen=True, slots=True)
class Census:
    """Who is in a library.

    Attributes:
        entities: everybody, and the persons that stand for somebody until it is told who they are (`Entity.until`).
        guises: by passage id, who is not known by name there.
        secrets: the identities that the story tells late.
    """

    entities: list[Entity]
    guises: dict[str, tuple[Guise, ...]]
    secrets: dict[str, Identity]


@dataclass(slots=True)
class _Seen:
    mentions: int = 0
    first: Position | None = None
    rows: list[tuple[Position, frozenset[str]]] = field(default_factory=list)


def count_entities(passages: Sequence[Passage], known: Mapping[str, KnownName], extra: Iterable[str] = ()) -> Census:
    """Make an entity of every name that tags a passage, and of `extra` names; passages come in story order."""
    tagged = {name: known.get(name) or KnownName(name=name) for passage in passages for name in passage.entities}
    present = _present(passages, tagged)
    seen: dict[str, _Seen] = {name: _Seen() for name in (*tagged, *extra)}
    for passage, names in zip(passages, present, strict=True):
        for name in passage.entities:
            seen[name].mentions += 1
            if (place := _place(passage)) is not None:
                seen[name].rows.append((place, names[name]))
    identities = {name: trace(name, _base(known.get(name), name), found.rows) for name, found in seen.items()}
    secrets = {name: one for name, one in identities.items() if one.secret}
    guises = _guises(passages, present, secrets, shared_spellings(known) | seen.keys())
    _note_first(seen, passages, guises)
    entities = [_entity(name, found, known.get(name), identities[name]) for name, found in seen.items()]
    return Census([*entities, *_persons(guises, known, secrets)], guises, secrets)


def shared_spellings(known: Mapping[str, KnownName]) -> frozenset[str]:
    """Return the spellings that several entities bear: a person known by one could not be told from them."""
    owners = Counter(spelling for entry in known.values() for spelling in {entry.name, entry.base, *entry.aliases})
    return frozenset(spelling for spelling, times in owners.items() if times > 1)


def _base(entry: KnownName | None, name: str) -> str:
    return entry.base if entry else name


def _place(passage: Passage) -> Position | None:
    return None if passage.chapter is None else (passage.part, passage.chapter)


def _present(passages: Sequence[Passage], tagged: Mapping[str, KnownName]) -> list[Present]:
    """Return for each passage which spellings of whom it holds."""
    spelled = {name: frozenset((name, entry.base, *entry.aliases)) for name, entry in tagged.items()}
    spellings = Spellings.compile(spelling for found in spelled.values() for spelling in found)
    rows: list[Present] = []
    for passage in passages:
        words = {passage.text[start:end] for start, end in spellings.every(passage.text)}
        rows.append({name: spelled[name] & words for name in passage.entities})
    return rows


def _guises(
    passages: Sequence[Passage], present: Sequence[Present], secrets: Mapping[str, Identity], shared: frozenset[str]
) -> dict[str, tuple[Guise, ...]]:
    """Return by passage id how those are known whom the passage does not yet tell."""
    found: dict[str, tuple[Guise, ...]] = {}
    for passage, names in zip(passages, present, strict=True):
        place = _place(passage)
        hidden = [secrets[name] for name in passage.entities if name in secrets]
        rows = [row for one in hidden if place for row in _worn(one, names[one.entity], passage, place)]
        if rows:
            found[passage.id] = tuple(_anonymous(row) if row.known_as in shared else row for row in rows)
    return found


def _worn(one: Identity, present: frozenset[str], passage: Passage, place: Position) -> tuple[Guise, ...]:
    """Return the guises of an entity in a passage; a bare given name (操曰) follows its full name."""
    given = given_character(one.entity.split("[")[0])
    if not present and given and given in passage.text:
        return ()
    return one.guises(sorted(present), place)


def _anonymous(row: Guise) -> Guise:
    return Guise(entity=row.entity, known_as="", since=row.since, until=row.until)


def _note_first(seen: Mapping[str, _Seen], passages: Iterable[Passage], guises: Mapping[str, Sequence[Guise]]) -> None:
    """Note where everybody first appears under a name of their own."""
    for passage in passages:
        place, hidden = _place(passage), {row.entity for row in guises.get(passage.id, ())}
        for name in passage.entities:
            if place and name not in hidden:
                seen[name].first = seen[name].first or place


def _persons(
    guises: Mapping[str, Sequence[Guise]], known: Mapping[str, KnownName], secrets: Mapping[str, Identity]
) -> list[Entity]:
    """Return an entity for each name that somebody is known by until it is told who that is."""
    borne: dict[tuple[str, str], list[Guise]] = {}
    for row in (row for found in guises.values() for row in found if row.known_as):
        borne.setdefault((row.known_as, row.entity), []).append(row)
    return [_person(name, rows, known.get(entity), secrets[entity]) for (name, entity), rows in borne.items()]


def _person(name: str, rows: Sequence[Guise], entry: KnownName | None, identity: Identity) -> Entity:
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


def _entity(name: str, found: _Seen, entry: KnownName | None, identity: Identity) -> Entity:
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
