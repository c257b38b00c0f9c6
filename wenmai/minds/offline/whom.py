"""Who of some passages answers a 谁-question: the person in the asked part, where most of the question is told."""

import math
from collections.abc import Collection, Sequence

from state.schema import Evidence
from tools.story.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.asked_part import AskedPart, asked_part, asks_for_person
from wenmai.minds.offline.reading import LONGEST_QUESTION, Named, read
from wenmai.minds.offline.scenes import goals_of, scenes_of, women_of
from wenmai.minds.offline.signs import Places, Signs, signs_of, strongest

GUESSES = 3  # names that are kept, best first

WEIGHTS = Signs(
    sentence=1.65,
    near=1.83,
    around=3.54,
    clause=0.73,
    scene=1.08,
    close=1.03,
    rank=-0.46,
    mentions=0.11,
    often=0.37,
    fame=-0.23,
    speaks=1.03,
    addressed=-0.52,
    presented=1.22,
    titled=1.42,
    does=0.80,
    at_once=0.42,
    to_asked=1.10,
    by=2.46,
    governed=1.29,
)
"""Fitted by `python -m benchmarks.signs` on 1,214 谁-questions over a long novel: 618 answered first when held out."""


def whom(question: str, passages: Sequence[Evidence], table: NameTable) -> dict[str, float]:
    """Return who may answer a question that asks for somebody, likeliest first, each with his chance (0..1).

    {} where it asks for nobody. The weights were fitted so that a chance is the share of `exp` of a score
    among all who are named, those who are left out too.
    """
    question = question[:LONGEST_QUESTION]
    analysis = analyse(question, table)
    best = strongest(witnessed(analysis, passages, table), WEIGHTS)
    first = sorted(best, key=lambda name: (-best[name], name))[:GUESSES]
    shares = {name: math.exp(score - best[first[0]]) for name, score in best.items()}
    total = sum(shares.values())
    return {name: shares[name] / total for name in first}


def witnessed(analysis: Analysis, passages: Sequence[Evidence], table: NameTable) -> Places:
    """Return who may be the answer, each time that a passage names him, with what speaks for him there."""
    asked = asked_part(read(analysis.question, table)) if asks_for_person(analysis) else None
    if asked is None or not passages:
        return []
    scenes = scenes_of([(piece["text"], piece["entities"]) for piece in passages], asked, analysis, table)
    women = women_of(scenes) if asked.female else set[str]()
    goals = goals_of(scenes)
    able = {
        one.name
        for scene in scenes
        for one in scene.people
        if one.name not in goals and may_be(one, asked, analysis, women)
    }
    return signs_of(scenes, asked, table, able)


def may_be(one: Named, asked: AskedPart, analysis: Analysis, women: Collection[str] = ()) -> bool:
    """Tell whether a name can be the answer: nobody of the question, no troop, no common noun, a woman where one is."""
    inside = one.name in asked.named or one.name in analysis.entities
    female = one.name in women or phrases.FEMALE_NAME.search(one.name) or phrases.FEMININE.search(one.name[1:])
    if inside or (asked.female and not female):
        return False
    return one.name[-1] not in phrases.TROOPS and one.name not in phrases.PERSON_NOUNS
