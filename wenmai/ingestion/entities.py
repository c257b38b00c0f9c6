"""The entities of a library, counted over its stored passages (STO-19: an entity or alias counts from its first)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.records import Entity, Passage
from wenmai.ingestion.aliases import KnownName

Position = tuple[int, int]


@dataclass(slots=True)
class _Seen:
    mentions: int = 0
    first: Position | None = None
    spellings: dict[str, Position] = field(default_factory=dict)


def count_entities(
    passages: Iterable[Passage], known: Mapping[str, KnownName], extra: Iterable[str] = ()
) -> list[Entity]:
    """Make an entity of every name that tags a passage, and of `extra` names; passages come in story order."""
    seen: dict[str, _Seen] = {}
    waiting = {name: set(entry.aliases) for name, entry in known.items()}
    for passage in passages:
        for name in passage.entities:
            _count(seen.setdefault(name, _Seen()), passage, waiting.get(name, set()))
    for name in extra:
        seen.setdefault(name, _Seen())
    return [_entity(name, found, known.get(name)) for name, found in seen.items()]


def _count(found: _Seen, passage: Passage, waiting: set[str]) -> None:
    """Add a passage; a spelling that it holds is waited for no longer."""
    found.mentions += 1
    if passage.chapter is None:
        return
    position = (passage.part, passage.chapter)
    found.first = found.first or position
    for spelling in [spelling for spelling in waiting if spelling in passage.text]:
        found.spellings[spelling] = position
        waiting.discard(spelling)


def _entity(name: str, found: _Seen, entry: KnownName | None) -> Entity:
    aliases = _aliases(name, entry)
    return Entity(
        name=name,
        kind=entry.kind if entry else "Character",
        description=entry.description if entry else "",
        aliases=aliases,
        alias_first=tuple(found.spellings.get(alias) for alias in aliases),
        first=found.first,
        mentions=found.mentions,
    )


def _aliases(name: str, entry: KnownName | None) -> tuple[str, ...]:
    if entry is None:
        return ()
    return tuple(alias for alias in dict.fromkeys((entry.base, *entry.aliases)) if alias != name)


def changed(entities: Sequence[Entity], stored: Mapping[str, Entity]) -> list[Entity]:
    """Return the entities that differ from what is stored."""
    return [entity for entity in entities if stored.get(entity.name) != entity]
