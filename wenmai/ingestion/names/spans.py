"""The names that a tagger sees in the chapters, put right: without marks at their ends, with the whole of a title."""

import asyncio
import os
import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from statistics import fmean
from typing import Protocol

from tools.language import HAN
from tools.story.names import Spellings
from wenmai.background import low_priority_threads
from wenmai.language.lexicon import COMPOUND_SURNAMES, is_surname
from wenmai.language.titles import CHINESE_PREFIXES, CHINESE_TITLES, KIN, LONGEST_TITLE, RELATIONS, without_title
from wenmai.reader.layout import NameKind, TaggedSpan

BLOCK = 4000  # characters of a block, which ends with the line that they end in
MOST_THREADS = 8
TagProgress = Callable[[int, int], None]  # receives how many characters are read, and how many there are


class NameTagger(Protocol):
    """Finds names in a text; several threads may ask it at once."""

    @property
    def name(self) -> str:
        """What tells this tagger from others: another one reads the texts anew."""
        ...

    def names(self, text: str) -> Sequence[TaggedSpan]:
        """Return the names of a text, in order; `kind` is a `NameKind`."""
        ...


async def tag_all(
    texts: Sequence[str], tagger: NameTagger, progress: TagProgress | None = None
) -> list[list[TaggedSpan]]:
    """Return the names of each text, in order; texts are read in blocks, in which no line is cut."""
    turns = asyncio.Semaphore(min(os.cpu_count() or 1, MOST_THREADS))
    total, read = sum(len(text) for text in texts), 0

    async def tag(text: str, start: int, end: int) -> list[TaggedSpan]:
        nonlocal read
        async with turns:
            tags = await asyncio.get_running_loop().run_in_executor(
                low_priority_threads(), tagger.names, text[start:end]
            )
        read += end - start
        if progress:
            progress(read, total)
        return [replace(tag, start=start + tag.start, end=start + tag.end) for tag in tags]

    async def tag_text(text: str) -> list[TaggedSpan]:
        bounds = [0]
        while bounds[-1] < len(text):
            line = text.find("\n", bounds[-1] + BLOCK)
            bounds.append(len(text) if line < 0 else line + 1)
        found = await asyncio.gather(*(tag(text, *span) for span in pairwise(bounds)))
        return list(chain.from_iterable(found))

    return await asyncio.gather(*map(tag_text, texts))


