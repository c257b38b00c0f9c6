"""Whom a plural stands for: two who stood together, those who answered, a troop."""

import re
from itertools import pairwise

from wenmai.minds.offline import phrases
from wenmai.minds.offline.discourse import Discourse
from wenmai.minds.offline.salience import gender_fits
from wenmai.minds.offline.turns import TurnView


def pair(discourse: Discourse, female: bool | None, taken: set[str], said: str = "") -> tuple[str, ...]:
    """Return the persons that a plural stands for: the newest that stood together, or those of whom `said` was said."""
    for view in discourse.turns if said else []:
        joined = [name for name in _joined(view) if name not in taken]
        if len(joined) > 1 and set(said) & set(view.answer.masked):
            return tuple(joined[:2])
    for view in discourse.turns:
        names = tuple(n for n in _together(discourse, view, female) if n not in taken)
        if len(names) > 1:
            return names[:2]
    crowd = troop(discourse) if not said and not female else None
    if crowd:
        return (crowd,)
    people = [one.name for one in discourse.people() if one.name not in taken and gender_fits(one, female)]
    return tuple(people[:2]) if len(people) > 1 else ()


def listed(discourse: Discourse, *, last: bool) -> str | None:
    """Return the first or the last of those whom the newest turn with several names: 前者, 后者, 后一个."""
    for view in discourse.turns:
        asked = list(dict.fromkeys(one.name for one in view.question.people()))
        names = coordinated(view, asked) or (asked if len(asked) > 1 else _joined(view))
        if names:
            return names[-1 if last else 0]
    return None


def _together(discourse: Discourse, view: TurnView, female: bool | None) -> list[str]:
    def fit(names: list[str]) -> list[str]:
        return [
            n
            for n in dict.fromkeys(names)
            if n in discourse.referents
            and gender_fits(discourse.referents[n], female)
            and (not female or discourse.referents[n].female)
        ]

    asked = fit([one.name for one in view.question.people()])
    several = re.search(r"哪[两几二些三]|哪一?些|有谁|什么人|[两二三四五几]个", view.question.text) is not None
    if view.focus and (several or _listed(view)):
        return fit(view.focus)
    if len(asked) > 1:
        return coordinated(view, asked) or asked
    joined = fit(_joined(view))
    if len(joined) > 1:
        return joined
    if view.focus and view.role != "name":
        return fit([*asked, *view.focus[:1]])
    answered = fit([one.name for one in view.answerers()])
    return [*asked, *(n for n in answered if n not in asked)] if female else []


def coordinated(view: TurnView, asked: list[str]) -> list[str]:
    """Return the two of the question that it joins: 离间马超和韩遂."""
    people = view.question.people()
    pairs = [(a, b) for a, b in pairwise(people) if view.question.text[a.end : b.start] in tuple(phrases.CONJUNCTIONS)]
    return [one.name for one in pairs[0] if one.name in asked] if pairs else []


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


_TROOP = re.compile(r".*(?:兵|军|将士|士兵|百姓|使者|刺客|人马|部下)$")


def troop(discourse: Discourse) -> str | None:
    """Return the troop that a recent question was about, with whose it is: 兀突骨的藤甲兵."""
    for view in discourse.turns[:3]:
        words = view.question.words
        for at, word in enumerate(words):
            if word.tag[:1] in ("n", "j") and len(word.text) > 1 and _TROOP.match(word.text):
                owned = at > 1 and words[at - 1].text == "的" and words[at - 2].tag == "nr"
                return view.question.text[words[at - 2 if owned else at].start : word.end]
    return None
