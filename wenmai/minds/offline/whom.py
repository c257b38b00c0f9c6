"""Who of some passages answers a 谁-question: the person in the asked part, where most of the question is told."""

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from state.schema import Evidence
from tools.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.asked_part import AskedPart, asked_part, asks_for_person
from wenmai.minds.offline.bare_names import names_in
from wenmai.minds.offline.matching import Term, Weights, terms_of
from wenmai.minds.offline.quotes import PASSIVE
from wenmai.minds.offline.reading import LONGEST_QUESTION, MASK, Named, read
from wenmai.minds.offline.snippets import Cue, scored_sentences

NEAR_BEFORE, NEAR_BEHIND = 18, 24  # characters around a name that are told of it
AROUND = 40  # characters around its sentence
REACH = 14  # characters between a doer and the deed
OBJECT = 4  # characters between a deed and whom it befell
BEFORE_PASSIVE = 45  # characters between whom it befell and 被
GUESSES = 3  # names that are kept, best first
_WOMAN_BEFORE = frozenset("女妻妾妹姊姐母嫂")
_GOING = re.compile("[往回还自离屯]$|[屯驻至还归]于$")
BORDER = re.compile("[。！？；：“”\n]")  # of what is told in one breath


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Weights of what speaks for a person; fitted on the 谁-questions of a development set."""

    sentence: float = 2.0
    near: float = 1.8
    around: float = 1.8
    rank: float = -0.25  # a passage further down
    does: float = 0.7
    object: float = 1.6
    passive: float = 1.0
    before: float = 0.9
    clause: float = 1.6
    scene: float = 2.0
    mentions: float = 0.6


SIGNS = Signs()


@dataclass(frozen=True, slots=True)
class Scene:
    """A passage that has been read for its people.

    Attributes:
        masked: the text without its names, bare given names too.
        people: the persons in order of mention.
        asked: the places of the names that the question has.
        mentions: how often each name stands.
        borders: where the marks stand that end what is told in one breath.
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


def whom(question: str, passages: Sequence[Evidence], table: NameTable) -> list[str]:
    """Return who may answer a question that asks for somebody, likeliest first; [] where it asks for nobody."""
    question = question[:LONGEST_QUESTION]
    analysis = analyse(question, table)
    asked = asked_part(read(question, table)) if asks_for_person(analysis) else None
    if asked is None or not passages:
        return []
    terms = terms_of(analysis, table)
    pool = Weights.of(terms, question, passages)
    scenes = [scene_of(piece, asked, terms, pool, table) for piece in passages]
    rare = rarity(asked, scenes)
    women = women_of(scenes) if asked.female else set[str]()
    goals = goals_of(scenes)
    best: dict[str, float] = {}
    for rank, scene in enumerate(scenes):
        for one in scene.people:
            if one.name not in goals and may_be(one, asked, analysis, women):
                score = SIGNS.rank * rank + score_of(one, scene, asked, rare)
                best[one.name] = max(best.get(one.name, -math.inf), score)
    return sorted(best, key=lambda name: (-best[name], name))[:GUESSES]


def may_be(one: Named, asked: AskedPart, analysis: Analysis, women: Collection[str] = ()) -> bool:
    """Tell whether a name can be the answer: nobody of the question, no troop, no common noun, a woman where one is."""
    inside = one.name in asked.named or one.name in analysis.entities
    female = one.name in women or phrases.FEMALE_NAME.search(one.name) or phrases.FEMININE.search(one.name[1:])
    if inside or (asked.female and not female):
        return False
    return one.name[-1] not in phrases.TROOPS and one.name not in phrases.PERSON_NOUNS


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


def scene_of(piece: Evidence, asked: AskedPart, terms: Sequence[Term], pool: Weights, table: NameTable) -> Scene:
    """Read a passage."""
    text = piece["text"]
    rows = scored_sentences(text, terms, pool, Cue(None))
    sentences = [(row.start, row.end, row.score) for row in rows]
    return Scene.of(text, names_in(text, piece["entities"], table), asked, sentences)


def rarity(asked: AskedPart, scenes: Sequence[Scene]) -> Mapping[str, float]:
    """Return the weight of each telling character: what few sentences say tells more; they add up to 1."""
    told = [set(scene.text[start:end]) for scene in scenes for start, end, _ in scene.sentences]
    counts = {char: sum(bool(same & said) for said in told) for char, same in asked.wanted.items()}
    weights = {char: math.log(1 + len(told) / (1 + count)) for char, count in counts.items()}
    total = sum(weights.values()) or 1.0
    return {char: weight / total for char, weight in weights.items()}


def score_of(one: Named, scene: Scene, asked: AskedPart, rare: Mapping[str, float]) -> float:
    """Add up what speaks for somebody at one place of a passage."""
    outside = (one.start, one.end, 0.0)  # a name between two sentences
    start, end, sentence = next((row for row in scene.sentences if row[0] <= one.start < row[1]), outside)
    near = scene.masked[max(start, one.start - NEAR_BEFORE) : min(end, one.end + NEAR_BEHIND)]
    low, high = max(0, start - AROUND), end + AROUND
    first, last = scene.breath(one)
    return (
        SIGNS.sentence * sentence
        + SIGNS.near * said(near, asked, rare)
        + SIGNS.around * said(scene.text[low:high], asked, rare)
        + SIGNS.clause * share_named(scene, asked, first, last)
        + SIGNS.scene * share_named(scene, asked, low, high)
        + SIGNS.mentions * math.log(scene.mentions[one.name])
        + (part_of(one, scene, asked, first, last) if asked.doer and asked.deed else 0.0)
    )


def said(text: str, asked: AskedPart, rare: Mapping[str, float]) -> float:
    """Return 0..1: how much of the question's telling characters a text has."""
    chars = set(text)
    return sum(rare[char] for char, same in asked.wanted.items() if not same.isdisjoint(chars))


def share_named(scene: Scene, asked: AskedPart, start: int, end: int) -> float:
    """Return 0..1: the share of the question's names that stand there."""
    named = {one.name for one in scene.asked if start <= one.start < end}
    return len(named) / max(1, len(asked.named))


def part_of(one: Named, scene: Scene, asked: AskedPart, start: int, end: int) -> float:
    """Score somebody as the doer: the deed stands behind the name, and befalls whom the question names."""
    behind = scene.masked[one.end : min(end, one.end + REACH)]
    deed = asked.deed.search(behind) if asked.deed else None
    if deed is None or re.match(f"[^，]{{0,2}}[{PASSIVE}]", behind):
        return 0.0
    gap, passive = behind[: deed.start()], scene.masked[one.start - 1 : one.start] in tuple(PASSIVE)
    score = SIGNS.does * ((0.5 if MASK in gap else 1.0) + (0.5 if "，" not in gap else 0.0) + passive)
    after = one.end + deed.end()
    if any(after <= other.start <= after + OBJECT and other.name in asked.people for other in scene.named):
        score += SIGNS.object
    earlier = [other for other in scene.people if one.start - BEFORE_PASSIVE <= other.start and other.end <= one.start]
    other = next((other for other in reversed(earlier) if other.name != one.name), None)
    if other and other.name in asked.people:
        score += SIGNS.before + (SIGNS.passive if passive else 0.0)
    return score
