"""Resolution of entity arguments to canonical names: exact name, then exact alias, never a guess."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from tools.base import Scope
from tools.errors import ArgumentError
from tools.formatting import shorten
from tools.messages import say
from tools.ports import StoryGraph
from tools.records import Horizon, Name
from tools.text.scripts import compared_character

ECHO_CHARACTERS = 100
SHOWN_CANDIDATES = 20
CACHED_INDEXES = 8


@dataclass(frozen=True, slots=True)
class Resolved:
    """A name as it was given and the canonical name that is meant (the given one when unknown)."""

    given: str
    name: str


@dataclass(frozen=True, slots=True)
class Index:
    """Spellings by their folded form; `source` is the list that they were read from."""

    source: Sequence[Name]
    canonical: Mapping[str, tuple[str, ...]]
    aliases: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The spellings of a library. An index is kept as long as the store answers with the same names."""

    graph: StoryGraph
    _indexes: dict[tuple[str, Horizon | None], Index] = field(default_factory=dict, repr=False)

    async def resolve(self, text: str, scope: Scope) -> Resolved:
        """Return the canonical name of `text`. Raises ArgumentError if several entities share the alias."""
        index = await self._index(scope)
        folded = spelling_key(text)
        found = index.canonical.get(folded) or index.aliases.get(folded) or (text,)
        name = text if text in found else found[0]
        if len(found) > 1 and name != text:
            names = ", ".join(found[:SHOWN_CANDIDATES])
            raise ArgumentError(say("story.ambiguous_name", name=echo(text), names=names))
        return Resolved(text, name)

    async def resolve_all(self, texts: Sequence[str], scope: Scope) -> list[Resolved]:
        """Resolve several names; each entity is returned once."""
        resolved = [await self.resolve(text, scope) for text in texts]
        return list({one.name: one for one in resolved}.values())

    async def _index(self, scope: Scope) -> Index:
        names = await self.graph.names(scope.library, scope.horizon)
        key = (scope.library, scope.horizon)
        kept = self._indexes.pop(key, None)
        index = kept if kept is not None and kept.source == names else build_index(names)
        self._indexes[key] = index
        while len(self._indexes) > CACHED_INDEXES:
            self._indexes.pop(next(iter(self._indexes)))
        return index


def build_index(names: Sequence[Name]) -> Index:
    """Group spellings by their folded form."""
    canonical: dict[str, list[str]] = {}
    aliases: dict[str, list[str]] = {}
    for name in names:
        found = (canonical if name.text == name.entity else aliases).setdefault(spelling_key(name.text), [])
        if name.entity not in found:
            found.append(name.entity)
    return Index(names, _frozen(canonical), _frozen(aliases))


def _frozen(groups: Mapping[str, Sequence[str]]) -> Mapping[str, tuple[str, ...]]:
    return MappingProxyType({key: tuple(group) for key, group in groups.items()})


def spelling_key(text: str) -> str:
    """Return a spelling without its width, case, script and blanks."""
    plain = "".join(map(compared_character, text))
    return "".join(unicodedata.normalize("NFKC", plain).casefold().split())


def echo(name: str) -> str:
    """Return a name from outside, shortened for a message."""
    return shorten(name, ECHO_CHARACTERS)


def report(resolved: Sequence[Resolved | None]) -> str:
    """Return the line that lists the resolved names, '' if there are none."""
    changed = [one for one in resolved if one is not None and one.given != one.name]
    pairs = ", ".join(f"{echo(one.given)} -> {one.name}" for one in changed)
    return say("story.resolved_names", pairs=pairs) if pairs else ""
