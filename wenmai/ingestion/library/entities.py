"""The entities of a library, counted over its passages; two names are one entity from where the story reveals it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tools.records import Entity, Position, VisibleName
from wenmai.ingestion.library.sightings import Sighting
from wenmai.ingestion.sources.aliases import KnownName


@dataclass(frozen=True, slots=True)
class Identity:
    """For each spelling of an entity the names that it stood for, each with the position since when; oldest first."""

    entity: str
    steps: Mapping[str, Sequence[tuple[Position, str]]]

    @property
    def secret(self) -> bool:
        """Whether any spelling once stood for another person."""
        return any(steps[0][1] != self.entity for steps in self.steps.values())

    def known_since(self, spelling: str) -> Position | None:
        """Return since when a spelling stands for the entity, None where it never occurs."""
        steps = self.steps.get(spelling)
        return steps[-1][0] if steps else None

    def name_at(self, spelling: str, place: Position) -> str:
        steps = self.steps[spelling]
        return next((name for since, name in reversed(steps) if since <= place), steps[0][1])

    def guises(self, present: Sequence[str], place: Position) -> tuple[VisibleName, ...]:
        """Return how the entity is known from a passage that holds these spellings of it; () under its own name."""
        if not present:
            return self.without_name(place)
        if any(self.name_at(spelling, place) == self.entity for spelling in present):
            return ()
        rows = (row for spelling in present for row in self._guises(spelling, place))
        return tuple(dict.fromkeys(rows))

    def without_name(self, place: Position) -> tuple[VisibleName, ...]:
        """Return the guise of a person who is referred to without a name, until every name is revealed."""
        revealed = max(steps[-1][0] for steps in self.steps.values())
        return (VisibleName(entity=self.entity, known_as="", since=place, until=revealed),) if revealed > place else ()

    def _guises(self, spelling: str, place: Position) -> list[VisibleName]:
        steps = self.steps[spelling]
        spans = zip(steps, [since for since, _ in steps[1:]], strict=False)
        return [
            VisibleName(entity=self.entity, known_as=name, since=max(since, place), until=until)
            for (since, name), until in spans
            if until > max(since, place)
        ]

    def apart_until(self, spellings: Sequence[str]) -> Position | None:
        """Return since when these spellings are known to be one, None where they always were."""
        if len(spellings) < 2:
            return None
        turns = sorted({since for spelling in spellings for since, _ in self.steps[spelling]})
        if len({self.steps[spelling][0][1] for spelling in spellings}) == 1:
            return None
        return next(place for place in turns if len({self.name_at(spelling, place) for spelling in spellings}) == 1)


@dataclass(slots=True)
class _Group:
    name: str
    members: list[str] = field(default_factory=list)


def trace_identity(entity: str, base: str, rows: Sequence[tuple[Position, frozenset[str]]]) -> Identity:
    """Follow an entity's spellings through its passages in story order; `base` is the canonical spelling."""
    seen = {spelling for _, present in rows for spelling in present}
    first = next((sorted(present) for _, present in rows if present), [])
    root = base if base in seen else next(iter(first), "")
    groups: dict[str, _Group] = {}
    steps: dict[str, list[tuple[Position, str]]] = {}
    for place, present in rows:
        for spelling in sorted(present - groups.keys()):
            groups[spelling] = _Group(entity if spelling == root else spelling, [spelling])
            steps[spelling] = [(place, groups[spelling].name)]
        _join([groups[spelling] for spelling in sorted(present)], place, groups, steps, entity)
    _join_the_rest(rows, root, groups, steps, entity)
    return Identity(entity, {spelling: _clean(found) for spelling, found in steps.items()})


def _join(
    found: Sequence[_Group],
    place: Position,
    groups: dict[str, _Group],
    steps: dict[str, list[tuple[Position, str]]],
    entity: str,
) -> None:
    """Make one group of several: the entity's own if it is among them, else the one that was there first."""
    distinct = list({id(group): group for group in found}.values())
    if len(distinct) < 2:
        return
    winner = min(distinct, key=lambda group: (group.name != entity, steps[group.members[0]][0][0]))
    for group in distinct:
        if group is winner:
            continue
        for spelling in group.members:
            steps[spelling].append((place, winner.name))
            groups[spelling] = winner
        winner.members += group.members


