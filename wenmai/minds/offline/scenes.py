"""Passages that have been read for their people: where they are named, what is told in one breath with them."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tools.story.linking import NameTable
from wenmai.minds.offline.analysis import Analysis
from wenmai.minds.offline.asked_part import AskedPart
from wenmai.minds.offline.bare_names import names_in
from wenmai.minds.offline.matching import Term, Weights, terms_of
from wenmai.minds.offline.reading import MASK, Named
from wenmai.minds.offline.snippets import Cue, scored_sentences

BORDER = re.compile("[。！？；：“”\n]")  # of what is told in one breath
_WOMAN_BEFORE = frozenset("女妻妾妹姊姐母嫂")
_GOING = re.compile("[往回还自离屯]$|[屯驻至还归]于$")

Told = tuple[str, Collection[str]]
"""The text of a passage and the entities that it is known to be about."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A passage that has been read for its people.

    Attributes:
        masked: the text without its names, bare given names too.
        people: the persons in order of mention.
        asked: the places of the names that the question has.
        mentions: how often each name stands.
        borders: where the marks stand that end what is told in one breath.
        sentences: start, end and score of each.
    """

    text: str
    masked: str
    named: list[Named]
    people: list[Named]
    asked: list[Named]
    mentions: Counter[str]
    borders: list[int]
    sentences: list[tuple[int, int, float]]

    @classmethod
    def of(cls, text: str, named: list[Named], asked: AskedPart, sentences: list[tuple[int, int, float]]) -> "Scene":
        """Note where names and marks stand: they are asked for at each name."""
        masked = list(text)
        for one in named:
            masked[one.start : one.end] = MASK * (one.end - one.start)
        return cls(
            text=text,
            masked="".join(masked),
            named=named,
            people=[one for one in named if one.category == "person"],
            asked=[one for one in named if one.name in asked.named],
            mentions=Counter(one.name for one in named),
            borders=[mark.start() for mark in BORDER.finditer(text)],
            sentences=sentences,
        )

    def breath(self, one: Named) -> tuple[int, int]:
        """Return the bounds of what is told in one breath around a name, without the marks."""
        before, behind = bisect_left(self.borders, one.start), bisect_left(self.borders, one.end)
        first = self.borders[before - 1] + 1 if before else 0
        return first, self.borders[behind] if behind < len(self.borders) else len(self.text)

    def sentence(self, one: Named) -> tuple[int, int, float]:
        """Return the sentence that a name stands in; a name between two sentences is one by itself."""
        outside = (one.start, one.end, 0.0)
        return next((row for row in self.sentences if row[0] <= one.start < row[1]), outside)


def scenes_of(told: Sequence[Told], asked: AskedPart, analysis: Analysis, table: NameTable) -> list[Scene]:
    """Read passages for a question."""
    terms = terms_of(analysis, table)
    pool = Weights.over(terms, analysis.question, told)
    return [scene_of(text, entities, asked, terms, pool, table) for text, entities in told]


def scene_of(
    text: str, entities: Collection[str], asked: AskedPart, terms: Sequence[Term], pool: Weights, table: NameTable
) -> Scene:
    """Read a passage."""
    sentences = [(row.start, row.end, row.score) for row in scored_sentences(text, terms, pool, Cue(None))]
    return Scene.of(text, names_in(text, entities, table), asked, sentences)


def women_of(scenes: Sequence[Scene]) -> set[str]:
    """Return who stands behind a word for a woman in some passage: 邕女蔡琰."""
    return {
        one.name for scene in scenes for one in scene.people if scene.text[one.start - 1 : one.start] in _WOMAN_BEFORE
    }


def goals_of(scenes: Sequence[Scene]) -> set[str]:
    """Return who is never named but behind a word of going or staying, as a place is: 回许昌, 自许昌来."""
    behind: dict[str, set[bool]] = {}
    for scene in scenes:
        for one in scene.people:
            behind.setdefault(one.name, set()).add(
                _GOING.search(scene.text, max(0, one.start - 2), one.start) is not None
            )
    return {name for name, found in behind.items() if found == {True}}


def rarity(asked: AskedPart, scenes: Sequence[Scene]) -> Mapping[str, float]:
    """Return the weight of each telling character: what few sentences say tells more; they add up to 1."""
    told = [set(scene.text[start:end]) for scene in scenes for start, end, _ in scene.sentences]
    counts = {char: sum(bool(same & said) for said in told) for char, same in asked.wanted.items()}
    weights = {char: math.log(1 + len(told) / (1 + count)) for char, count in counts.items()}
    total = sum(weights.values()) or 1.0
    return {char: weight / total for char, weight in weights.items()}
