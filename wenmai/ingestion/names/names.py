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

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from tools.language import HAN
from tools.story.names import DOMINANT_SHARE, Spellings
from wenmai.ingestion.sources.aliases import KnownName
from wenmai.language.lexicon import (
    ADDRESSEE_BEFORE,
    AGENT_NEXT,
    APART,
    CLAUSE_START,
    COMPOUND_SURNAMES,
    OBJECT_BEFORE,
    POWER_AFTER,
    POWER_BEFORE,
    SPEECH_AFTER,
    given_character,
    surname,
)
from wenmai.language.segmenting import segmenter, tag_of


@dataclass(frozen=True, slots=True)
class TextMention:
    """An entity at `[start:end]` of a chapter; `sure` mentions may decide for others."""

    start: int
    end: int
    entity: str
    sure: bool = True


def speakers(text: str, mentions: Sequence[TextMention]) -> list[TextMention]:
    """Return the mentions that speak a quotation right after: 沈川曰：“, 小满笑道：“; not 谓沈川曰."""
    return [
        mention
        for mention in mentions
        if SPEECH_AFTER.match(text, mention.end)
        and not ADDRESSEE_BEFORE.search(text, max(0, mention.start - 1), mention.start)
    ]


def within(mentions: Sequence[TextMention], start: int, end: int) -> Sequence[TextMention]:
    """Return the mentions that begin in `[start:end]`, out of an ordered list."""
    first = bisect_left(mentions, start, key=lambda mention: mention.start)
    return mentions[first : bisect_left(mentions, end, lo=first, key=lambda mention: mention.start)]


MOSTLY = 0.5
"""A spelling that cuts words at a greater share of its places does so by nature; of others the segmenter may err."""
OFTEN = 3  # a full name is given for a person: it takes this many cuts to doubt it, an alias but one
LONGEST_BEFORE = 3
_CLAUSE = re.compile(r"[\u3400-\u9fff]+")
_PAIR = re.compile(r"[\u3400-\u9fff]{2}")


class _Word(NamedTuple):
    """Where a word stands; a name may begin inside what the dictionary takes for a `person`'s."""

    start: int
    end: int
    person: bool = False


def boundary_crossing(spellings: Spellings, names: Spellings, texts: Sequence[str]) -> Spellings:
    """Return the spellings of two characters that mostly stand across the border of a word or of a full name."""
    pairs = Spellings.compile(word for word in spellings.words if _PAIR.fullmatch(word))
    seen: Counter[str] = Counter()
    cut: Counter[str] = Counter()
    for text in texts:
        seen.update(text[start:end] for start, end in pairs.every(text))
        cut.update(text[start:end] for start, end in crossings(pairs, names, text))
    return Spellings.compile(
        word
        for word, times in cut.items()
        if times > MOSTLY * seen[word] and (times >= OFTEN or word not in names.words)
    )


def crossings(spellings: Spellings, names: Spellings, text: str) -> Iterator[tuple[int, int]]:
    """Yield where a spelling takes a piece of a word, or of one of the full `names`, beside it or around it."""
    for clause in _CLAUSE.finditer(text):
        spans = list(spellings.every(clause[0]))
        words = [*_words(clause[0]), *(_Word(*full) for full in names.every(clause[0]))] if spans else []
        for start, end in spans:
            if clause[0][start - 1 : start] != "字" and any(_is_cut(clause[0], start, end, word) for word in words):
                yield clause.start() + start, clause.start() + end


def _words(clause: str) -> Iterator[_Word]:
    """Yield where the words that bear on names stand in a clause.

    Words of three characters that the dictionary calls a person's name are left out: many are pieces of text.
    """
    at = 0
    for word, tag in segmenter().tag(clause, False):
        person = tag.startswith("nr")
        if len(word) != 3 or not person:
            yield _Word(at, at + len(word), person)
        at += len(word)


def _is_cut(clause: str, start: int, end: int, word: _Word) -> bool:
    """Return True if a name at `[start:end]` leaves a piece of a word.

    No piece is left where the segmenter took the end of a title for the beginning of a word (相国王川: not 国王, for
    相国 is a word), and where a word only goes on behind the name (青石 in 青石板).
    """
    if word.start < start < word.end:
        befores = range(max(0, word.start - LONGEST_BEFORE), word.start)
        ends_another = any(segmenter().has_word(clause[at:start]) for at in befores)
        return not word.person and (end <= word.end or not ends_another)
    return start < word.start < end < word.end


