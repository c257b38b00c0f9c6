"""Resolution of entity arguments to canonical names: exact name, then exact alias, never a guess."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tools.base import Scope
from tools.errors import ArgumentError
from tools.formatting import shorten
from tools.ports import StoryGraph
from tools.records import Horizon, Name
from tools.text.scripts import compared_character
from tools.wording import Words

ECHO_CHARACTERS = 100
SHOWN_CANDIDATES = 20
CACHED_INDEXES = 8
AMBIGUOUS = Words(
    "名称“{name}”对应多个实体: {names}。请改用其中一个的全名",
    "The name “{name}” means several entities: {names}. Use the full name of one of them",
)
RESOLVED = Words("已解析: {pairs}", "Resolved: {pairs}")


@dataclass(frozen=True, slots=True)
class ResolvedName:
    """A name as it was given and the canonical name that is meant (the given one when unknown)."""

    given: str
    name: str


@dataclass(frozen=True, slots=True)
class EntityNames:
    """The spellings of a library. An index is kept as long as the store answers with the same names."""

    graph: StoryGraph
    _kept: dict[tuple[str, Horizon | None], tuple[list[Name], Mapping[str, list[Name]]]] = field(
        default_factory=dict, repr=False
    )

    async def resolve(self, text: str, scope: Scope) -> ResolvedName:
        """Return the canonical name of `text`. Raises ArgumentError if several entities share the alias."""
        names = (await self._by_spelling(scope)).get(spelling_key(text), [])
        canonical = [name.entity for name in names if name.text == name.entity]
        found = list(dict.fromkeys(canonical or [name.entity for name in names])) or [text]
        if len(found) > 1 and text not in found:
            raise ArgumentError(AMBIGUOUS.say(name=echo(text), names=", ".join(found[:SHOWN_CANDIDATES])))
        return ResolvedName(text, text if text in found else found[0])

    async def resolve_all(self, texts: Sequence[str], scope: Scope) -> list[ResolvedName]:
        resolved = [await self.resolve(text, scope) for text in texts]
        return list({one.name: one for one in resolved}.values())

    async def _by_spelling(self, scope: Scope) -> Mapping[str, list[Name]]:
        names, key = await self.graph.names(scope.library, scope.horizon), (scope.library, scope.horizon)
        source, index = self._kept.pop(key, (None, dict[str, list[Name]]()))
        if source != names:
            index = {}
            for name in names:
                index.setdefault(spelling_key(name.text), []).append(name)
        self._kept[key] = (names, index)
        while len(self._kept) > CACHED_INDEXES:
            self._kept.pop(next(iter(self._kept)))
        return index


def spelling_key(text: str) -> str:
    """Return a spelling without its width, case, script and blanks."""
    plain = "".join(map(compared_character, text))
    return "".join(unicodedata.normalize("NFKC", plain).casefold().split())


def echo(name: str) -> str:
    return shorten(name, ECHO_CHARACTERS)


def report(resolved: Sequence[ResolvedName | None]) -> str:
    """Return the line that lists the resolved names, '' if there are none."""
    changed = [one for one in resolved if one is not None and one.given != one.name]
    pairs = ", ".join(f"{echo(one.given)} -> {one.name}" for one in changed)
    return RESOLVED.say(pairs=pairs) if pairs else ""
