"""Whom a plural stands for: two who stood together, those who answered, a troop."""

import re
from dataclasses import replace

from wenmai.minds.offline import phrases
from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.categories import head_class
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.nounphrases import noun_phrase
from wenmai.minds.offline.reading import MASK, Reading
from wenmai.minds.offline.salience import gender_fits
from wenmai.minds.offline.things import troop
from wenmai.minds.offline.together import EXPLICIT, PAIR, TOLD, Group, groups, relation, runs

OLDER = 0.6
CONTINUED = 0.5
SAID = 3.0
RELATED = 2.0
"""What an older turn costs; what a group gains where the talk went on about one of it, where the modifier is told
there, where the kinship is."""
IN_TURN = 2.5  # two whom two questions in a row asked about
SAID_SHARE = 0.3
LATELY = 6
_EMPTY = frozenset("最先后来的当初时那这了一起里说上中")
"""Characters of a modifier that tell nothing of whom it means."""


_ASKED = re.compile("(?:究竟|到底|又|各|分别)*(?:是谁|是哪|叫什么|姓什么|叫啥)")
_KIN_BEHIND = re.compile(rf"(?<=们)(?:{phrases.KIN_PAIR})(?:[俩仨]|[二两三]人|[两三]个人?)?")


def whole(one: Anaphor, reading: Reading) -> Anaphor | None:
    """Return a plural with the noun behind it (这两个俘虏, 那两个投降的); None where that is no person, or bound."""
    before = reading.masked[one.start - 1 : one.start]
    if one.form != "plural":
        return one
    if one.text == "双方" and any(other.category == "battle" and other.end <= one.start for other in reading.named):
        return None  # 官渡之战双方
    if before in ("他", "她", "们", "俩") and one.text[0] not in "他她它":
        return None  # 他父子二人, 他们两个人: the pronoun is enough
    if kin := _KIN_BEHIND.match(reading.masked, one.end):
        return replace(one, end=kin.end(), text=one.text + kin[0])
    if not re.fullmatch("[这那][两三][个位名员]", one.text):
        return one
    bare = re.match(r"([^，。？\ue000是在哪谁什怎]{2,6}?)的(?=[，呢])", reading.masked[one.end :])
    if bare:
        return replace(one, end=one.end + bare.end(), modifier=bare[1])
    modifier, head, end = noun_phrase(reading, one.end)
    if head and MASK not in head and head_class(head)[0] == "person":
        if _ASKED.match(reading.masked, end):
            return None  # 送马的那两个商人叫什么 asks for them
        return replace(one, end=end, modifier=modifier)
    noun = next((word for word in reading.words if word.start == one.end), None)
    thing = one.text[-1] == "个" and noun is not None and noun.tag[:1] == "n"
    return None if thing else one


def pair(discourse: Discourse, plural: Anaphor, taken: set[str], said: str = "") -> tuple[str, ...]:
    """Return the persons that a plural stands for: the newest that stood together, or those of whom `said` was said."""
    best = max(_candidates(discourse, plural, taken, said), key=lambda group: group.weight, default=None)
    crowd = "" if said or plural.female else _crowd(discourse, plural)
    if best and not (crowd and best.weight < EXPLICIT):
        several = plural.text in ("他们", "她们") or _size(plural) > PAIR
        return best.names if several else best.names[:2]
    crowd = crowd or ("" if said or plural.female else troop(discourse) or "")
    if crowd:
        return (crowd,)
    people = [one.name for one in discourse.people() if one.name not in taken and gender_fits(one, plural.female)]
    return tuple(people[:2]) if len(people) > 1 and _size(plural) == PAIR else ()


def _candidates(discourse: Discourse, plural: Anaphor, taken: set[str], said: str) -> list[Group]:
    kin, least = relation(plural.text), _size(plural)
    beside = [one for one in [_asked_in_turn(discourse)] if one and least == PAIR and not kin]
    return beside + [
        Group(names, group.weight + _fit(discourse, age, group, said + plural.modifier, kin))
        for age, view in enumerate(discourse.turns[:LATELY])
        for group in groups(view, kin=kin, women=bool(plural.female))
        if len(names := _able(discourse, group.names, plural.female, taken)) >= least
    ]


