"""Salience and what the library tells, weighed against each other: who of the session's people a follow-up means."""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from wenmai.minds.offline.discourse import Discourse, Referent, first_named
from wenmai.minds.offline.reading import MASK, Named, Reading
from wenmai.minds.offline.signs import weighted
from wenmai.minds.offline.turns import TurnView

Scored = list[tuple[float, Referent]]

LEAST_SALIENT = -12.0  # below the most salient one; how far below says nothing more


class Standing(NamedTuple):
    """What the session says for somebody, or the weight of each.

    Attributes:
        salience: his salience below the most salient one's.
        first: the last question went on with nobody and names him before anybody else, `later` behind others.
        answers: he answers it first, `guessed` the chance of the likeliest of a quotation, 0 where the turn kept
            none, `may_answer` he is one of the next.
        answered: its answer names him in its own words, `quoted` only in a quotation.
        newest: the last turn names him.
        continued: the last question went on with him.
        owner: the last turn names him only as whose another is: 吕布 in 吕布部将曹性.
        asked_of: a question of the user's own names him, and an answer is a long quotation, which names many.
        opened: a question of the talk names him first.
        cued: what the shape of the last question says for him.
        described: how well he fits a description, `told` that he does at all, `best` that he does so best by far,
            `called` whether talk or library call him by its noun.
        goes_on: the last question went on with him, and a subject is left out.
        object_first: an object is open, and the last question, whatever it went on with, names him first; so
            `object_later` and `object_continued`.
    """

    salience: float = 0.0
    first: float = 0.0
    later: float = 0.0
    answers: float = 0.0
    guessed: float = 0.0
    may_answer: float = 0.0
    answered: float = 0.0
    quoted: float = 0.0
    newest: float = 0.0
    continued: float = 0.0
    owner: float = 0.0
    asked_of: float = 0.0
    opened: float = 0.0
    cued: float = 0.0
    described: float = 0.0
    told: float = 0.0
    best: float = 0.0
    called: float = 0.0
    goes_on: float = 0.0
    object_first: float = 0.0
    object_later: float = 0.0
    object_continued: float = 0.0


class Marks(NamedTuple):
    """What a word of the question says for somebody: see `Standing`."""

    cued: float = 0.0
    described: float = 0.0
    best: bool = False
    called: bool = False


WEIGHTS = Standing(
    salience=0.07,
    first=1.2,
    later=0.49,
    answers=1.5,
    guessed=2.0,
    may_answer=0.23,
    answered=0.11,
    quoted=-0.4,
    newest=0.27,
    continued=0.15,
    owner=-1.36,
    asked_of=0.9,
    opened=0.3,
    cued=0.4,
    described=0.15,
    told=1.0,
    best=2.0,
    called=0.77,
    goes_on=0.93,
    object_first=0.59,
    object_later=0.49,
    object_continued=0.73,
)
"""Fitted with `attested.WEIGHTS`, but for those chosen by hand: `first`, `answers`, `continued`, `opened`, `asked_of`,
`guessed`, `quoted`, `told` and `best`. The talks fitted on have nearer wrong people, plain ones stay with their
subject. `asked_of`, `guessed` and `quoted` weigh talks whose people the user named against talks whose people only
answers named.
"""
UNMARKED = Marks()
NO_MARKS: Mapping[str, Marks] = MappingProxyType({})


def weighed(
    discourse: Discourse, scored: Sequence[tuple[float, Referent]], at: int, marks: Mapping[str, Marks] = NO_MARKS
) -> Scored:
    """Return people with new scores at the place that `discourse.attested` is of, with the cues alone elsewhere."""
    if discourse.attested.at != at or not scored:
        return [(score + marks.get(one.name, UNMARKED).cued, one) for score, one in scored]
    top = max(score for score, _ in scored)
    return [
        (
            weighted(standing(discourse, one, score - top, marks.get(one.name, UNMARKED)), WEIGHTS)
            + discourse.attested.fit(one.name),
            one,
        )
        for score, one in scored
    ]


def standing(discourse: Discourse, one: Referent, below: float, marks: Marks = UNMARKED) -> Standing:
    """Return what the session says for somebody whose salience is so far below the top."""
    view, part = discourse.turns[0], discourse.attested.part
    asked = [other.name for other in view.question.people()]
    first = first_named(view) == one.name
    later = one.name in asked and not first
    answers, continued, new = view.focus[:1] == [one.name], one.name in view.continued, not view.continued
    answered = any(other.name == one.name for other in view.answerers())
    return Standing(
        salience=max(below, LEAST_SALIENT),
        first=new and first,
        later=new and later,
        answers=view.sure and answers,
        guessed=view.guesses.get(one.name, 0.0) if answers and not view.sure else 0.0,
        may_answer=one.name in view.focus[1:],
        answered=answered,
        quoted=not answered
        and one.name not in asked
        and one.name not in discourse.users_own
        and one.name in {other.name for other in view.answer.people()},
        newest=one.age == 0,
        continued=continued,
        owner=owns_only(view, one.name),
        asked_of=one.name in discourse.users_own,
        opened=any(one.name == first_named(past) for past in discourse.turns),
        cued=marks.cued,
        described=marks.described,
        told=marks.described > 0,
        best=marks.best,
        called=marks.called,
        goes_on=part == "left out" and continued,
        object_first=part == "object" and first,
        object_later=part == "object" and later,
        object_continued=part == "object" and continued,
    )


def owns_only(view: TurnView, name: str) -> bool:
    """Tell whether a turn names somebody, and each time right before a noun that is said of another."""
    places = [
        (reading, one) for reading in (view.question, view.answer) for one in reading.people() if one.name == name
    ]
    return bool(places) and all(_owns(one, reading) for reading, one in places)


def _owns(one: Named, reading: Reading) -> bool:
    behind = OWNED.match(reading.masked, one.end)
    return behind is not None and reading.masked[behind.end() : behind.end() + 1] == MASK


OWNED = re.compile(
    r"(?:的|之|帐下|部下|手下|麾下)*(?:[^，。的是]{0,2}[将臣士官师军]|谋士|太守|儿子|女儿|妻子|弟弟|哥哥|兄长|父亲|母亲|侄子|侄儿|女婿|"
    r"族弟|心腹|家奴|随从|使者)"
)
"""What stands between somebody and another who is his: 部将, 的弟弟."""
