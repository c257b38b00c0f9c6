"""Entities that the names in a text stand for: longest match, ambiguity, doubtful aliases, bare given names.

The rules, in order:
1. A canonical name (without its qualifier) or an alias of one entity stands for that entity.
2. An alias of several entities stands for the one that the source supports: by spellings of its own, or by its
   qualifier (陈平[青州]) named close by. It needs nearly all of the support (`DOMINANT_SHARE`). Else the chapter
   decides, if it names exactly one of them without doubt. Else the alias stays ambiguous and tags nothing.
3. A dictionary most of whose names the text never mentions was not made for this text. Its doubtful aliases (a name
   without its first character, a word of the segmenter's dictionary that is no person's name, a bare surname) count
   only in chapters that name the entity without doubt.
4. A bare given name (川曰, 川大怒) stands for the entity of that surname and name that the chapter named last; only
   where it speaks, acts or is acted upon.
5. Surname and name that stand apart (姓沈，名川) stand for the one entity of that full name.
6. A spelling that mostly stands across the border of a word (子明 in 孩子明天) names no entity where it does.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tools.language import HAN
from tools.story.linking import DOMINANT_SHARE
from tools.story.spellings import Spellings
from wenmai.ingestion.names.given_names import given_names
from wenmai.ingestion.names.mentions import Mention
from wenmai.ingestion.names.word_boundaries import boundary_crossing, crossings
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import APART, COMPOUND_SURNAMES, POWER_AFTER, POWER_BEFORE, surname
from wenmai.language.segmenting import segmenter, tag_of

FOREIGN_SHARE = 0.5
"""A dictionary with a smaller share of its names in the text was not made for it."""
QUALIFIER_REACH = 200


@dataclass
class Namer:
    """The names of a source, compiled against its whole text."""

    entries: dict[str, KnownName]
    candidates: dict[str, tuple[str, ...]]
    doubtful: frozenset[str]
    spellings: Spellings
    names: Spellings
    boundary_crossing: Spellings
    preferred: dict[str, str] = field(default_factory=dict)
    refuted: frozenset[str] = frozenset()
    uses: Mapping[str, Mapping[str, frozenset[int]]] = field(default_factory=dict)

    @classmethod
    def build(
        cls,
        known: Iterable[KnownName],
        texts: Sequence[str],
        own: Iterable[str] = (),
        uses: Mapping[str, Mapping[int, frozenset[int]]] | None = None,
    ) -> "Namer":
        """Compile names for the chapters of a source; `own` were found in this very text, `uses` are a bundle's."""
        entries = {entry.name: entry for entry in known}
        present = _present(entries.values(), texts)
        candidates = _candidates(entries, present)
        spellings = Spellings.compile(candidates)
        names = Spellings.compile(entry.base for entry in entries.values())
        namer = cls(
            entries=entries,
            candidates=candidates,
            doubtful=_doubtful(entries, candidates, present, frozenset(own)),
            spellings=spellings,
            boundary_crossing=boundary_crossing(spellings, names, texts),
            names=names,
            uses={word: {texts[at]: starts for at, starts in places.items()} for word, places in (uses or {}).items()},
        )
        namer.preferred = _preferred(namer, texts)
        namer.refuted = _refuted(namer, texts)
        return namer

    def mentions(self, text: str) -> list[Mention]:
        """Return the mentions of a chapter, in order, without overlap."""
        spans = [(s, e, text[s:e]) for s, e in self.spans(text)]
        sure = [m for s, e, word in spans if (m := self._sure(text, s, e, word))]
        named = {mention.entity for mention in sure}
        taken = {mention.start for mention in sure}
        decided = [m for s, e, word in spans if s not in taken and (m := self._by_chapter(s, e, word, named))]
        found = sorted([*sure, *decided, *self._introduced(text)], key=lambda mention: mention.start)
        return sorted([*found, *given_names(text, found, self.entries)], key=lambda mention: mention.start)

    def spans(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield where names are spelled, without overlap; a piece of another word spells none."""
        pieces = frozenset(
            span for span in crossings(self.boundary_crossing, self.names, text) if not self._in_full(text, *span)
        )
        for start, end in self.spellings.longest(text, barred=pieces):
            places = self.uses.get(text[start:end])
            if places is None or start in places.get(text, ()):
                yield start, end

    def _in_full(self, text: str, start: int, end: int) -> bool:
        """Return True if a spelling follows the surname of its person: 沈伯舟 for 沈川."""
        families = {surname(self.entries[name].base) for name in self.candidates[text[start:end]]}
        return any(family and text.endswith(family, 0, start) for family in families)

    def _introduced(self, text: str) -> list[Mention]:
        """Return people introduced by surname and name apart (姓沈，名川), at the place of the name."""
        spans = [(match, self.candidates.get(match[1] + match[2], ())) for match in APART.finditer(text)]
        return [Mention(match.start(2), match.end(2), who[0], sure=False) for match, who in spans if len(who) == 1]

    def kind(self, entity: str) -> str:
        """Return an entity's kind."""
        return self.entries[entity].kind if entity in self.entries else "Character"

    def described(self, entity: str) -> KnownName:
        """Return an entity without the aliases that proved false: a question may not be misled by them either."""
        entry = self.entries[entity]
        return replace(entry, aliases=tuple(alias for alias in entry.aliases if alias not in self.refuted))

    def canonical(self, name: str) -> str:
        """Return the entity that a name stands for by itself; an unknown or shared one is used as given."""
        if name in self.entries:
            return name
        names = self.candidates.get(name, ())
        return names[0] if len(names) == 1 else self.preferred.get(name, name)

    def speaks(self, name: str) -> bool:
        """Return True if a script line's unknown name may be taken as a speaker: it stands for no other entity."""
        return name not in self.candidates

    def homonyms(self, text: str) -> set[str]:
        """Return the entities whose very name stands in a text although nothing decides which one is meant."""
        if not any(word in text for word in self._shared_names):
            return set()
        words = self._shared_names.intersection(text[start:end] for start, end in self.spans(text))
        return {name for word in words for name in self.candidates[word] if self.entries[name].base == word}

    @cached_property
    def _shared_names(self) -> frozenset[str]:
        """The canonical spellings that several entities share and that nothing decides."""
        return frozenset(
            word
            for word, names in self.candidates.items()
            if len(names) > 1 and word not in self.preferred and any(self.entries[name].base == word for name in names)
        )

    def _sure(self, text: str, start: int, end: int, word: str) -> Mention | None:
        if word in self.doubtful or (len(word) == 1 and not _power(text, start, end)):
            return None
        names = self.candidates[word]
        entity = names[0] if len(names) == 1 else self.preferred.get(word)
        return Mention(start, end, entity) if entity else None

    def _by_chapter(self, start: int, end: int, word: str, named: set[str]) -> Mention | None:
        """Decide a shared or doubtful spelling by the names that the chapter names without doubt."""
        if len(word) == 1:
            return None
        present = [name for name in self.candidates[word] if name in named]
        return Mention(start, end, present[0], sure=False) if len(present) == 1 else None


def _power(text: str, start: int, end: int) -> bool:
    """Return True if a single character stands where the name of a power stands: 伐燕, 燕兵."""
    return text[start - 1 : start] in POWER_BEFORE or text[end : end + 1] in POWER_AFTER


def _present(entries: Collection[KnownName], texts: Sequence[str]) -> set[str]:
    """Return the entities that a text names in full."""
    bases = Spellings.compile(entry.base for entry in entries)
    seen = {text[start:end] for text in texts for start, end in bases.every(text)}
    return {entry.name for entry in entries if entry.base in seen}


def _candidates(entries: dict[str, KnownName], present: set[str]) -> dict[str, tuple[str, ...]]:
    """Map each spelling to what it may mean; who is named in full somewhere puts aside who never is."""
    found: dict[str, list[str]] = {}
    for entry in entries.values():
        for spelling in dict.fromkeys((entry.base, *entry.aliases)):
            found.setdefault(spelling, []).append(entry.name)
    return {
        spelling: tuple(name for name in names if name in present) or tuple(names) for spelling, names in found.items()
    }


def _doubtful(
    entries: dict[str, KnownName], candidates: dict[str, tuple[str, ...]], present: set[str], own: frozenset[str]
) -> frozenset[str]:
    """Return the aliases that need a name beside them (rule 3)."""
    given = set(entries) - own
    if not given or len(given & present) >= FOREIGN_SHARE * len(given):
        return frozenset()
    return frozenset(
        word
        for word, names in candidates.items()
        if not own.intersection(names)
        and all(entries[name].base != word for name in names)
        and _risky(word, entries, names)
    )


def _risky(word: str, entries: dict[str, KnownName], names: Sequence[str]) -> bool:
    if word in COMPOUND_SURNAMES or any(entries[name].base[1:] == word for name in names):
        return True
    if len(word) > 2 or not HAN.match(word) or any(entries[name].kind != "Character" for name in names):
        return False
    titled = any(surname(entries[name].base) == word[0] for name in names)
    return not titled and segmenter().has_word(word) and not tag_of(word).startswith("nr")


def _preferred(namer: Namer, texts: Sequence[str]) -> dict[str, str]:
    """Decide shared spellings that nearly always mean one entity (rule 2)."""
    support: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    beside: dict[str, Counter[str]] = {}
    for text in texts:
        for start, end in namer.spans(text):
            word = text[start:end]
            names = namer.candidates[word]
            if len(names) == 1:
                support[names[0]] += word not in namer.doubtful
                continue
            shared[word] += 1
            around = text[max(0, start - QUALIFIER_REACH) : end + QUALIFIER_REACH]
            for name in names:
                qualifier = namer.entries[name].qualifier
                if len(qualifier) > 1 and qualifier in around:
                    beside.setdefault(word, Counter())[name] += 1
    return {
        word: best
        for word in shared
        if (best := _dominant(namer.candidates[word], support) or _dominant(namer.candidates[word], beside.get(word)))
    }


def _refuted(namer: Namer, texts: Sequence[str]) -> frozenset[str]:
    """Return the doubtful aliases that mostly stand where no entity is meant."""
    if not namer.doubtful:
        return frozenset()
    seen: Counter[str] = Counter()
    meant: Counter[str] = Counter()
    for text in texts:
        seen.update(text[s:e] for s, e in namer.spans(text))
        meant.update(text[m.start : m.end] for m in namer.mentions(text))
    return frozenset(word for word in namer.doubtful if not meant[word] or 2 * meant[word] < seen[word])


def _dominant(names: Sequence[str], support: Counter[str] | None) -> str | None:
    support = support or Counter()
    total = sum(support.get(name, 0) for name in names)
    best = max(names, key=lambda name: support.get(name, 0))
    return best if total and support.get(best, 0) >= DOMINANT_SHARE * total else None
