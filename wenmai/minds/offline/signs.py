"""What speaks for somebody at one place of a passage: that the question is told there, and what he does in it."""

import math
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from tools.story.linking import NameTable
from wenmai.minds.offline.asked_part import AskedPart
from wenmai.minds.offline.quotes import PASSIVE
from wenmai.minds.offline.reading import MASK, Named
from wenmai.minds.offline.scenes import Scene, rarity

NEAR_BEFORE, NEAR_BEHIND = 18, 24  # characters around a name that are told of it
AROUND = 40  # characters around its sentence
REACH = 14  # characters between a doer and the deed
OBJECT = 4  # characters between a deed and whom it befell
BEFORE_PASSIVE = 45  # characters between whom it befell and 被
GOVERNED = 6  # characters between a deed and whom it is done to, names among them
TITLED = 6  # characters between a noun and whom it is said of
CLOSE = 15.0  # characters over which nearness to a name of the question falls to a third
UNCOUNTED = 3.0  # the fame of a name that several bear: twenty mentions
_SPEAKS = re.compile(r"[^，。：“]{0,8}[曰道云言：]")
_SPOKEN_TO = frozenset("谓问告劝说与对向召")
_PRESENTED = re.compile("[乃名姓即]$")
_INTRODUCED = re.compile("也[。：！”]?|，字")


class Signs(NamedTuple):
    """What speaks for somebody, or the weight of each.

    Attributes:
        sentence: the score of his sentence.
        near: 0..1, how much of the question's telling characters stands around the name, `around` about its sentence.
        clause: 0..1, the share of the question's names in the same breath, `scene` about the sentence.
        close: 0..1, how close the nearest of the question's names stands.
        rank: the passage's rank, from 0.
        mentions: log of how often the passage names him, `often` of how often all of them do, `fame` of how often the
            library does.
        speaks: he speaks, `addressed` he is spoken to, where the question is of something said.
        presented: the story tells his name here: 乃张飞也.
        titled: the noun that is asked for stands beside the name: 主簿杨修 for 哪个主簿.
        does: the deed stands behind the name without another name between, `at_once` without a mark between.
        to_asked: it befalls whom the question names.
        by: the question's person stands before, with 被 between: 渊被黄忠斩.
        governed: he stands behind the deed, where the one is asked for whom it befalls.
    """

    sentence: float = 0.0
    near: float = 0.0
    around: float = 0.0
    clause: float = 0.0
    scene: float = 0.0
    close: float = 0.0
    rank: float = 0.0
    mentions: float = 0.0
    often: float = 0.0
    fame: float = 0.0
    speaks: float = 0.0
    addressed: float = 0.0
    presented: float = 0.0
    titled: float = 0.0
    does: float = 0.0
    at_once: float = 0.0
    to_asked: float = 0.0
    by: float = 0.0
    governed: float = 0.0


Places = list[tuple[str, Signs]]
"""Who is named at each place of some passages, and what speaks for him there."""


def weighted(signs: Sequence[float], weights: Sequence[float]) -> float:
    """Return the weighted sum."""
    return sum(sign * weight for sign, weight in zip(signs, weights, strict=True))


def strongest(places: Places, weights: Signs) -> dict[str, float]:
    """Return what speaks for each at the place where most does."""
    best: dict[str, float] = {}
    for name, signs in places:
        best[name] = max(best.get(name, -math.inf), weighted(signs, weights))
    return best


class Peaks(NamedTuple):
    """The most of each sign over the places where passages name somebody, and how many places there are."""

    signs: Signs = Signs()
    places: int = 0


UNTOLD = Peaks()
"""Of whom no passage tells."""


def peaks_of(places: Places) -> dict[str, Peaks]:
    """Return the most of each sign for each who is named."""
    found: dict[str, list[Signs]] = {}
    for name, signs in places:
        found.setdefault(name, []).append(signs)
    return {name: Peaks(Signs(*map(max, zip(*rows, strict=True))), len(rows)) for name, rows in found.items()}


