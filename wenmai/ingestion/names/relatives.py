"""Relatives that a story calls by a word of kinship as by a name: 外婆, 二舅, 我妈, Grandmother.

In a story in the first person they are the narrator's; one told from outside may call an old person so throughout.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from tools.language import HAN
from wenmai.ingestion.names.spans import Place
from wenmai.language.narration import is_first_person, narrated
from wenmai.language.relatives import CHINESE_WORD, CLAIMED, ELDERS, ENGLISH_WORD, MY_ENGLISH, RELATIVES, relative_word

LEAST_OWN, LEAST_OWN_OUTSIDE = 2, 6
"""Places where a word stands as a name, in a story in the first person and in one that is told from outside."""
LEAST_SHARE = 0.6
"""Share of them among the places where the narrator says the word."""
_MINE = re.compile(r"(?:我|咱|俺)(?:们?家?的?)$")
_OTHERS = re.compile(r"[的他她它您你谁其老小大阿个位名群当做像两几各一二三四五六七八九十·]$|(?:[他她你人]们|人)家$")
_GOES_ON = "们辈家俩侄且兄弟姐妹娘妈爸爹丈子夫"
"""What makes another word of a word of kinship, or two people."""
_DETERMINED = re.compile(
    r"(?:\b(?:the|an?|my|his|her|their|your|our|its|this|that|every|no|some|any|old|poor|dear|holy)|['’]s|s['’])\s+$",
    re.IGNORECASE,
)
_REACH = 12


@dataclass(slots=True)
class Relatives:
    """Words of kinship that are names.

    Attributes:
        places: where each stands as one.
        every: how often the narrator says each at all.
        claimed: those before which "my" stands somewhere.
    """

    places: dict[str, list[Place]] = field(default_factory=lambda: defaultdict(list))
    every: Counter[str] = field(default_factory=Counter)
    claimed: set[str] = field(default_factory=set)

    def pairs(self) -> Iterator[tuple[str, str]]:
        """Yield pairs of words that mean one relative."""
        first: dict[str, str] = {}
        for surface in self.places:
            yield first.setdefault(group_of(surface), surface), surface

    def keep(self, least: int) -> None:
        """Forget the words that seldom stand as names."""
        groups = Counter[str]()
        for surface, places in self.places.items():
            groups[group_of(surface)] += len(places)
        for surface, places in list(self.places.items()):
            word = relative_word(surface)
            is_doubtful = word in CLAIMED and word not in self.claimed
            if is_doubtful or groups[group_of(surface)] < least or len(places) < LEAST_SHARE * self.every[surface]:
                del self.places[surface]


def relatives_of(texts: Sequence[str], ends: Collection[Place]) -> Relatives:
    """Find the relatives of a story; `ends` are the places where other names end, whose relatives are others."""
    is_first, found = is_first_person(texts), Relatives()
    for chapter, text in enumerate(texts):
        told = narrated(text)
        if HAN.search(text):
            _find_chinese(told, chapter, ends, found, is_first=is_first)
        else:
            _find_english(told, chapter, found)
    found.keep(LEAST_OWN if is_first else LEAST_OWN_OUTSIDE)
    if is_first and any(surface.isascii() for surface in found.places):
        _add_mine(texts, found)
    return found


def group_of(surface: str) -> str:
    """Return the word that stands for a relative: 妈妈 for 我妈."""
    return RELATIVES[relative_word(surface)][0]


def _find_chinese(told: str, chapter: int, ends: Collection[Place], found: Relatives, *, is_first: bool) -> None:
    for match in CHINESE_WORD.finditer(told):
        word, start = match[0], match.start()
        before = told[max(0, start - len("我们家的")) : start]
        mine = _MINE.search(before) if is_first else None
        if not (is_first or word in ELDERS) or (len(word) == 1 and not (mine and len(mine[0]) == 1)):
            continue
        surface, at = (word, start) if len(word) > 1 else (before[-1] + word, start - 1)
        found.every[surface] += 1
        if told[match.end() : match.end() + 1] in tuple(_GOES_ON):
            continue
        if mine:
            found.claimed.add(word)
        if mine or not (_OTHERS.search(before) or Place(chapter, start) in ends):
            found.places[surface].append(Place(chapter, at))


def _find_english(told: str, chapter: int, found: Relatives) -> None:
    for match in ENGLISH_WORD.finditer(told):
        found.every[match[0]] += 1
        if not _DETERMINED.search(told, max(0, match.start() - _REACH), match.start()):
            found.places[match[0]].append(Place(chapter, match.start()))


def _add_mine(texts: Sequence[str], found: Relatives) -> None:
    """Add "my grandmother" where Grandmother is a name."""
    groups = {group_of(surface) for surface in found.places}
    for chapter, text in enumerate(texts):
        for match in MY_ENGLISH.finditer(narrated(text)):
            if RELATIVES[match[1].capitalize()][0] in groups:
                found.places[" ".join(match[0].split())].append(Place(chapter, match.start()))