GIVEN_REACH = 3000  # characters after which a bare given name no longer refers to the full name before it


def given_names(text: str, found: Sequence[TextMention], entries: Mapping[str, KnownName]) -> list[TextMention]:
    """Find bare given names of the people that the chapter has named (rule 4)."""
    holders: dict[str, list[tuple[int, str]]] = {}
    covered = bytearray(len(text))
    for mention in found:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
        char = given_character(entries[mention.entity].base)
        if char and entries[mention.entity].kind == "Character":
            holders.setdefault(char, []).append((mention.end, mention.entity))
    given: list[TextMention] = []
    for char, named in holders.items():
        for at in (match.start() for match in re.finditer(re.escape(char), text)):
            last = bisect_right(named, at, key=lambda row: row[0]) - 1
            is_near = last >= 0 and at - named[last][0] <= GIVEN_REACH
            if is_near and not covered[at] and acts(text, at):
                given.append(TextMention(at, at + 1, named[last][1], sure=False))
    return given


def acts(text: str, at: int) -> bool:
    """Return True if the single character at `at` stands where a bare given name speaks, acts or is acted upon."""
    has_word, before = segmenter().has_word, text[at - 1] if at else "\n"
    after = text[at + 1] if at + 1 < len(text) else "\n"
    if after == "曰":
        return before in CLAUSE_START or before in OBJECT_BEFORE or not has_word(before + text[at])
    if has_word(text[at] + after) or has_word(before + text[at]):
        return False
    if before in CLAUSE_START:
        return after in AGENT_NEXT
    return before in OBJECT_BEFORE and (after in CLAUSE_START or after in AGENT_NEXT or after in "于\u65bc")


FOREIGN_SHARE = 0.5  # a dictionary with a smaller share of its names in the text was not made for it
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
        names = Spellings.compile(entry.base for entry in entries.values())
        seen = {text[start:end] for text in texts for start, end in names.every(text)}
        present = {entry.name for entry in entries.values() if entry.base in seen}
        candidates = _candidates(entries, present)
        spellings = Spellings.compile(candidates)
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

    def mentions(self, text: str) -> list[TextMention]:
        spans = [(s, e, text[s:e]) for s, e in self.spans(text)]
        sure = [m for s, e, word in spans if (m := self._sure(text, s, e, word))]
        named = {mention.entity for mention in sure}
        taken = {mention.start for mention in sure}
        decided = [m for s, e, word in spans if s not in taken and (m := self._by_chapter(s, e, word, named))]
        apart = [(match, self.candidates.get(match[1] + match[2], ())) for match in APART.finditer(text)]
        introduced = [TextMention(m.start(2), m.end(2), who[0], sure=False) for m, who in apart if len(who) == 1]
        found = sorted([*sure, *decided, *introduced], key=lambda mention: mention.start)
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

    def kind(self, entity: str) -> str:
        return self.entries[entity].kind if entity in self.entries else "Character"

    @property
    def spelled(self) -> list[tuple[str, str]]:
        """Every spelling with its entity."""
        return [(word, one.name) for one in self.entries.values() for word in (one.base, *one.aliases)]

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

    def _sure(self, text: str, start: int, end: int, word: str) -> TextMention | None:
        # A single character must stand where the name of a power stands: 伐燕, 燕兵.
        is_power = text[start - 1 : start] in POWER_BEFORE or text[end : end + 1] in POWER_AFTER
        if word in self.doubtful or (len(word) == 1 and not is_power):
            return None
        names = self.candidates[word]
        entity = names[0] if len(names) == 1 else self.preferred.get(word)
        return TextMention(start, end, entity) if entity else None

    def _by_chapter(self, start: int, end: int, word: str, named: set[str]) -> TextMention | None:
        """Decide a shared or doubtful spelling by the names that the chapter names without doubt."""
        if len(word) == 1:
            return None
        present = [name for name in self.candidates[word] if name in named]
        return TextMention(start, end, present[0], sure=False) if len(present) == 1 else None


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
