"""Names of a story: found in a text by longest match, and resolved as arguments, exactly and never by a guess."""

import unicodedata
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from tools.errors import ArgumentError
from tools.formatting import shorten
from tools.messages import Names, say
from tools.ports import StoryGraph
from tools.records import Horizon, Name
from tools.text.scripts import compared_character

if TYPE_CHECKING:
    from tools.base import Scope

_NUMERALS = frozenset("零〇一二三四五六七八九十百千两")
_BEFORE_NUMBERS = _NUMERALS | {"第"}
_AFTER_NUMBERS = _NUMERALS | frozenset("个位名年月日天夜岁楼层级间座栋条只张件块枚号次遍章卷册页米尺丈寸里斤元")


def _latin(char: str) -> bool:
    return char.isalnum() and char.isascii()


def _counts(text: str, start: int, end: int) -> bool:
    """Return True if a spelling that is a Chinese number counts something here: 十三 of 十三层 and of 第十三."""
    if text[start] not in _NUMERALS or not _NUMERALS.issuperset(text[start:end]):
        return False
    return text[start - 1 : start] in _BEFORE_NUMBERS or text[end : end + 1] in _AFTER_NUMBERS


def bounded(text: str, start: int, end: int) -> bool:
    """Return True if a Latin spelling is a whole word here, and one that is a number a name.

    Other scripts have no word borders.
    """
    if _counts(text, start, end):
        return False
    opens = start == 0 or not (_latin(text[start]) and _latin(text[start - 1]))
    return opens and (end == len(text) or not (_latin(text[end - 1]) and _latin(text[end])))


