"""Choosing whom a description or a demonstrative points at: 那位谋士, 献计的人, 此人."""

import re
from collections.abc import Sequence

from wenmai.minds.offline.anaphor import Anaphor
from wenmai.minds.offline.asked_before import OF_THE_FIRST
from wenmai.minds.offline.descriptions import CHILDREN, GENERIC, STRONG, called_so, matches
from wenmai.minds.offline.discourse import Discourse, Referent, first_named
from wenmai.minds.offline.salience import best_of, gender_fits, person
from wenmai.minds.offline.standing import Marks
from wenmai.minds.offline.turns import TurnView
from wenmai.minds.offline.weighing import weighed

NEAR = re.compile(r"^(?:此|这一?个?|该|这一?位|那一?个?)(?:人|者)$")
BY_FAR = 1.5  # how much better than the next the best fits


def near_person(discourse: Discourse, taken: set[str], female: bool | None) -> str | None:
    """Return the person that 此人 stands for: the last one that a question asked for and got."""
    known = any(one.female for one in discourse.people())
    for name in discourse.turns[0].focus if discourse.turns else []:
        one = discourse.referents[name]
        if name not in taken and gender_fits(one, female) and not (female and known and not one.female):
            return name
    return None


def described(discourse: Discourse, anaphor: Anaphor, taken: set[str], *, strong: bool) -> str | None:
    """Return the person that fits a description best; without a match the most salient, unless `strong` is asked."""
    scored = _fits(discourse, anaphor, taken)
    best = max((score for score, _ in scored), default=0.0)
    if best < STRONG and (known := _told_of(discourse, anaphor, taken)):
        return known
    vague = anaphor.text[:1] != "那" or anaphor.head in GENERIC
    alone = bool(anaphor.modifier) and len([1 for score, _ in scored if score > 0]) == 1
    if best >= STRONG or alone or (best > 0 and vague and not strong):
        return best_of([(one.score, one) for score, one in scored if score >= best - 0.01])
    if strong or not vague:
        return None
    asked = near_person(discourse, taken, anaphor.female) if anaphor.form == "demonstrative" else None
    return asked or person(discourse, anaphor, taken, "")


def pointed(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return whom 那位谋士 or 献计的人 means where the library was asked, by what session and passages say of each."""
    fitting = _fits(discourse, anaphor, taken)
    marks = marks_of(discourse, anaphor, fitting)
    return best_of(weighed(discourse, [(one.score, one) for _, one in fitting], anaphor.start, marks))


def marks_of(discourse: Discourse, anaphor: Anaphor, fitting: Sequence[tuple[float, Referent]]) -> dict[str, Marks]:
    """Return what a description says for each of some people, given how well each fits it."""
    asked = discourse.users_own & {one.name for _, one in fitting}
    scores = sorted((match for match, one in fitting if one.name in asked or not asked), reverse=True)
    least = max(scores[1] + BY_FAR, BY_FAR) if len(scores) > 1 else BY_FAR
    near = discourse.turns[0].focus[:1] if NEAR.match(anaphor.text) else []
    return {
        one.name: Marks(
            described=match,
            best=match >= least and (one.name in asked or not asked),
            called=called_so(discourse, one, anaphor.head),
            did=discourse.lore.did.get(one.name, 0.0),
            near=one.name in near,
        )
        for match, one in fitting
    }


LEAST_SAID = 0.5
"""Share of a description's characters that the question must have of whom it was asked."""


def _said(words: str, view: TurnView) -> float:
    """Return 0..1: how many characters of some words a question has."""
    return sum(char in view.question.text for char in words) / len(words) if words else 1.0


def asked_person(discourse: Discourse, one: Anaphor, taken: set[str]) -> str | None:
    """Return whom the user asked about first of all, or last before the present one; by a noun or words if told so."""
    of_the_first = OF_THE_FIRST.match(one.text) is not None
    views = discourse.turns[::-1] if of_the_first else discourse.turns
    most = max((_said(one.modifier, view) for view in views), default=0.0)
    told = [view for view in views if _said(one.modifier, view) == most] if most >= LEAST_SAID else views
    names = [name for view in told if (name := first_named(view))]
    able = [
        name
        for name in dict.fromkeys(names)
        if name not in taken
        and discourse.referents[name].category == "person"
        and gender_fits(discourse.referents[name], one.female)
    ]
    called = [name for name in able if one.head and called_so(discourse, discourse.referents[name], one.head)]
    present = first_named(discourse.turns[0]) if discourse.turns else None
    others = able if one.modifier or of_the_first else [name for name in able if name != present]
    return next(iter([*called, *others, *able]), None)


def _told_of(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return who does in the library what the description says: 盗书的人."""
    if not anaphor.modifier:
        return None
    did = discourse.lore.did
    scored = [
        (did[one.name], one)
        for one in discourse.people()
        if one.name in did and one.name not in taken and gender_fits(one, anaphor.female)
    ]
    return best_of(scored)


def hinted(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> str | None:
    """Return the person of whom the session says most of a description, however little; None where it says nothing."""
    scored = [(score, one) for score, one in _fits(discourse, anaphor, taken) if score > 0]
    best = max((score for score, _ in scored), default=0.0)
    return best_of([(one.score, one) for score, one in scored if score >= best - 0.01]) if scored else None


def _fits(discourse: Discourse, anaphor: Anaphor, taken: set[str]) -> list[tuple[float, Referent]]:
    able = [one for one in discourse.people() if one.name not in taken and gender_fits(one, anaphor.female)]
    if anaphor.head in CHILDREN:
        able = [one for one in able if not one.female] or able
    women = [one for one in able if one.female] if anaphor.female else []
    return [(matches(discourse, one, anaphor.head, anaphor.modifier), one) for one in women or able]
