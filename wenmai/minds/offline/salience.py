"""Choosing what an anaphor stands for."""

import re
from dataclasses import dataclass
from itertools import pairwise

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphora import Anaphor
from wenmai.minds.offline.descriptions import STRONG, matches
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.turns import TurnView

GENERIC = frozenset(
    [
        "人",
        "将军",
        "将领",
        "女子",
        "女人",
        "男子",
        "男人",
        "孩子",
        "老人",
        "家伙",
        "少年",
        "妖怪",
        "妖精",
        "夫人",
        "姑娘",
        "老人家",
        "女婿",
    ]
)
"""Nouns that say so little of somebody that they may stand for whoever the talk is about."""
NEAR = re.compile(r"^(?:此|这一?个?|该|这一?位|那一?个?)(?:人|者)$")
KIN_COST = 3.0
UNKNOWN_GENDER_COST = 30.0
WEAK = 0.4
"""Below this a referent is too stale to stand for a pronoun."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What an anaphor stands for: one entity, or several for a plural; `keep` is text that stays behind the name."""

    names: tuple[str, ...]
    keep: str = ""


def person(discourse: Discourse, anaphor: Anaphor, taken: set[str], context: str) -> str | None:
    """Return the most salient person that a singular pronoun may stand for."""
    scored = [
        (one.score - _gender_cost(one, anaphor.female) - _killer_cost(discourse, one, context), one)
        for one in discourse.people()
        if one.name not in taken
        and _gender_fits(one, anaphor.female)
        and not _described_otherwise(discourse, one, context)
    ]
    if anaphor.female and not any(one.female for _, one in scored):
        return _female_noun(discourse) or _best(scored)
    return _best(scored)


def _female_noun(discourse: Discourse) -> str | None:
    """Return a woman whom the last turns call by a noun only: 女王, 女妖精."""
    for view in discourse.turns[:2]:
        for reading in (view.answer, view.question):
            for word in reading.words:
                if (
                    len(word.text) > 1
                    and word.tag.startswith("n")
                    and re.fullmatch(r"女[^儿人的]+|.*公主|皇后|老太太|妇人|少女", word.text)
                ):
                    return word.text
    return None


def _best(scored: list[tuple[float, Referent]]) -> str | None:
    ranked = sorted(scored, key=lambda pair: (-pair[0], pair[1].age, pair[1].name))
    return ranked[0][1].name if ranked else None


def _gender_fits(one: Referent, female: bool | None) -> bool:
    return female is None or one.female is None or one.female == female


def _gender_cost(one: Referent, female: bool | None) -> float:
    return UNKNOWN_GENDER_COST if female and one.female is None else 0.0


def _killer_cost(discourse: Discourse, one: Referent, context: str) -> float:
    """A killer's name is asked for, then 他儿子, 其妻: the family is the victim's."""
    view = discourse.turns[0] if discourse.turns else None
    kin = re.search(
        r"(?:[他她]的?|其)(?:" + "|".join(k for k in phrases.KIN if len(k) > 1 or k in "妻父母子") + ")", context
    )
    return KIN_COST if view and view.role == "agent" and one.name in view.focus and kin else 0.0


def _described_otherwise(discourse: Discourse, one: Referent, context: str) -> bool:
    """Somebody whom the question calls by the noun that was asked for (接过孩子) is not its pronoun too."""
    view = discourse.turns[0] if discourse.turns else None
    return bool(view and len(view.head) > 1 and one.name in view.focus and f"{view.head}" in context)


def near_person(discourse: Discourse, taken: set[str], female: bool | None) -> str | None:
    """Return the person that 此人 stands for: the last one that a question asked for and got."""
    known = any(one.female for one in discourse.people())
    for name in discourse.turns[0].focus if discourse.turns else []:
        one = discourse.referents[name]
        if name not in taken and _gender_fits(one, female) and not (female and known and not one.female):
            return name
    return None


def described(discourse: Discourse, anaphor: Anaphor, taken: set[str], *, strong: bool) -> str | None:
    """Return the person that fits a description best; without a match the most salient, unless `strong` is asked."""
    scored = [
        (matches(discourse, one, anaphor.head, anaphor.modifier), one)
        for one in discourse.people()
        if one.name not in taken and _gender_fits(one, anaphor.female)
    ]
    best = max((score for score, _ in scored), default=0.0)
    vague = anaphor.text[:1] != "那" or anaphor.head in GENERIC
    if best >= STRONG or (best > 0 and vague and not strong):
        return _best([(one.score, one) for score, one in scored if score >= best - 0.01])
    if strong or not vague:
        return None
    return person(discourse, anaphor, taken, "")