@dataclass(frozen=True, slots=True)
class Spellings:
    words: frozenset[str]
    lengths: dict[str, tuple[int, ...]]

    @classmethod
    def compile(cls, words: Iterable[str]) -> "Spellings":
        kept = frozenset(word for word in words if word)
        lengths: dict[str, set[int]] = {}
        for word in kept:
            lengths.setdefault(word[0], set()).add(len(word))
        return cls(kept, {char: tuple(sorted(sizes, reverse=True)) for char, sizes in lengths.items()})

    def longest(self, text: str, begin: int = 0, barred: Container[tuple[int, int]] = ()) -> Iterator[tuple[int, int]]:
        """Yield the longest spellings from a place on, left to right, without overlap, as half-open spans.

        A `barred` span is skipped as if it held no spelling.
        """
        lengths, free = self.lengths, begin
        for at in range(begin, len(text)):
            char = text[at]
            if char not in lengths or at < free:
                continue
            for length in lengths[char]:
                if self.matches_at(text, at, at + length) and (at, at + length) not in barred:
                    yield at, at + length
                    free = at + length
                    break

    def every(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield every occurrence of every spelling, overlapping ones too."""
        lengths, words, size = self.lengths, self.words, len(text)
        for at, char in enumerate(text):
            for length in lengths.get(char, ()):
                end = at + length
                if text[at:end] in words and end <= size and bounded(text, at, end):
                    yield at, end

    def matches_at(self, text: str, start: int, end: int) -> bool:
        """Return True if `text[start:end]` is a spelling; a span beyond the end of the text is none."""
        return end <= len(text) and text[start:end] in self.words and bounded(text, start, end)


# An alias of several entities means the one with this share of their mentions; else it is ambiguous.
DOMINANT_SHARE = 0.9
# An alias that begins within another one is found if its owner is mentioned so many times as often: 阿斗 in
# 刘备之子阿斗, where 子阿 is an alias of a character without mentions.
OUTWEIGHING = 10


@dataclass(frozen=True, slots=True)
class NameMention:
    """A spelling found at `[start:end]` and its possible entities, most mentioned first."""

    start: int
    end: int
    text: str
    candidates: tuple[Name, ...]

    @property
    def entity(self) -> str | None:
        """The one entity that is meant, None if it is ambiguous."""
        best, total = self.candidates[0], sum(name.mentions for name in self.candidates)
        is_sure = len(self.candidates) == 1 or (total and best.mentions >= DOMINANT_SHARE * total)
        return best.entity if is_sure else None


class _Folds(dict[int, str]):
    """Folded characters by code point, each computed once."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        folded = unicodedata.normalize("NFKC", compared_character(char)).casefold()
        self[code] = kept = folded if len(folded) == 1 else char
        return kept


_FOLDS = _Folds()


@lru_cache(maxsize=2_048)  # a turn folds every piece of its evidence several times
def fold(text: str) -> str:
    """Return a text for comparison, of the same length: width, case and script are folded, character by character."""
    return text.translate(_FOLDS)


@dataclass(frozen=True, slots=True, eq=False)
class NameTable:
    """The visible spellings of a library, indexed for search; tables compare by identity."""

    spellings: dict[str, tuple[Name, ...]]
    index: Spellings
    entities: dict[str, tuple[Name, ...]]

    @classmethod
    def build(cls, names: Iterable[Name]) -> "NameTable":
        spellings: dict[str, list[Name]] = {}
        entities: dict[str, list[Name]] = {}
        for name in names:
            spellings.setdefault(fold(name.text), []).append(name)
            entities.setdefault(name.entity, []).append(name)
        ordered = {s: tuple(sorted(n, key=lambda x: (-x.mentions, x.entity))) for s, n in spellings.items()}
        return cls(
            spellings=ordered,
            index=Spellings.compile(spellings),
            entities={entity: tuple(found) for entity, found in entities.items()},
        )

    def find(self, text: str) -> list[NameMention]:
        """Return the longest spellings in a text, left to right, without overlap.

        A full or frequent name that begins within an alias of another entity is found too: 孙翊 in 弟孙翊.
        """
        folded, mentions = fold(text), list[NameMention]()
        found = self.index.longest(folded)
        while (span := next(found, None)) is not None:
            start, end = self._full_name(folded, *span) or span
            mentions.append(NameMention(start, end, text[start:end], self.spellings[folded[start:end]]))
            if (start, end) != span:
                found = self.index.longest(folded, end)
        return mentions

    def _full_name(self, text: str, start: int, end: int) -> tuple[int, int] | None:
        """Return the start of a full name that begins within an alias and ends after it, None without one.

        Within a full name it must be far more frequent: 黄盖 in 战中黄盖, where 中黄 is a name too.
        """
        is_full = self._is_full(text[start:end])
        often = OUTWEIGHING * max(1, self.spellings[text[start:end]][0].mentions)
        for at in range(start + 1, end):
            for size in self.index.lengths.get(text[at], ()):
                if at + size > end and self.index.matches_at(text, at, at + size):
                    spelling = text[at : at + size]
                    if (not is_full and self._is_full(spelling)) or self.spellings[spelling][0].mentions >= often:
                        return at, at + size
        return None

    def _is_full(self, spelling: str) -> bool:
        return any(fold(name.entity) == spelling for name in self.spellings[spelling])

    def kind(self, entity: str) -> str | None:
        names = self.entities.get(entity)
        return names[0].kind if names else None

    def description(self, entity: str) -> str:
        return next((name.description for name in self.entities.get(entity, ()) if name.description), "")

    def aliases(self, entity: str) -> list[str]:
        return sorted((n.text for n in self.entities.get(entity, ())), key=lambda text: (text != entity, text))

    def mentions(self, entity: str) -> int:
        return max((n.mentions for n in self.entities.get(entity, ())), default=0)


@dataclass(slots=True)
class EntityLinker:
    """Name tables of a graph, cached by library and horizon until the names change."""

    graph: StoryGraph
    _tables: dict[tuple[str, Horizon | None], tuple[list[Name], NameTable]] = field(default_factory=dict)

    async def table(self, library: str, horizon: Horizon | None) -> NameTable:
        """Return the visible names of a library; none for '', the library of a run without a story."""
        if not library:
            return NameTable.build(())
        names = await self.graph.names(library, horizon)
        kept = self._tables.get((library, horizon))
        if kept is None or kept[0] is not names:
            kept = (names, NameTable.build(names))
            if len(self._tables) > 64:  # horizons are few, but unbounded
                self._tables.clear()
            self._tables[library, horizon] = kept
        return kept[1]


ECHO_CHARACTERS = 100
SHOWN_CANDIDATES = 20
CACHED_INDEXES = 8


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

    async def resolve(self, text: str, scope: "Scope") -> ResolvedName:
        """Return the canonical name of `text`. Raises ArgumentError if several entities share the alias."""
        names = (await self._by_spelling(scope)).get(spelling_key(text), [])
        canonical = [name.entity for name in names if name.text == name.entity]
        found = list(dict.fromkeys(canonical or [name.entity for name in names])) or [text]
        if len(found) > 1 and text not in found:
            raise ArgumentError(say("story.ambiguous_name", name=echo(text), names=Names(found[:SHOWN_CANDIDATES])))
        return ResolvedName(text, text if text in found else found[0])

    async def resolve_all(self, texts: Sequence[str], scope: "Scope") -> list[ResolvedName]:
        resolved = [await self.resolve(text, scope) for text in texts]
        return list({one.name: one for one in resolved}.values())

    async def _by_spelling(self, scope: "Scope") -> Mapping[str, list[Name]]:
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
    return say("story.resolved_names", pairs=pairs) if pairs else ""