NOISE = 0.1  # share of a name's places below which the name with a character more is the same one, badly cut
LEAST_WHOLE = 3
PARTICLES, LEAST_BEFORE_PARTICLE = "的了着", 2  # what no name of more than so many characters ends with
RARE = 3
LEAST_SURE, LEAST_SURE_ONCE = 0.7, 0.9  # mean probability of the tags of a name, and the best one of a rare person
LEAST_COVER = 2
_EDGES = "“”‘’\"'「」『』《》〈〉（）()[]【】，。、；：！？,.;:!?*_ \u3000\n—-…·~"
_POSSESSIVE = re.compile(r"(?<=\w)[’']s?$")
_HANGUL = re.compile(r"[가-힣]")
_PARTICLE = re.compile(
    r"(?:(?<=[一-鿿々ァ-ヺー])(?:から|まで|[はがをにへとのでもや])"
    r"|(?<=[가-힣]{2})(?:에게서?|에서|으로|까지|부터|께서|이라고|[은는이가을를의에와과도로]))$"
)
_LOWER_TAIL = re.compile(r"(?: [a-z]+)+$")
_OWNED = re.compile(r"[’']s ([A-Z][a-z][\w-]*)")
OWNED_SHARE = 0.5  # of the uses of a name, if it is a part of another name
_PLACE_WORD = re.compile("[村镇鎮县縣市岛島港州]")
PLACED = ("在", "到", "往", "离", "離")  # what stands before a place
_ORIGIN = re.compile(r"(?<=[a-z]) (?:of|von|van|de|di) [A-Z][\w-]+")
_BEGIN = re.compile(r"^\*\*\* ?START OF .*GUTENBERG.*$", re.MULTILINE)
_END = re.compile(r"^\*\*\* ?END OF .*GUTENBERG", re.MULTILINE)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a name stands: the chapter and the offset in it."""

    chapter: int
    start: int


@dataclass(slots=True)
class Surfaces:
    """The names of a text as they stand in it, line breaks apart.

    Attributes:
        places: where each stands, in order.
        kinds: how often each was tagged as what.
        broken: the spellings of those that stand across the end of a line.
        sure: the probability of each tag.
    """

    places: dict[str, list[Place]]
    kinds: dict[str, Counter[int]]
    broken: dict[str, set[str]]
    sure: dict[str, list[float]]

    def count(self, surface: str) -> int:
        """Return how often a name was tagged."""
        return len(self.places.get(surface, ()))

    def is_person(self, surface: str) -> bool:
        """Return True unless most tags say that a name is something else."""
        return surface not in self.kinds or self.kind(surface) == NameKind.PERSON

    def add_person(self, surface: str, places: Iterable[Place]) -> None:
        self.places[surface] = sorted({*self.places.get(surface, ()), *places})
        self.kinds[surface][NameKind.PERSON] += len(self.places[surface])
        self.sure[surface].append(1.0)

    def is_sure(self, surface: str) -> bool:
        """Return True if a name was tagged with few doubts; a rare person must stand in one place without any."""
        rare = self.kind(surface) == NameKind.PERSON and self.count(surface) <= RARE
        return fmean(self.sure[surface]) >= LEAST_SURE and (not rare or max(self.sure[surface]) >= LEAST_SURE_ONCE)

    def kind(self, surface: str) -> int:
        """Return what a name was tagged as most often."""
        return self.kinds[surface].most_common(1)[0][0]


def surfaces_of(texts: Sequence[str], tagged: Sequence[Sequence[TaggedSpan]]) -> Surfaces:
    found = Surfaces(defaultdict(list), defaultdict(Counter), defaultdict(set), defaultdict(list))
    for chapter, (begin, end) in enumerate(_story(texts)):
        text, stop = texts[chapter], begin
        for tag in tagged[chapter]:
            if tag.start < stop or tag.end > end:
                continue
            start, stop = _bounds(text, tag)
            raw = text[start:stop]
            surface = " ".join(raw.split())
            if len(surface) < 2 or (raw.isascii() and raw.islower()):
                continue
            found.places[surface].append(Place(chapter, start))
            found.kinds[surface][tag.kind] += 1
            found.sure[surface].append(tag.probability)
            if surface != raw:
                found.broken[surface].add(raw)
    _fold(found)
    _cover(found, texts)
    _drop_parts(found, texts)
    for surface in found.places:
        if found.kind(surface) == NameKind.PERSON and _is_village(surface, found, texts):
            found.kinds[surface][NameKind.PLACE] += found.count(surface) + 1
    return found


def _story(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the part of each chapter that lies between the notices of Project Gutenberg, where there are any."""
    opens = [(at, match.end()) for at, text in enumerate(texts) if (match := _BEGIN.search(text))]
    closes = [(at, match.start()) for at, text in enumerate(texts) if (match := _END.search(text))]
    first, begin = opens[0] if opens else (0, 0)
    last, end = closes[-1] if closes else (len(texts), 0)
    for at, text in enumerate(texts):
        yield (
            (begin if at == first else 0 if at > first else len(text)),
            (end if at == last else len(text) if at < last else 0),
        )


def _bounds(text: str, tag: TaggedSpan) -> tuple[int, int]:
    """Return the bounds of a name without marks around it, with the title of a Chinese surname."""
    raw = text[tag.start : tag.end]
    start = tag.start + len(raw) - len(raw.lstrip(_EDGES))
    end = max(start, tag.end - len(raw) + len(raw.rstrip(_EDGES)))
    if possessive := _POSSESSIVE.search(text, start, end):
        end = possessive.start()
    while end - start > LEAST_BEFORE_PARTICLE and text[end - 1] in PARTICLES:
        end -= 1
    end = _without_particle(text, start, end)
    if tag.kind == NameKind.PERSON:
        origin = None if " " in text[start:end] else _ORIGIN.match(text, end)
        end = origin.end() if origin else _title_end(text, start, end)
    return start, end


def _without_particle(text: str, start: int, end: int) -> int:
    """Return the end of a Japanese or Korean name before its particle; a Korean one stands without it elsewhere."""
    match = _PARTICLE.search(text, start, end)
    if match is None or match.start() == start:
        return end
    name = text[start : match.start()]
    if not _HANGUL.search(name):
        return match.start()
    return match.start() if text.count(name) > text.count(text[start:end]) else end


