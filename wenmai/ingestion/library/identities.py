"""The positions from which a reader knows which entity a spelling stands for.

A spelling counts as a name of an entity from the first passage that holds it beside another spelling of the entity
that counts already; the canonical one counts from its first passage, and where the story never uses it the spelling
that comes first does. Until then the spelling is a person of its own. Spellings that join each other before they join
the entity are one such person, under the name that came first.

A spelling that never stands in one passage with a known one counts from the first chapter that holds both. Without such
a chapter the text never reveals the identity, and the dictionary counts from where the name itself first stands;
spellings that come before are one person until then, under the name that came first.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.records import Position, VisibleName


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
        """Return the name of the person that a spelling stands for at a place in the story."""
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
    """Spellings that are known to be one."""

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
