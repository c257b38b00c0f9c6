"""Who of the session's people a follow-up means, by all that session and library say of each."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from wenmai.minds.offline.discourse import Discourse, Referent
from wenmai.minds.offline.open_places import OpenPlace
from wenmai.minds.offline.signs import Signs
from wenmai.minds.offline.standing import UNMARKED, Marks, Occasion, Standing, occasion, standing
from wenmai.minds.offline.talk import Talk, talk_of
from wenmai.minds.offline.trees import loaded

Scored = list[tuple[float, Referent]]

TREES = "referents.json"
"""Fitted as `benchmarks.follow_ups` does, on follow-ups that mean one person in 74 writers' talks over a long novel,
3,884 after right answers and 3,807 after the agent's own: 3,160 and 2,787 right when held out in six parts, 2,299 and
2,228 by salience alone."""
NO_MARKS: Mapping[str, Marks] = MappingProxyType({})
_OF_EACH = (*(f"passage {field}" for field in Signs._fields), "passage places", *Standing._fields)
_RELATIVE = frozenset(["passage fame", "fame"])
"""How famous somebody is tells something beside the others only: the most famous of a short story is named seldom."""
_LESS_IS_MORE = frozenset(
    ["passage rank", "rank", "row", "offset", "focus", "answer_row", "answer_offset", "asked_age", "told_age", "age"]
)
"""Places and ages: who is nearest is ahead."""
COLUMNS = (
    *(field for field in _OF_EACH if field not in _RELATIVE),
    *(f"{field} ahead" for field in _OF_EACH),
    *Occasion._fields,
)
"""Of a row: what is said of somebody, how far he is ahead of the best of the others in it, and the occasion."""


def weighed(
    discourse: Discourse, scored: Sequence[tuple[float, Referent]], at: int, marks: Mapping[str, Marks] = NO_MARKS
) -> Scored:
    """Return people with new scores at the place that `discourse.attested` is of, with the cues alone elsewhere.

    A new score is the logarithm of the odds that he is meant.
    """
    left = discourse.attested.left
    if left is None or left.at != at or len(scored) < 2:  # nobody to choose from
        return [(score + marks.get(one.name, UNMARKED).cued, one) for score, one in scored]
    rows = rows_of(discourse, left, scored, marks)
    discourse.observer.meant([one.name for _, one in scored], rows)
    new = loaded(TREES).scores(rows)
    return [(score, one) for score, (_, one) in zip(new, scored, strict=True)]


def rows_of(
    discourse: Discourse, left: OpenPlace, scored: Sequence[tuple[float, Referent]], marks: Mapping[str, Marks]
) -> list[list[float]]:
    """Return a row of `COLUMNS` for each of some people, two or more."""
    top = max(score for score, _ in scored)
    talk = talk_of(discourse)
    each = [_of_one(talk, one, score - top, marks.get(one.name, UNMARKED)) for score, one in scored]
    shared = occasion(talk, left, len(scored))
    return [
        [
            *(value for field, value in zip(_OF_EACH, own, strict=True) if field not in _RELATIVE),
            *_ahead(own, _without(each, at)),
            *shared,
        ]
        for at, own in enumerate(each)
    ]


def _of_one(talk: Talk, one: Referent, below: float, marks: Marks) -> list[float]:
    """Return the values of `_OF_EACH` of somebody."""
    peaks = talk.discourse.attested.peaks(one.name)
    return [*peaks.signs, peaks.places, *standing(talk, one, below, marks)]


def _ahead(own: Sequence[float], others: Sequence[Sequence[float]]) -> Iterator[float]:
    for field, value, their in zip(_OF_EACH, own, zip(*others, strict=True), strict=True):
        yield min(their) - value if field in _LESS_IS_MORE else value - max(their)


def _without(rows: Sequence[list[float]], at: int) -> list[list[float]]:
    return [row for other, row in enumerate(rows) if other != at]