def _title_end(text: str, start: int, end: int) -> int:
    """Return the end of the title behind a surname, which a tag may cut: 陆员|外, 周|先生."""
    family = 2 if text[start : start + 2] in COMPOUND_SURNAMES else 1
    if not is_surname(text[start : start + family]):
        return end
    title = start + family
    for length in range(LONGEST_TITLE, 0, -1):
        word = text[title : title + length]
        if word in CHINESE_TITLES and word not in KIN and title <= end < title + length:
            return title + length
    return end


def _fold(found: Surfaces) -> None:
    """Give the places of a badly cut name to the name: 林小满才, 向林小满, Peter mingled."""
    for surface in sorted(found.places, key=len, reverse=True):
        if tail := _LOWER_TAIL.search(surface):
            shorter = [surface[: tail.start()]]
        elif HAN.match(surface) and len(surface) > 2:
            shorter = [surface[:-1], *([surface[1:]] if surface[0] not in CHINESE_PREFIXES else [])]
            shorter += [surface[:-2]] if len(surface) > 3 else []
        else:
            continue
        if whole := next((one for one in shorter if _is_noise(found, surface, one)), None):
            shift = surface.index(whole)
            moved = (Place(place.chapter, place.start + shift) for place in found.places.pop(surface))
            found.places[whole] = sorted([*found.places[whole], *moved])
            found.kinds[whole] += found.kinds.pop(surface)


def _drop_parts(found: Surfaces, texts: Sequence[str]) -> None:
    """Take the places out at which a name is the owner in a name of something else: Jacob’s Ladder."""
    for surface, places in list(found.places.items()):
        owned = {place: match[1] for place in places if (match := _owned(surface, place, texts))}
        word, count = Counter(owned.values()).most_common(1)[0] if owned else ("", 0)
        if count >= LEAST_WHOLE and count >= OWNED_SHARE * len(places):
            found.places[surface] = [place for place in places if owned.get(place) != word]
            if not found.places[surface]:
                del found.places[surface]


def _owned(surface: str, place: Place, texts: Sequence[str]) -> re.Match[str] | None:
    return _OWNED.match(texts[place.chapter], place.start + len(surface))


def _is_village(surface: str, found: Surfaces, texts: Sequence[str]) -> bool:
    """Return True for a Chinese name that stands mostly where places do, once before the word for one: 某某村."""
    if not HAN.match(surface):
        return False
    ends = [(texts[place.chapter], place.start, place.start + len(surface)) for place in found.places[surface]]
    named = sum(bool(_PLACE_WORD.match(text, end)) for text, _, end in ends)
    inside = sum(text[max(0, start - 1) : start] in PLACED for text, start, _ in ends)
    return len(ends) > 1 and named > 0 and named + inside >= len(ends) / 2


def _is_noise(found: Surfaces, surface: str, whole: str) -> bool:
    count, most = found.count(surface), found.count(whole)
    rest = surface[len(whole) :] if surface.startswith(whole) else ""
    if most < LEAST_WHOLE or count > max(1, NOISE * most) or rest in RELATIONS:
        return False
    return not rest or without_title(surface)[0] == surface


def _cover(found: Surfaces, texts: Sequence[str]) -> None:
    """Give the places of a name that stand inside a longer one to that: 沈千|山, 林|小满."""
    spellings = Spellings.compile(surface for surface in found.places if found.count(surface) >= LEAST_COVER)
    spans = [list(spellings.longest(text)) for text in texts]
    for surface in sorted(found.places, key=len):
        kept = []
        for place in found.places.pop(surface):
            near = spans[place.chapter]
            before = bisect_right(near, place.start, key=lambda span: span[0]) - 1
            start, end = near[before] if before >= 0 else (0, 0)
            whole = " ".join(texts[place.chapter][start:end].split())
            if start <= place.start and end >= place.start + len(surface) and len(whole) > len(surface):
                found.places[whole].append(Place(place.chapter, start))
            else:
                kept.append(place)
        if kept:
            found.places[surface] = kept
    for surface, places in found.places.items():
        found.places[surface] = sorted(set(places))
