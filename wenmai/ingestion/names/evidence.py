"""What the text around names tells: pronouns, titles beside full names, two names in one sentence."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tools.language import HAN
from wenmai.ingestion.names.forms import Form
from wenmai.ingestion.names.spans import Place
from wenmai.language.lexicon import SURNAMES
from wenmai.language.titles import Gender

PRONOUN_REACH = {"zh": 30, "en": 80}
LEAST_TOLD, CLEAR = 3, 3.0
BY_FORM = 6
"""Pronouns that a title or a given name counts for."""
TITLE_REACH = 16
"""Characters behind a name in which its bearer may be called something: 沈千山是个监生."""
FAR = 3000
"""Characters beyond which another name says nothing of who is meant."""
BEHIND = 3
"""How much farther a name behind counts than one before."""
_PRONOUN = re.compile(r"[她他]|\b(?:she|her|hers|he|him|his)\b", re.I)
_FEMALE = re.compile(r"她|she|hers?", re.I)
_QUOTE = re.compile(r"[“”「」\"\n]")
_SEGMENT = re.compile(r"[。！？!?；;…“”「」『』\"\n]|\.\s")
_IS = re.compile(r"(?:，|,)?(?:是|乃|系|做了?|当了?|为)[^，。！？；“”]*|，[^，。！？；“”]{0,12}|")


LONG_TITLES = {"队": "队长", "处": "处长", "局": "局长", "科": "科长", "院": "院长", "导": "导演", "工": "工程师"}


@dataclass(frozen=True)
class Evidence:
    """Chapters with the places of names in them."""

    texts: Sequence[str]
    places: Mapping[str, Sequence[Place]]
    told: dict[str, Counter[str]] = field(default_factory=dict)

    def count(self, surfaces: Iterable[str]) -> int:
        """Return how often names stand in the text."""
        return sum(len(self.places[surface]) for surface in surfaces)

    def gender(self, forms: Iterable[Form]) -> Gender:
        """Return what forms and the first pronouns behind them tell."""
        told: Counter[str] = Counter()
        for form in forms:
            told += self._told(form)
        if told["f"] >= LEAST_TOLD and told["f"] > CLEAR * told["m"]:
            return "f"
        return "m" if told["m"] >= LEAST_TOLD and told["m"] > CLEAR * told["f"] else ""

    def _told(self, form: Form) -> Counter[str]:
        if form.surface not in self.told:
            self.told[form.surface] = Counter(self._pronouns(form.surface))
            if form.gender:
                self.told[form.surface][form.gender] += BY_FORM
        return self.told[form.surface]

    def _pronouns(self, surface: str) -> Iterator[str]:
        reach = PRONOUN_REACH["zh" if HAN.search(surface) else "en"]
        for place in self.places[surface]:
            end = place.start + len(surface)
            after = self.texts[place.chapter][end : end + reach]
            if first := _PRONOUN.search(_QUOTE.split(after, maxsplit=1)[0]):
                yield "f" if _FEMALE.fullmatch(first[0]) else "m"

    def titled(self, name: str, title: str) -> int:
        """Return how often a title stands beside a name: 知县沈千山, 沈千山是个监生."""
        title, count = LONG_TITLES.get(title, title), 0
        for place in self.places[name]:
            text, end = self.texts[place.chapter], place.start + len(name)
            before = text[max(0, place.start - len(title)) : place.start]
            at = text.find(title, end, end + TITLE_REACH)
            count += before == title or (
                at > end and text[at - 1] not in SURNAMES and bool(_IS.fullmatch(text, end, at))
            )
        return count

    def together(self, one: str, other: str) -> int:
        """Return how many pieces of sentences hold both names: they are two people's."""
        shared = self._segments(one).keys() & self._segments(other).keys()
        return len(shared)

    def _segments(self, surface: str) -> Counter[tuple[int, int]]:
        if surface not in self._by_surface:
            self._by_surface[surface] = Counter(
                (place.chapter, bisect_right(self._breaks[place.chapter], place.start))
                for place in self.places[surface]
            )
        return self._by_surface[surface]

    @cached_property
    def _by_surface(self) -> dict[str, Counter[tuple[int, int]]]:
        return {}

    @cached_property
    def _breaks(self) -> list[list[int]]:
        return [[match.start() for match in _SEGMENT.finditer(text)] for text in self.texts]

    def nearest(self, surface: str, groups: Sequence[Iterable[str]]) -> Counter[int]:
        """Return how often a name of each group is the nearest one to a name, before it rather than behind."""
        found = sorted((place, at) for at, group in enumerate(groups) for one in group for place in self.places[one])
        votes: Counter[int] = Counter()
        for place in self.places[surface]:
            at = bisect_right(found, place, key=lambda row: row[0])
            near = [
                (place.start - row[0].start if row[0] <= place else BEHIND * (row[0].start - place.start), row[1])
                for row in found[max(0, at - 1) : at + 1]
                if row[0].chapter == place.chapter
            ]
            distance, group = min(near, default=(FAR, 0))
            votes[group] += distance < FAR
        return +votes
