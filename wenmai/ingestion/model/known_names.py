"""The names that a model has found so far, as it is told them with the next pieces."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from tools.language import HAN
from wenmai.ingestion.model.entity_merge import is_name
from wenmai.ingestion.model.pieces import AS_MUCH
from wenmai.ingestion.model.prompts import named
from wenmai.ingestion.model.schema import Answer, FoundEntity
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import proper_names

MOST = 600
"""Characters that the names take, in English twice as many."""
NAMING = 200
"""Pieces before the next ones whose names count."""

Shown = tuple[str, Answer]


@dataclass(slots=True)
class _Found:
    weight: Counter[str] = field(default_factory=Counter)
    aliases: dict[str, list[str]] = field(default_factory=dict)


def known_names(rows: Sequence[Shown]) -> list[KnownName]:
    """Return the names of pieces, given as text and answer in reading order: those of new and of many pieces first."""
    found = _Found()
    for age, (text, answer) in enumerate(reversed(rows), 1):
        for entity in answer.found.entities if answer.found else ():
            _add(found, entity, text, 1 / age)
    return _bounded(_folded(found))


def _add(found: _Found, entity: FoundEntity, text: str, weight: float) -> None:
    """Count an entity's spellings that stand in the text; a generic word names another person in the next chapter."""
    spellings = [one.strip() for one in (entity.name, *entity.aliases)]
    usable = [one for one in proper_names(list(dict.fromkeys(spellings))) if one in text and is_name(one)]
    if usable:
        found.weight[usable[0]] += weight  # type: ignore[assignment]  # a Counter adds what it is given
        found.aliases.setdefault(usable[0], []).extend(usable[1:])


def _folded(found: _Found) -> list[KnownName]:
    """Return the names by weight; one that is the alias of one other stands with it, one of several with none."""
    owners: dict[str, set[str]] = {}
    for name, aliases in found.aliases.items():
        for alias in aliases:
            owners.setdefault(alias, set()).add(name)
    own = {
        name: dict.fromkeys(one for one in aliases if len(owners[one]) == 1) for name, aliases in found.aliases.items()
    }
    for name in sorted(own, key=lambda one: found.weight[one]):
        [*others] = owners.get(name, set()) & own.keys() - {name}
        if len(others) == 1:
            own[others[0]] |= own.pop(name)
            found.weight[others[0]] += found.weight.pop(name)
    names = [name for name, _ in found.weight.most_common()]
    return [KnownName(name=name, aliases=tuple(one for one in own[name] if one != name)) for name in names]


def _bounded(names: Sequence[KnownName]) -> list[KnownName]:
    kept: list[KnownName] = []
    room = MOST
    for one in names:
        written = named(one, "zh")
        room -= len(written) // AS_MUCH["zh" if HAN.search(written) else "en"] + 1
        if room < 0:
            break
        kept.append(one)
    return kept