def _asked_in_turn(discourse: Discourse) -> Group | None:
    """Return the two of whom the last two questions asked the like: 田丰为什么被关, 沮授又是为什么被锁."""
    if len(discourse.turns) < PAIR:
        return None
    newest, before = (view.question.people()[:1] for view in discourse.turns[:PAIR])
    fresh = newest and before and not discourse.turns[0].continued and re.search("[又也]|呢", discourse.turns[0].asked)
    names = (before[0].name, newest[0].name) if fresh else ()
    return Group(names, IN_TURN) if len(set(names)) == PAIR else None


def _size(plural: Anaphor) -> int:
    return 3 if phrases.TRIO.search(plural.text) else PAIR


def _able(discourse: Discourse, names: tuple[str, ...], female: bool | None, taken: set[str]) -> tuple[str, ...]:
    """Return those of a group who may be meant: nobody whom the question names, no man where women are meant."""

    def fits(name: str) -> bool:
        one = discourse.referents.get(name)
        return not female if one is None else gender_fits(one, female) and (not female or bool(one.female))

    return tuple(name for name in dict.fromkeys(names) if name not in taken and fits(name))


def _fit(discourse: Discourse, age: int, group: Group, said: str, kin: str) -> float:
    """Return what speaks for a group besides what joins it."""
    view, content = discourse.turns[age], set(said) - _EMPTY
    told = view.question.masked + view.answer.masked[: view.end]
    share = len(content & set(told)) / len(content) if content else 0.0
    gone_on = age > 0 and group.weight >= TOLD and set(discourse.turns[0].continued) & set(group.names)
    return (
        (CONTINUED if gone_on and not kin else 0.0)
        + (SAID * share if share >= SAID_SHARE else 0.0)
        + (RELATED if set(kin) & set(told) and not _unlike(discourse, group, kin) else 0.0)
        - OLDER * age
    )


def _unlike(discourse: Discourse, group: Group, kin: str) -> bool:
    """Tell whether a couple is meant and no woman is among these."""
    women = [name for name in group.names if (one := discourse.referents.get(name)) and one.female]
    return "妻" in kin and not women


def listed(discourse: Discourse, *, last: bool) -> str | None:
    """Return the first or the last of those whom the newest turn with several names: 前者, 后者, 后一个."""
    for view in discourse.turns:
        asked = list(dict.fromkeys(one.name for one in view.question.people()))
        joined = runs(view.question, view.question.people()) or ([tuple(asked)] if len(asked) > 1 else [])
        names = joined or runs(view.answer, view.answerers(), loose=True)
        if names:
            return names[0][-1 if last else 0]
    return None


def other(discourse: Discourse, taken: set[str], female: bool | None) -> str | None:
    """Return the other of two whom the talk joined, where it went on with the one: 另一位 behind 田丰 and 沮授."""
    newest = {one.name for one in discourse.turns[0].question.people()} if discourse.turns else set()
    for view in discourse.turns[:LATELY]:
        for names in [*runs(view.question, view.question.people()), *runs(view.answer, view.answerers(), loose=True)]:
            left = [name for name in _able(discourse, names, female, taken) if name not in newest]
            if len(names) == PAIR and len(left) == 1:
                return left[0]
    return None


_CROWD = re.compile(r"(?:[两三四五六七八九十几数]+|一[群伙队帮班])[个位名员]?([\u4e00-\u9fff]{1,3}?)(?=[，。、；]|$)")


def _crowd(discourse: Discourse, plural: Anaphor) -> str:
    """Return those without names whom the newest answer tells of: 许贡的三个家客."""
    view = discourse.turns[0] if discourse.turns else None
    if view is None or not view.role or plural.text not in ("他们", "她们"):
        return ""
    found = _CROWD.search(view.answer.text[: view.end or len(view.answer.text)])
    if found is None or view.focus:
        return ""
    owner = re.search("(?:^|[，。是有被由])([^，。是有被由的]{2,4}的)$", view.answer.text[: found.start()])
    return (owner[1] if owner else "") + found[0]
