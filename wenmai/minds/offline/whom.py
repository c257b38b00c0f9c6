"""Who of some passages answers a 谁-question: the person in the asked part, where most of the question is told."""

from collections.abc import Collection, Sequence

from state.schema import Evidence
from tools.linking import NameTable
from wenmai.minds.offline import phrases
from wenmai.minds.offline.analysis import Analysis, analyse
from wenmai.minds.offline.asked_part import AskedPart, asked_part, asks_for_person
from wenmai.minds.offline.reading import LONGEST_QUESTION, Named, read
from wenmai.minds.offline.scenes import goals_of, scenes_of, women_of
from wenmai.minds.offline.signs import Places, Signs, signs_of, strongest

GUESSES = 3  # names that are kept, best first

WEIGHTS = Signs(
    sentence=4.6,
    near=3.9,
    around=5.2,
    clause=0.9,
    scene=1.4,
    rank=-0.6,
    mentions=0.35,
    fame=-0.5,
    speaks=1.8,
    addressed=-0.6,
    presented=1.2,
    titled=2.6,
    does=0.7,
    at_once=1.0,
    to_asked=1.7,
    by=3.8,
    governed=2.4,
)
"""Fitted by `python -m benchmarks.signs` on 300 谁-questions over a long novel."""


def whom(question: str, passages: Sequence[Evidence], table: NameTable) -> list[str]:
    """Return who may answer a question that asks for somebody, likeliest first; [] where it asks for nobody."""
    question = question[:LONGEST_QUESTION]
    analysis = analyse(question, table)
    best = strongest(witnessed(analysis, passages, table), WEIGHTS)
    return sorted(best, key=lambda name: (-best[name], name))[:GUESSES]


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