def _join_the_rest(
    rows: Sequence[tuple[Position, frozenset[str]]],
    root: str,
    groups: dict[str, _Group],
    steps: dict[str, list[tuple[Position, str]]],
    entity: str,
) -> None:
    """Let spellings that share no passage with the entity's count from a shared chapter, else from its own name."""
    if root not in groups:
        return
    places: dict[int, set[Position]] = {}
    for place, present in rows:
        for spelling in present:
            places.setdefault(id(groups[spelling]), set()).add(place)
    own, named = groups[root], steps[root][0][0]
    apart = [group for group in {id(group): group for group in groups.values()}.values() if group is not own]
    untold = ""
    for group in sorted(apart, key=lambda group: min(places[id(group)])):
        shared = places[id(group)] & places[id(own)]
        untold = untold if shared else untold or group.name
        name = group.name if shared else untold
        for spelling in group.members:
            since = min(shared) if shared else max(steps[spelling][0][0], named)
            before = [(at, name if label == group.name else label) for at, label in steps[spelling] if at < since]
            steps[spelling] = [*before, (since, entity)]


def _clean(steps: Sequence[tuple[Position, str]]) -> tuple[tuple[Position, str], ...]:
    """Leave out what lasted no whole chapter, and what changes nothing."""
    latest = dict(steps)  # of several names in one chapter the last
    kept: list[tuple[Position, str]] = []
    for place, name in latest.items():
        if not kept or kept[-1][1] != name:
            kept.append((place, name))
    return tuple(kept)


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
        for name in passage.entities:
            seen[name].mentions += 1
            if passage.place is not None:
                seen[name].rows.append((passage.place, passage.spellings[name]))
    bases = {name: known[name].base if name in known else name for name in seen}
    identities = {name: trace_identity(name, bases[name], found.rows) for name, found in seen.items()}
    secrets = {name: one for name, one in identities.items() if one.secret}
    guises = _guises(passages, secrets, shared_spellings(known) | seen.keys())
    for passage in passages:  # where each first appears under a name of its own
        hidden = {row.entity for row in guises.get(passage.id, ())}
        for name in passage.entities:
            if name not in hidden:
                seen[name].first = seen[name].first or passage.place
    entities = [_entity(name, found, known.get(name), identities[name]) for name, found in seen.items()]
    return EntityIndex([*entities, *_stand_ins(guises, known, secrets)], guises, secrets)


def shared_spellings(known: Mapping[str, KnownName]) -> frozenset[str]:
    """Return the spellings that several entities bear: a stand-in under one could not be distinguished from them."""
    owners = Counter(spelling for entry in known.values() for spelling in {entry.name, entry.base, *entry.aliases})
    return frozenset(spelling for spelling, times in owners.items() if times > 1)


def _guises(
    passages: Sequence[Sighting], secrets: Mapping[str, Identity], shared: frozenset[str]
) -> dict[str, tuple[VisibleName, ...]]:
    """Return by passage id the names under which a reader knows the entities that are not yet revealed there.

    A bare given name (操曰) follows its full name. A name that others bear too is none.
    """
    found: dict[str, tuple[VisibleName, ...]] = {}
    for passage in passages:
        if passage.place is None:
            continue
        hidden = [name for name in passage.entities if name in secrets and name not in passage.given_only]
        each = [secrets[name].guises(sorted(passage.spellings[name]), passage.place) for name in hidden]
        if rows := [replace(row, known_as="") if row.known_as in shared else row for one in each for row in one]:
            found[passage.id] = tuple(rows)
    return found


def _stand_ins(
    guises: Mapping[str, Sequence[VisibleName]], known: Mapping[str, KnownName], secrets: Mapping[str, Identity]
) -> list[Entity]:
    """Return an entity for each name under which an unrevealed one is known, with what stood for the same person."""
    borne: dict[tuple[str, str], list[VisibleName]] = {}
    for row in (row for found in guises.values() for row in found if row.known_as):
        borne.setdefault((row.known_as, row.entity), []).append(row)
    entities: list[Entity] = []
    for (name, entity), rows in borne.items():
        steps = [(alias, since, label) for alias, found in secrets[entity].steps.items() for since, label in found]
        aliases: dict[str, Position | None] = {alias: since for alias, since, label in steps if label == name != alias}
        entities.append(
            Entity(
                name=name,
                kind=known[entity].kind if entity in known else "Character",
                aliases=tuple(aliases),
                alias_first=tuple(aliases.values()),
                first=min(row.since for row in rows),
                mentions=len(rows),
                until=max(row.until for row in rows),
            )
        )
    return entities


def _entity(name: str, found: _Occurrences, entry: KnownName | None, identity: Identity) -> Entity:
    spellings = dict.fromkeys((entry.base, *entry.aliases) if entry else ())
    aliases = tuple(alias for alias in spellings if alias != name)
    return Entity(
        name=name,
        kind=entry.kind if entry else "Character",
        description=entry.description if entry else "",
        aliases=aliases,
        alias_first=tuple(identity.known_since(alias) for alias in aliases),
        first=found.first,
        mentions=found.mentions,
    )