def signs_of(scenes: Sequence[Scene], asked: AskedPart, table: NameTable, wanted: Collection[str]) -> Places:
    """Return the places where passages name one of the wanted."""
    rare = rarity(asked, scenes)
    often = sum((scene.mentions for scene in scenes), Counter[str]())
    return [
        (one.name, signs(one, scene, rank, asked, Counts(rare, often, table)))
        for rank, scene in enumerate(scenes)
        for one in scene.people
        if one.name in wanted
    ]


class Counts(NamedTuple):
    """How telling each character is, how often all passages name somebody, and how often the library does."""

    rare: Mapping[str, float]
    often: Mapping[str, int]
    table: NameTable


def signs(one: Named, scene: Scene, rank: int, asked: AskedPart, counts: Counts) -> Signs:
    """Return what speaks for somebody at one place."""
    rare, table = counts.rare, counts.table
    start, end, score = scene.sentence(one)
    low, high = max(0, start - AROUND), end + AROUND
    first, last = scene.breath(one)
    before = scene.text[max(0, one.start - 2) : one.start]
    return Signs(
        sentence=score,
        near=said(scene.masked[max(start, one.start - NEAR_BEFORE) : min(end, one.end + NEAR_BEHIND)], asked, rare),
        around=said(scene.text[low:high], asked, rare),
        clause=share_named(scene, asked, first, last),
        scene=share_named(scene, asked, low, high),
        close=closeness(one, scene),
        rank=rank,
        mentions=math.log(scene.mentions[one.name]),
        often=math.log(counts.often[one.name]),
        fame=math.log1p(table.mentions(one.name)) if one.known else UNCOUNTED,
        speaks=float(asked.says and _SPEAKS.match(scene.masked, one.end) is not None),
        addressed=float(asked.says and before[-1:] in _SPOKEN_TO),
        presented=float(bool(_PRESENTED.search(before) or _INTRODUCED.match(scene.text, one.end))),
        titled=float(titled(one, scene, asked.noun)),
    )._replace(**part_of(one, scene, asked, first, last))


def titled(one: Named, scene: Scene, noun: str) -> bool:
    """Tell whether a noun, or its second half, stands beside a name."""
    before, behind = scene.text[max(0, one.start - TITLED) : one.start], scene.text[one.end : one.end + 2]
    return len(noun) > 1 and (noun[-2:] in before or noun[-2:] == behind)


def said(text: str, asked: AskedPart, rare: Mapping[str, float]) -> float:
    """Return 0..1: how much of the question's telling characters a text has."""
    chars = set(text)
    return sum(rare[char] for char, same in asked.wanted.items() if not same.isdisjoint(chars))


def share_named(scene: Scene, asked: AskedPart, start: int, end: int) -> float:
    """Return 0..1: the share of the question's names that stand there."""
    named = {one.name for one in scene.asked if start <= one.start < end}
    return len(named) / max(1, len(asked.named))


def closeness(one: Named, scene: Scene) -> float:
    """Return 0..1: how close the nearest of the question's names stands to a name; 0 where the passage has none."""
    return max((math.exp(-abs(other.start - one.start) / CLOSE) for other in scene.asked), default=0.0)


def part_of(one: Named, scene: Scene, asked: AskedPart, start: int, end: int) -> dict[str, float]:
    """Return the signs of his part in the deed, {} where he has none."""
    if asked.deed is None:
        return {}
    lead = scene.masked[max(start, one.start - GOVERNED) : one.start]
    if not asked.doer:
        return {"governed": 1.0} if asked.deed.search(lead) else {}
    behind = scene.masked[one.end : min(end, one.end + REACH)]
    deed = asked.deed.search(behind)
    if deed is None or re.match(f"[^，]{{0,2}}[{PASSIVE}]", behind):
        return {}
    gap = behind[: deed.start()]
    after = one.end + deed.end()
    earlier = [other for other in scene.people if one.start - BEFORE_PASSIVE <= other.start and other.end <= one.start]
    victim = next((other for other in reversed(earlier) if other.name != one.name), None)
    struck = (other.name in asked.people for other in scene.named if after <= other.start <= after + OBJECT)
    return {
        "does": float(MASK not in gap),
        "at_once": float("，" not in gap),
        "to_asked": float(any(struck)),
        "by": float(victim is not None and victim.name in asked.people and lead[-1:] in tuple(PASSIVE)),
    }