def thing(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return the thing, beast, place or battle that a noun of its class points to."""
    fitting = [one for one in discourse.referents.values() if one.name not in taken and _same_class(one, anaphor)]
    headed = [one for one in fitting if anaphor.head and one.name.endswith(anaphor.head[-1])]
    return _best([(one.score, one) for one in headed or fitting]) or _quoted(discourse, anaphor.head)


def _quoted(discourse: Discourse, head: str) -> str | None:
    """Return what the session put in quotation marks beside this noun: “鸡肋”口令."""
    for view in discourse.turns if len(head) > 1 else []:
        for reading in (view.answer, view.question):
            found = re.search(
                rf"[“「『‘]([^”」』’]{{1,8}})[”」』’](?:的|这个)?{head}|{head}(?:是|叫|为)?[“「『‘]([^”」』’]{{1,8}})[”」』’]",
                reading.text,
            )
            if found:
                return (found[1] or found[2]) + head
    return None


def _same_class(one: Referent, anaphor: Anaphor) -> bool:
    if anaphor.wanted == "thing":
        return bool(anaphor.head) and one.category != "person" and bool(set(anaphor.head) & set(one.name[-2:]))
    if anaphor.wanted == "place" and anaphor.head in ("国", "国家"):
        return one.category in ("group", "place")
    return one.category == anaphor.wanted


def it(discourse: Discourse, taken: set[str]) -> str | None:
    """Return what 它 stands for: a thing or beast, else the newest somebody that was never 他 or 她."""
    things = [one for one in discourse.referents.values() if one.category != "person" and one.name not in taken]
    beasts = [one for one in discourse.people() if one.name not in taken and one.female is None and _beast(one.name)]
    near = [(one.score - (PLACE_COST if one.category in ("place", "battle", "group") else 0.0), one) for one in things]
    best = _best([pair for pair in near if pair[0] >= ITS_FLOOR]) or _best(
        [*near, *((one.score, one) for one in beasts)]
    )
    if best is None or discourse.referents[best].score < ITS_FLOOR:
        return (
            _best([(one.score, one) for one in discourse.people() if one.name not in taken and one.female is None])
            or best
        )
    return best


ITS_FLOOR = 4.0
PLACE_COST = 3.0
_BEAST = re.compile(r"[精怪妖兽龙马猴鸟虎狼狮象牛鹿蛇鹰鹤龟狐熊犬猕猱狲]|猕猴")


def _beast(name: str) -> bool:
    return _BEAST.search(name) is not None


def pair(discourse: Discourse, female: bool | None, taken: set[str]) -> tuple[str, ...]:
    """Return the persons that a plural stands for: the newest that stood together."""
    for view in discourse.turns:
        names = tuple(n for n in _together(discourse, view, female) if n not in taken)
        if len(names) > 1:
            return names[:2]
    people = [one.name for one in discourse.people() if one.name not in taken and _gender_fits(one, female)]
    return tuple(people[:2]) if len(people) > 1 else ()


def _together(discourse: Discourse, view: TurnView, female: bool | None) -> list[str]:
    def fit(names: list[str]) -> list[str]:
        return [
            n
            for n in dict.fromkeys(names)
            if n in discourse.referents
            and _gender_fits(discourse.referents[n], female)
            and (not female or discourse.referents[n].female)
        ]

    asked = fit([one.name for one in view.question.people()])
    several = re.search(r"哪[两几二些三]|哪一?些|有谁|什么人|[两二三四五几]个", view.question.text) is not None
    if view.focus and (several or _listed(view)):
        return fit(view.focus)
    if len(asked) > 1:
        return asked
    joined = fit(_joined(view))
    if len(joined) > 1:
        return joined
    if view.focus and view.role != "name":
        return fit([*asked, *view.focus[:1]])
    answered = fit([one.name for one in view.answerers()])
    return [*asked, *(n for n in answered if n not in asked)] if female else []


def _joined(view: TurnView) -> list[str]:
    """Return names that the answer joins: 马超与叔父韩遂."""
    people = view.answerers()
    for one, two in pairwise(people):
        between = view.answer.text[one.end : two.start]
        if re.fullmatch(rf"[{phrases.CONJUNCTIONS}][^，。的]{{0,3}}", between):
            return [one.name, two.name]
    return []


def _listed(view: TurnView) -> bool:
    joined = _joined(view)
    return len(joined) > 1 and set(joined) <= set(view.focus) and view.role in ("identity", "agent", "object")
