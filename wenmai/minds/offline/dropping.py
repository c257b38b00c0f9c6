"""Who is meant where a question leaves its subject out."""

import re

from wenmai.minds.offline.cues import cue
from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.reading import Reading
from wenmai.minds.offline.salience import best_of
from wenmai.minds.offline.standing import Marks
from wenmai.minds.offline.weighing import weighed


def together_on(name: str, discourse: Discourse, taken: set[str]) -> tuple[str, ...]:
    """Return the group that the last question went on with, where somebody is one of it: 他们为什么下手, 逃到哪里."""
    view = discourse.turns[0] if discourse.turns else None
    if view is None or name not in view.joined:
        return ()
    group = tuple(one for one in view.continued if one in view.joined)
    return () if taken & set(group) else group


def companion(name: str, discourse: Discourse) -> tuple[str, ...]:
    """Return who stood beside the topic in the last question: 后来呢 asks about both."""
    people = [one.name for one in discourse.turns[0].question.people()] if discourse.turns else []
    others = [one for one in dict.fromkeys(people) if one != name]
    return tuple(others[:1]) if name in people else ()


_PERSONAL = re.compile(r"死|字(?:什么|是)|嫁|娶|葬|姓|岁|年纪|年龄|外号|绰号|妻|儿子|女儿|父|母|官|投降|投奔")


def dropped(discourse: Discourse, reading: Reading, taken: set[str], at: int | None = None) -> str | None:
    """Return who or what a question that leaves its subject out at a place is about."""
    personal = _PERSONAL.search(reading.masked) is not None

    def accept(one: Referent) -> bool:
        talked_of = one.category == "person" or (not personal and any(role != "answer" for _, role in one.roles))
        return one.name not in taken and talked_of

    ranked = discourse.ranked(accept)
    scored = [(one.score - _asked_cost(discourse, one), one) for one in ranked]
    best = max(scored, key=lambda pair: pair[0], default=None)
    if best is None or at is None or best[1].category != "person":
        return best[1].name if best else None
    people = [(score, one) for score, one in scored if one.category == "person"]
    said = f"{reading.masked[:at]}他{reading.masked[at:]}"
    marks = {one.name: Marks(cued=cue(discourse, one, said)) for _, one in people}
    return best_of(weighed(discourse, people, at, marks))


def _asked_cost(discourse: Discourse, one: Referent) -> float:
    """A dropped subject goes on about the topic sooner than about the answer, and acts sooner than it is a place."""
    view = discourse.turns[0] if discourse.turns else None
    scene = 3.0 if one.category in ("place", "battle", "group") else 0.0
    beside = view is not None and one.name in view.focus and (bool(view.continued) or view.role == "object")
    return scene + (1.0 if beside else 0.0)
